#!/usr/bin/env bash
# guard.sh PID ON-LOSS TENTHS: passes signals on to the command with this process id, and ends it if the JVM is killed, which
# alone can keep the lock. Started by command.sh, with bash -p; reads orders.
#
#   signal NAME   send this signal, unless it has reached the command already
#   hurry         the lease is about to end: if the JVM dies now, there is no time to give
#   done          the command has ended
#
# A signal to the whole process group (Ctrl-C, timeout, a terminal that is closed) reaches the command without us, and this
# process too. One that was sent to the JVM alone has not been heard here: that is how the two are told apart. So nothing on
# the command line of this process may be what people look for when they signal by name.
command=$1
on_loss=$2
tenths=$3

for signal in HUP INT TERM USR1; do
  trap "heard_$signal=yes interrupted=yes" $signal
done
trap 'interrupted=yes' PIPE QUIT USR2
# The command has ended after the JVM was killed, and its process id may be another's.
trap 'exit 0' ALRM

pass() {
  eval "heard=\${heard_$1:-}"
  if [ -n "$heard" ]; then
    eval "heard_$1="
  else
    kill -s "$1" "$command" 2> /dev/null
  fi
}

while :; do
  interrupted=
  if read -r order name; then
    case $order in
      signal) pass "$name" ;;
      hurry) tenths=0 ;;
      done) exit 0 ;;
    esac
  elif [ -z "$interrupted" ]; then
    break
  fi
done

kill -0 "$command" 2> /dev/null || exit 0
# The JVM was killed. The lease goes on for a sixth at least: that long the command may take to end.
trap '' ALRM HUP INT PIPE QUIT TERM USR1 USR2
if [ "$on_loss" = warn ]; then
  echo "holdfast: The process that held lock '$HOLDFAST_NAME' was killed: the command goes on without the lock." >&2
  exit 0
fi
echo "holdfast: The process that held lock '$HOLDFAST_NAME' was killed: ending the command." >&2

# With its descendants, remembered from before their parents end. Without ps only the command itself is known.
family=" $command "
grown=yes
table=$(ps -A -o pid= -o ppid= 2> /dev/null)
while [ -n "$grown" ]; do
  grown=
  while read -r pid parent; do
    case $family in
      *" $pid "*) ;;
      *" $parent "*) family="$family$pid " grown=yes ;;
    esac
  done << END
$table
END
done

alive() {
  left=
  for pid in $family; do
    kill -0 "$pid" 2> /dev/null && left="$left $pid"
  done
  family=$left
  [ -n "$family" ]
}

[ "$on_loss" = kill ] || [ "$tenths" -eq 0 ] || kill -s TERM $family 2> /dev/null
while alive && [ "$tenths" -gt 0 ]; do
  tenths=$((tenths - 1))
  sleep 0.1
done
alive && kill -s KILL $family 2> /dev/null
exit 0
