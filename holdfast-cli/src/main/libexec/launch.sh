# Sourced by the launcher, in a shell that the environment cannot influence. hf_app is where we are installed.

# Bash has its script open as descriptor 2 if it was started without one. The command is to find it closed.
[ /dev/fd/2 -ef "$0" ] && exec 2>&-
# Code that gives the command the variables that a shell changes. It is run last before the command.
hf_given=$1
shift
# These limit reading and calling functions. The code above gives them back.
unset POSIXLY_CORRECT BASH_COMPAT FUNCNEST TMOUT
# All variables begin with hf_: one of the same name in the environment would reach the command changed.

hf_fail() { # hf_fail TEXT: something in our surroundings keeps us from working. The command was not started.
  echo "holdfast: $*" >&2
  exit 70
}

# Files that we and the JVM have open at the same time. The command keeps the limit that it was given.
hf_files=64
(ulimit -S -n $hf_files) 2> /dev/null \
  || hf_fail "This process may open fewer files than the $hf_files that Holdfast needs. Raise the limit: ulimit -n 1024"
hf_soft=$(ulimit -S -n) || hf_fail "This process may open too few files. Raise the limit: ulimit -S -n $hf_files"
if [ "$hf_soft" != unlimited ] && [ "$hf_soft" -lt $hf_files ]; then
  ulimit -S -n $hf_files
else
  hf_soft=
fi

hf_java=${JAVA_HOME:+$JAVA_HOME/bin/java}
[ -x "${hf_java:-}" ] || hf_java=$(type -P java) \
  || hf_fail "No Java found. Install Java 17 or later, and put it on the PATH or set JAVA_HOME."
. "$hf_app/libexec/archive.sh"
. "$hf_app/libexec/command.sh"

hf_size=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx256m -XX:CompressedClassSpaceSize=64m)
hf_options=("${hf_size[@]}" -XX:+DisplayVMOutputToStderr -Xlog:disable -Xlog:all=error,cds*=off:stderr
  --enable-native-access=ALL-UNNAMED -cp "$hf_app/lib/*")

# Java reads names as the locale says. Where that knows no letters but ASCII (cron), or is not installed, it is to read
# UTF-8. The command keeps the locale that we were given.
hf_letter=$'\303\244'
[ ${#hf_letter} -eq 1 ] || [[ $'\344' == [[:alpha:]] ]] || hf_locale=C.UTF-8
hf_start() { # hf_start exec|- ARGUMENT...: starts Java, in our place or beside us
  local hf_how=$1
  shift
  [ "$hf_how" = exec ] || hf_how=
  if [ -n "${hf_locale:-}" ]; then
    set -- env LC_ALL="$hf_locale" "$hf_java" -Dfile.encoding=UTF-8 "${hf_options[@]}" "$@"
  else
    set -- "$hf_java" "${hf_options[@]}" "$@"
  fi
  # Otherwise a Java that cannot be executed would end us with 126, as if the command could not be.
  [ -z "$hf_how" ] || shopt -s execfail
  $hf_how "$@"
}

# A JVM that cannot start ends with 1, like many a command. So it is tried first wherever a limit or an option could keep
# it from starting. It is tried with less memory than it will have, since it will need more than it takes to start.
hf_space=$(ulimit -v)
hf_spare=700000
hf_try_java() {
  local hf_said
  hf_said=$(
    [ "$hf_space" = unlimited ] || ulimit -v $((hf_space > hf_spare ? hf_space - hf_spare : 0))
    exec "$hf_java" "${hf_size[@]}" -XX:ErrorFile=/dev/null -version 2>&1 < /dev/null
  ) && return
  hf_fail "Java cannot start ($hf_java). Check the limits of this process (ulimit -a), the free memory, JAVA_HOME and the variables with options for Java. It said:
$hf_said"
}
[ "$hf_space$(ulimit -d)" = unlimitedunlimited ] \
  && [ -z "${JAVA_TOOL_OPTIONS:-}${JDK_JAVA_OPTIONS:-}${_JAVA_OPTIONS:-}" ] || hf_try_java

hf_archive
[ -z "$hf_shared" ] || hf_options+=("-XX:SharedArchiveFile=$hf_shared")

hf_terminals=
for hf_descriptor in 0 1 2; do
  [ -t $hf_descriptor ] && hf_terminals=$hf_terminals$hf_descriptor
done
hf_options+=("-Dholdfast.terminals=$hf_terminals")

# What stands before the two dashes is ours; the rest is the command, which Java never sees.
hf_ours=()
hf_again=
case ${1:-} in
  run | lead)
    [ "$1" = run ] || hf_again=yes
    for hf_argument; do
      [ "$hf_argument" = -- ] && break
      hf_ours+=("$hf_argument")
    done
    ;;
esac
if [ ${#hf_ours[@]} -gt 0 ] && [ $# -gt $((${#hf_ours[@]} + 1)) ]; then
  shift $((${#hf_ours[@]} + 1))
  hf_prepare "$@"
  case "${hf_ours[*]} ${HOLDFAST_URL_FILE:-}" in
    *fd/*) ;; # The URL may be behind a descriptor.
    *) hf_close_all_but ;;
  esac
  hf_options+=("-Dholdfast.command=$1" "-Dholdfast.startable=$hf_startable")
  hf_start exec dev.holdfast.cli.Main "${hf_ours[@]}"
  hf_fail "Java cannot be executed ($hf_java). Mend it, or set JAVA_HOME."
fi

# The JVM would open files of its own under the numbers of closed descriptors, and read or write those.
[ -e /dev/fd/0 ] || exec < /dev/null
[ -e /dev/fd/1 ] || exec 1< /dev/null
[ -e /dev/fd/2 ] || exec 2> /dev/null
hf_start exec dev.holdfast.cli.Main "$@"
hf_fail "Java cannot be executed ($hf_java). Mend it, or set JAVA_HOME."
