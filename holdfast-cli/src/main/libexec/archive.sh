# Sourced by the launcher. Half of the start-up is loading classes. They are kept in an archive that the JVM maps. It belongs
# to one JVM and to these jars: where it does not fit, the JVM does without.

# Sets hf_shared to the archive, or to nothing if there is none.
hf_archive() {
  local hf_cache=$hf_app/cache hf_key
  [ -w "$hf_app" ] || hf_cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/holdfast
  # Dates as numbers would be better, but not every ls has them. In one zone and one language they are the same for all.
  hf_key=$(TZ=UTC0 LC_ALL=C ls -lnL "$hf_app/lib" "$hf_java" 2> /dev/null | cksum)
  # One that was written by whoever may write beside the jars is good for all.
  [ -f "$hf_app/cache/${hf_key%% *}.jsa" ] && hf_cache=$hf_app/cache
  hf_shared=$hf_cache/${hf_key%% *}.jsa
  [ -f "$hf_shared" ] || hf_train "$hf_cache" || hf_shared=
}

# Fails where the archive cannot be written, and where somebody else is just writing it: that is no reason to wait.
hf_train() {
  local hf_cache=$1 hf_turn=$1/training hf_major hf_fresh hf_old hf_kept=0
  hf_major=$("$hf_java" -version 2>&1 < /dev/null | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
  [ -n "$hf_major" ] || hf_try_java
  [ "${hf_major:-0}" -ge 17 ] \
    || hf_fail "This is Java ${hf_major:-?} ($hf_java). Holdfast needs Java 17 or later: install it and set JAVA_HOME."
  mkdir -p "$hf_cache" 2> /dev/null || return
  # A link is made in one step, with its content: who trains. One that was killed while training is not waited for.
  if ! ln -s $$ "$hf_turn" 2> /dev/null; then
    if ! kill -0 "$(readlink "$hf_turn")" 2> /dev/null || [ -n "$(find "$hf_turn" -mmin +10 2> /dev/null)" ]; then
      rm -f "$hf_turn"
    fi
    return 1
  fi
  # It may have been written since we looked: asking for the version takes a while.
  if [ -f "$hf_shared" ]; then
    rm -f "$hf_turn"
    return
  fi
  rm -rf "$hf_cache"/train.*
  # Written elsewhere and moved: another process may be starting with it.
  if hf_fresh=$(mktemp -d "$hf_cache/train.XXXXXX" 2> /dev/null); then
    (
      hf_prepare true && hf_start - -XX:ArchiveClassesAtExit="$hf_fresh/new.jsa" -Dholdfast.command=true \
        -Dholdfast.startable=0 dev.holdfast.cli.ArchiveTraining "$hf_fresh"
    ) > /dev/null 2>&1 < /dev/null
    [ -f "$hf_fresh/new.jsa" ] && mv -f "$hf_fresh/new.jsa" "$hf_shared"
    rm -rf "$hf_fresh"
    # One for each of the JVMs that are in use, not for all that ever were.
    ls -t "$hf_cache" 2> /dev/null | while read -r hf_old; do
      case $hf_old in
        *.jsa)
          hf_kept=$((hf_kept + 1))
          [ $hf_kept -le 3 ] || rm -f "$hf_cache/$hf_old"
          ;;
      esac
    done
  fi
  rm -f "$hf_turn"
  [ -f "$hf_shared" ]
}
