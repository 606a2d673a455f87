# Sourced by the launcher. The command must be a child of this shell and not of the JVM: Java closes all descriptors but
# three, raises the limits, and cannot hand on arguments that are not text.
#
#   launcher, becomes the JVM: holds the lock          reads answers on descriptor 0, writes orders to 1
#    └ hf_attend: starts the command, waits for it     writes answers
#       ├ the command                                  has everything as it was given to us
#       └ guard.sh: signals the command                reads orders
#
# Where the command may be started again (hf_again), a shell between hf_attend and the command starts it and waits for it;
# hf_attend keeps all descriptors for the next time. Orders have one reader at a time: hf_attend reads on when the guard has ended.
#
# Orders:  ready (Java has started), set NAME VALUE, unset NAME, print TEXT, start ON-LOSS TENTHS; then those of guard.sh.
#          Texts are in octal escapes.
# Answers: printed, started PID, ended STATUS.

# What a descriptor of ours must not be: one that is in use.
hf_unused() { # hf_unused VARIABLE...: gives each the number of a free descriptor
  local hf_next=10
  for hf_variable; do
    while [ -e /dev/fd/$hf_next ]; do
      hf_next=$((hf_next + 1))
    done
    eval "$hf_variable=$hf_next"
    hf_next=$((hf_next + 1))
  done
}

# Two pipes. They get names for a moment: a shell has no other way to make one that goes both ways.
hf_pipes() {
  local hf_place hf_name hf_orders hf_answers hf_opened
  hf_unused hf_orders hf_answers hf_give hf_take hf_tell hf_hear
  for hf_place in "${TMPDIR:-/tmp}" /tmp /var/tmp /dev/shm; do
    hf_name=$hf_place/holdfast-$$-$RANDOM$RANDOM
    mkfifo -m 600 "$hf_name.orders" "$hf_name.answers" 2> /dev/null || continue
    # Open for both at first: otherwise each end would wait for the other to be opened.
    eval "exec $hf_orders<> \"\$hf_name.orders\" $hf_answers<> \"\$hf_name.answers\"" \
      && eval "exec $hf_give> \"\$hf_name.orders\" $hf_take< \"\$hf_name.orders\" $hf_tell> \"\$hf_name.answers\" $hf_hear< \"\$hf_name.answers\"" \
      && eval "exec $hf_orders>&- $hf_answers>&-"
    hf_opened=$?
    rm -f "$hf_name.orders" "$hf_name.answers"
    [ $hf_opened -eq 0 ] \
      || hf_fail "Too many files are open in this process. Close some, or raise the limit: ulimit -n 1024"
    return
  done
  hf_fail "Two named pipes are needed, but neither \$TMPDIR nor /tmp, /var/tmp or /dev/shm can be written."
}

# Whoever waits for the command to close a descriptor must not wait for us.
hf_close_all_but() { # hf_close_all_but NUMBER...
  local hf_number
  for hf_number in /dev/fd/*; do
    hf_number=${hf_number##*/}
    case " 0 1 2 $* " in
      *" $hf_number "*) ;;
      *) eval "exec $hf_number>&-" ;;
    esac
  done
}

