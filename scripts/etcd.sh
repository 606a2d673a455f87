# Sourced by ./verify and ./bench: finds etcd's programs, or unpacks the system's packages of them into a folder. Nothing is
# installed.

# etcd_programs [SUITE] → the folder of etcd and etcdctl, from the system's own suite or from another one; fails where they
# cannot be had.
etcd_programs() {
  local suite=${1:-} found cache
  if [ -z "$suite" ]; then
    found=$(command -v etcd || true)
    if [ -n "$found" ] && [ -x "$(dirname "$found")/etcdctl" ]; then
      dirname "$found"
      return
    fi
  fi
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/etcd-${suite:-system}
  if [ ! -x "$cache/usr/bin/etcdctl" ]; then
    command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null || return 1
    rm -rf "$cache.new"
    mkdir -p "$cache.new/lists/partial" "$cache.new/archives/partial"
    (cd "$cache.new" && unpack_etcd "$suite") > "$cache.log" 2>&1 || return 1
    rm -rf "$cache"
    mv "$cache.new" "$cache"
  fi
  printf '%s' "$cache/usr/bin"
}

unpack_etcd() { # into the current folder
  local from=(-o "Dir::Cache::Archives=$PWD/archives")
  if [ -n "$1" ]; then
    # From where the system has its own packages, and with the keys that it trusts.
    printf 'deb %s %s main\n' "$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)" \
      "$1" > sources
    from+=(-o "Dir::Etc::SourceList=$PWD/sources" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$PWD/lists"
      -o "Dir::Cache::PkgCache=" -o "Dir::Cache::SrcPkgCache=")
    apt-get "${from[@]}" update || return 1
  fi
  # The lists of a fresh machine are empty; only root may fetch them.
  apt-get "${from[@]}" download etcd-server etcd-client \
    || { [ "$(id -u)" = 0 ] && apt-get "${from[@]}" update && apt-get "${from[@]}" download etcd-server etcd-client; } \
    || return 1
  local package
  for package in *.deb; do
    dpkg-deb -x "$package" . || return 1
  done
  rm -f ./*.deb
}
