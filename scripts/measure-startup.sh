#!/usr/bin/env bash
# Median and shortest wall time of `holdfast run NAME -- true`, beside that of `java -version` in the same rounds.
#   scripts/measure-startup.sh [ROUNDS] [URL...]     21 rounds, and a new SQLite file, unless given
set -euo pipefail
home=$(cd "$(dirname "$0")/.." && pwd)
rounds=${1:-21}
[ $# -eq 0 ] || shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- "sqlite:$work/locks.db"
TIMEFORMAT=%R

clock() { # clock FILE COMMAND...
  local file=$1
  shift
  { time "$@" > /dev/null 2> "$work/said" || cat "$work/said" >&2; } 2>> "$work/$file"
}
for url in "$@"; do
  "$home/holdfast" run --at "$url" start-up -- true
done
for _ in $(seq "$rounds"); do
  clock 0 java -version
  n=0
  for url in "$@"; do
    n=$((n + 1))
    clock $n "$home/holdfast" run --at "$url" start-up -- true
  done
done
figures() { sort -n "$1" | awk '{ v[NR] = $1 } END { print "median " v[int((NR + 1) / 2)] " s, shortest " v[1] " s" }'; }
echo "java -version: $(figures "$work/0")"
n=0
for url in "$@"; do
  n=$((n + 1))
  echo "holdfast run, ${url%%:*}: $(figures "$work/$n")"
done