# Whether it can be started: 0, or the exit code that says why not. Asked before anybody waits for a lock.
hf_find() {
  local hf_file=$1
  case $1 in
    */*) ;;
    *) hf_file=$(type -P -- "$1") ;;
  esac
  if [ -f "$hf_file" ] && [ -x "$hf_file" ]; then
    hf_startable=0
  elif [ -e "$hf_file" ]; then
    hf_startable=126
  else
    hf_startable=127
  fi
}

# Beside the JVM, in the same process group: whatever is sent to the group must not end it before the command has ended.
hf_signals="ALRM HUP INT PIPE QUIT TERM USR1 USR2"
hf_attend() { # hf_attend COMMAND [ARGUMENT...]
  local hf_onloss hf_tenths hf_said hf_ready= hf_stopped=
  eval "exec $hf_give>&- $hf_hear<&-"
  while :; do
    # Caught, not ignored: the command would inherit that.
    trap hf_stopped=yes $hf_signals
    hf_await_start
    [ -n "$hf_again" ] || hf_serve "$@"
    # If that shell was killed, the command may still run, and nobody waits for it: the end of the answers says so.
    hf_said=2
    if [ -e /dev/fd/2 ]; then
      hf_unused hf_said
      eval "exec $hf_said>&2 2> /dev/null"
    fi
    ([ $hf_said -eq 2 ] || eval "exec 2>&$hf_said $hf_said>&-" && hf_serve "$@") || exit 0
    [ $hf_said -eq 2 ] || eval "exec 2>&$hf_said $hf_said>&-"
  done
}

hf_serve() { # hf_serve COMMAND [ARGUMENT...]: one run of the command; does not return
  local hf_command hf_guard hf_number hf_said
  trap hf_stopped=yes $hf_signals
  # A shell says so when a process that it waits for was killed. That is for others to say.
  hf_said=2
  if [ -e /dev/fd/2 ]; then
    hf_unused hf_said
    eval "exec $hf_said>&2 2> /dev/null"
  fi
  # In the background a shell ignores INT and QUIT and has no input. Neither may reach the command.
  if [ -e /dev/fd/0 ]; then
    (hf_become "$@") <&0 &
  else
    (hf_become "$@") <&- &
  fi
  hf_command=$!
  echo "started $hf_command" >&$hf_tell
  hf_close_all_but $hf_said $hf_take $hf_tell
  (
    trap - $hf_signals
    # Not by its path: see there why.
    cd "$hf_app/libexec" && eval "exec \"\$BASH\" -p guard.sh $hf_command $hf_onloss $hf_tenths <&$hf_take 2>&$hf_said $hf_take<&- $hf_tell>&-"
  ) > /dev/null &
  hf_guard=$!
  # The command was started with the signals as they were. From here on nothing may interrupt the waiting.
  trap '' $hf_signals
  eval "exec $hf_take<&- $hf_said>&- < /dev/null > /dev/null"
  wait $hf_command
  hf_number=$?
  # Its process id may be another's from now on.
  kill -s ALRM $hf_guard
  echo "ended $hf_number" >&$hf_tell
  # It must not read the orders for the next time. A guard that had only begun may have missed the signal; then it ends when it
  # reads "done", which follows "ended".
  [ -z "$hf_again" ] || wait $hf_guard
  exit 0
}

hf_await_start() {
  local hf_order hf_key hf_value hf_status
  while :; do
    read -r hf_order hf_key hf_value <&$hf_take
    hf_status=$?
    [ $hf_status -gt 128 ] && continue
    # The JVM has ended without the lock. It says why, unless it could not even start.
    if [ $hf_status -ne 0 ]; then
      [ -n "$hf_ready$hf_stopped" ] \
        || echo "holdfast: Java has ended before it could ask for the lock. The command was not started." >&2
      exit 0
    fi
    case $hf_order in
      ready) hf_ready=yes ;;
      set)
        printf -v hf_value %b "$hf_value"
        export "$hf_key=$hf_value"
        ;;
      unset) unset "$hf_key" ;;
      print)
        printf %b "$hf_key"
        echo printed >&$hf_tell
        ;;
      start)
        hf_onloss=$hf_key
        hf_tenths=$hf_value
        return
        ;;
    esac
  done
}

hf_become() {
  local hf_env=()
  trap - $hf_signals
  [ $hf_said -eq 2 ] || eval "exec 2>&$hf_said $hf_said>&-"
  eval "exec $hf_take<&- $hf_tell>&-"
  [ -z "$hf_soft" ] || ulimit -S -n "$hf_soft"
  eval "$hf_given"
  # No shell can set SHELLOPTS or BASHOPTS to anything but its own options.
  [ ${#hf_env[@]} -eq 0 ] || [[ $1 == *=* ]] || exec env "${hf_env[@]}" "$@"
  exec -- "$@"
}

# Leaves this shell with the two ends for the JVM as its input and output, and the command waiting behind them.
hf_prepare() { # hf_prepare COMMAND [ARGUMENT...]
  hf_pipes
  hf_find "$1"
  if [ -e /dev/fd/0 ]; then
    hf_attend "$@" <&0 &
  else
    hf_attend "$@" <&- &
  fi
  eval "exec <&$hf_hear >&$hf_give $hf_give>&- $hf_take<&- $hf_tell>&- $hf_hear<&-"
  [ -e /dev/fd/2 ] || exec 2> /dev/null
}
