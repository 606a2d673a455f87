# Sourced by ./holdfast, in a shell that the environment cannot influence. hf_home is the source tree.

# Bash has its script open as descriptor 2 if it was started without one. The command is to find it closed.
if [ /dev/fd/2 -ef "$0" ]; then exec 2>&-; fi
# The variables that stay begin with hf_: one of the same name in the environment would reach the command changed.
hf_app="$hf_home/holdfast-cli/target/app"
hf_built="$hf_home/holdfast-cli/target/holdfast.built"

hf_is_built() {
  [ -f "$hf_built" ] && [ -z "$(find "$hf_home"/pom.xml "$hf_home"/holdfast-*/pom.xml "$hf_home"/holdfast-*/src/main -newer "$hf_built" -print -quit)" ]
}

# In a shell of its own, which leaves nothing behind.
hf_build() (
  set -euo pipefail
  . "$hf_home/scripts/toolchain.sh"
  require_build_tools
  build() {
    echo "Building Holdfast (about a minute; several the first time, while Maven downloads what it needs)…" >&2
    local started
    started=$(mktemp "$hf_home/holdfast-build.XXXXXX")
    if ! (cd "$hf_home" && mvn -q -B --no-transfer-progress -Dmaven.test.skip=true -pl holdfast-cli -am package) > "$hf_home/build.log" 2>&1; then
      rm -f "$started"
      fail "The build failed; build.log says why. Its last lines:
$(tail -n 15 "$hf_home/build.log")"
    fi
    rm -f "$hf_home/build.log"
    # As old as the beginning of the build: what was edited meanwhile is built next time.
    mv -f "$started" "$hf_built"
  }

  # One build at a time; whoever else came waits for it. A builder that was killed is not waited for.
  turn="$hf_home/.building"
  until mkdir "$turn" 2> /dev/null; do
    if ! kill -0 "$(cat "$turn/pid" 2> /dev/null || echo $$)" 2> /dev/null; then
      rm -rf "$turn"
    fi
    sleep 0.5
  done
  echo $$ > "$turn/pid"
  trap 'rm -rf "$turn"' EXIT
  hf_is_built || build
)

hf_is_built || hf_build < /dev/null || exit 70
. "$hf_app/libexec/launch.sh"
