# Sourced by ./verify: finds the Redis server of the system, or unpacks its packages into a folder. Nothing is installed. Ours
# is linked statically; the lab needs one that takes its time from a library.

# system_redis → the program; fails where it cannot be had.
system_redis() {
  local cache found
  found=$(command -v redis-server || true)
  if [ -n "$found" ] && ldd "$found" 2> /dev/null | grep -q 'libc\.' && "$found" --version | grep -Eq 'v=(6\.[2-9]|[7-9]|[1-9][0-9])'; then
    printf '%s\n' "$found"
    return
  fi
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/holdfast/redis-server
  if ! "$cache/start" --version > /dev/null 2>&1; then
    command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null || return 1
    rm -rf "$cache"
    mkdir -p "$cache"
    (cd "$cache" && unpack_redis) > "$cache.log" 2>&1 || return 1
  fi
  printf '%s\n' "$cache/start"
}

# Whether the C compiler finds what it needs.
can_compile() {
  printf '#include <time.h>\nint main(void) { return time(0) == 0; }\n' | cc -x c -o /dev/null - 2> /dev/null
}

unpack_redis() { # into the current folder
  local packages=(redis-tools liblzf1 libjemalloc2 libatomic1) package
  # The lists of a fresh machine are empty; only root may fetch them.
  apt-get download "${packages[@]}" \
    || { [ "$(id -u)" = 0 ] && apt-get update && apt-get download "${packages[@]}"; } \
    || return 1
  for package in *.deb; do
    dpkg-deb -x "$package" . || return 1
  done
  rm -f ./*.deb
  # The server and its checking tool are one program, which looks at its own name.
  cp usr/bin/redis-check-rdb redis-server
  local libraries
  libraries=$(find "$PWD" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s" "$@"\n' "$libraries" "$PWD/redis-server" > start
  chmod +x start
  ./start --version
}
