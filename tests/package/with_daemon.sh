# For tests that run a daemon: a folder for its files, its end with the test's, and how a test fails. Sourced.
# The daemon's messages go to $work/etad.err, its process is $daemon.
work=$(mktemp -d)
daemon=
clean_up() {
  [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null; } || true
  rm -rf "$work"
}
trap clean_up EXIT
fail() {
  echo "$(basename "$0" .sh): $*" >&2
  [ ! -s "$work/etad.err" ] || cat "$work/etad.err" >&2
  exit 1
}
