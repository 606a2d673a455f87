# Sourced by ./holdfast and ./verify: finds the JDK and Maven, or says which one is missing and what to do.

java_major() { # java_major BINARY → 17, 21, 25 …
  "$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

require_java() {
  if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
    JAVA="$JAVA_HOME/bin/java"
  else
    JAVA=$(command -v java || true)
  fi
  [ -n "$JAVA" ] || fail "No JDK found. Install JDK 17 or later, and put it on the PATH or set JAVA_HOME."
  local major
  major=$(java_major "$JAVA")
  [ "${major:-0}" -ge 17 ] || fail "This is Java ${major:-?}. Holdfast needs JDK 17 or later: install one and set JAVA_HOME."
}

require_build_tools() {
  require_java
  [ -x "$(dirname "$(readlink -f "$JAVA")")/javac" ] \
    || fail "This is a Java runtime without a compiler. Install a JDK, 17 or later, and set JAVA_HOME."
  command -v mvn > /dev/null || fail "Maven is missing. Install Maven 3.8.7 or later and put mvn on the PATH."
}
