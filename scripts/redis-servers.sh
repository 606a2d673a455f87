#!/usr/bin/env bash
# Unpacks the Redis and Valkey servers of several Debian releases into a folder. Installs nothing.
#   scripts/redis-servers.sh FOLDER     prints a line for each server: its name, a tab, the program that starts it
# What could not be had is said on standard error. Needs apt and dpkg, and the mirror that this machine's apt uses.
set -euo pipefail
[ $# -eq 1 ] || { echo "Usage: scripts/redis-servers.sh FOLDER" >&2; exit 64; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
if ! command -v apt-get > /dev/null || ! command -v dpkg-deb > /dev/null; then
  echo "no servers from packages: this machine has no apt" >&2
  exit 0
fi
# The first Debian archive of this machine; those for security updates alone have other releases.
mirror=$(apt-get indextargets --format '$(SITE) $(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' 2> /dev/null \
  | awk '$3 == "Debian" && $4 == "Debian" { print $2; exit }')
keys=/usr/share/keyrings/debian-archive-keyring.gpg
if [ -z "$mirror" ] || [ ! -f "$keys" ]; then
  echo "no servers from packages: apt has no Debian archive here" >&2
  exit 0
fi

# An apt that knows one release and no installed package: what it downloads is complete, the C library included.
apt_of() { # apt_of RELEASE TOOL ARGUMENT...
  local at=$folder/apt/$1 tool=$2
  shift 2
  "$tool" -q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$at/sources" -o "Dir::State=$at/state" \
    -o Dir::State::status=/dev/null -o "Dir::Cache=$at/cache" -o Acquire::Languages=none \
    -o APT::Sandbox::User=root -o APT::Install-Recommends=false -o APT::Get::AllowUnauthenticated=false "$@"
}

prepare() { # prepare RELEASE
  local at=$folder/apt/$1
  mkdir -p "$at/sources" "$at/state/lists/partial" "$at/cache/archives/partial"
  # Backports and experimental need the release that they add to.
  local releases=$1
  case "$1" in
    *-backports) releases="$1 ${1%-backports}" ;;
    experimental) releases="experimental sid" ;;
  esac
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$mirror" "$releases" "$keys" \
    > "$at/sources/debian.sources"
  apt_of "$1" apt-get update > "$at/update.log" 2>&1
}

unpack() { # unpack RELEASE KIND: into the folder of that kind and version
  local release=$1 kind=$2 at=$folder/apt/$1 version home package
  version=$(apt_of "$release" apt-cache madison "$kind-tools" 2> /dev/null \
    | awk -F ' *[|] *' -v suite=" $release/" 'index($3, suite) { print $2; exit }')
  if [ -z "$version" ]; then
    return
  fi
  local short=${version#*:}
  home=$folder/$kind-${short%%[-+~]*}
  if [ ! -x "$home/start" ]; then
    rm -rf "$home" "$at/cache/archives"
    mkdir -p "$home/root" "$at/cache/archives/partial"
    apt_of "$release" apt-get -y --download-only -t "$release" install "$kind-tools=$version" > "$at/$kind.log" 2>&1 || {
      echo "$kind $version of $release could not be downloaded: $(tail -n 1 "$at/$kind.log")" >&2
      return
    }
    for package in "$at"/cache/archives/*.deb; do
      case "${package##*/}" in
        dash_* | debconf* | perl* | dpkg_* | tar_* | adduser_* | passwd_* | base-*) ;; # for their installation alone
        *) dpkg-deb -x "$package" "$home/root" ;;
      esac
    done
    # The server and its checking tool are one program, which looks at its own name.
    cp "$home/root/usr/bin/$kind-check-rdb" "$home/$kind-server"
    write_start "$home" "$kind" > "$home/start"
    chmod +x "$home/start"
    rm -rf "$at/cache/archives"
  fi
  local says
  if says=$("$home/start" --version 2>&1); then
    case "$kind" in redis) kind=Redis ;; valkey) kind=Valkey ;; esac
    printf '%s\t%s\n' "$kind ${short%%[-+~]*}" "$home/start"
  else
    echo "$kind $version of $release does not start here: $(tail -n 1 <<< "$says")" >&2
  fi
}

# With the C library that it was built for: this machine's may be older.
write_start() { # write_start HOME KIND
  local loader
  loader=$(find -L "$1/root" -name 'ld-linux*.so.*' -type f -print -quit)
  local libraries
  libraries=$(find "$1/root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$libraries" "$1/$2-server"
}

for release in bookworm bookworm-backports trixie forky sid experimental; do
  if ! prepare "$release"; then
    echo "the packages of $release could not be reached: $(tail -n 1 "$folder/apt/$release/update.log")" >&2
    continue
  fi
  for kind in redis valkey; do
    unpack "$release" "$kind"
  done
done | sort -u -t "$(printf '\t')" -k 1,1V
