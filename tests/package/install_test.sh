#!/usr/bin/env bash
# `cmake --install` into any prefix makes an installation that works from there: the programs find its rules and
# configuration, its units start its programs, and the main job runs without root.
set -euo pipefail
build=$1
cd "$(dirname "$0")/../.."

. tests/package/with_daemon.sh

prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.out" || fail "cmake --install failed"
outside=$(grep -E '^-- (Installing|Up-to-date): ' "$work/install.out" | grep -vF "$prefix/" || true)
[ -z "$outside" ] || fail "installed outside the prefix: $outside"

# The machine's daemon: configuration, rules and units of the prefix.
answer=$("$prefix/sbin/etad" --check-config) || fail "the installed configuration has mistakes"
[ "$answer" = "$prefix/etc/etad/etad.toml: ok" ] || fail "--check-config says: $answer"
"$prefix/sbin/etad" --check-rules | grep -qx 'caffe: ok' || fail "the installed rules are not found"
grep -qx "ExecStart=$prefix/sbin/etad" "$prefix/lib/systemd/system/etad.service" || fail "the unit starts another program"
grep -qx "ExecStart=$prefix/sbin/etad --user" "$prefix/share/systemd/user/etad.service" || fail "so does the user's unit"
grep -q "$prefix/share/etad/rules.d" "$prefix/share/man/man8/etad.8" || fail "the manual names other folders"
for document in $(grep -ohE "$prefix/share/doc/etad/[a-z-]+\.md" -r "$prefix/share/man" | sort -u) "$prefix/share/doc/etad/operations.md"; do
  [ -f "$document" ] || fail "the manual names $document, which is not installed"
done
echo '# mine' >>"$prefix/etc/etad/etad.toml"
cmake --install "$build" --prefix "$prefix" >/dev/null
grep -qx '# mine' "$prefix/etc/etad/etad.toml" || fail "a second installation replaced the edited configuration"

# Without its rules it says so instead of understanding nothing.
mv "$prefix/share/etad/rules.d" "$work/rules.d"
mkdir "$prefix/share/etad/rules.d"
if "$prefix/sbin/etad" --check-config 2>"$work/complaint"; then fail "--check-config is content without any rules"; fi
grep -qF "$prefix/share/etad/rules.d" "$work/complaint" || fail "it does not say where it looked"
rm -r "$prefix/share/etad/rules.d"
mv "$work/rules.d" "$prefix/share/etad/rules.d"

# One's own daemon. Its folders are there for nobody else, and etactl finds it by itself.
export HOME=$work/home XDG_RUNTIME_DIR=$work/run PATH=$prefix/bin:$PATH
unset XDG_CONFIG_HOME XDG_STATE_HOME ETAD_SOCKET
mkdir -p "$HOME/.config/etad" "$HOME/runs" "$XDG_RUNTIME_DIR"
cat >"$HOME/.config/etad/etad.toml" <<'TOML'
[[source]]
paths = ["~/runs/*.log"]
TOML
"$prefix/sbin/etad" --user --check-config | grep -qx "$HOME/.config/etad/etad.toml: ok" || fail "--user reads another configuration"
cp examples/caffe/lenet_*.log "$HOME/runs"
logs=$(find "$HOME/runs" -name '*.log' | wc -l)
"$prefix/sbin/etad" --user 2>"$work/etad.err" &
daemon=$!
for _ in $(seq 300); do
  etactl --json status 2>/dev/null | grep -q "\"lag\":{\"bytes\":0,.*\"runs\":$logs," && break
  kill -0 "$daemon" 2>/dev/null || fail "the daemon ended"
  sleep 0.1 # of a real daemon, which is asked until it has read
done
etactl refit >/dev/null || fail "nobody answers, or may not be told to refit"
etactl estimate LeNet --phase train --batch-size 32 --iterations 2000 | grep -q 'LeNet, train: 2,000 iterations' ||
  fail "no estimate"
[ "$(stat -c %a "$HOME/.local/state/etad/history.db")" = 600 ] || fail "others may read the history"
[ "$(stat -c %a "$XDG_RUNTIME_DIR/etad")" = 700 ] || fail "others may reach the socket"
ETAD_SOCKET=$work/none etactl status 2>/dev/null && fail "ETAD_SOCKET is not asked first"
kill "$daemon"
wait "$daemon" || fail "it does not stop in good order"
daemon=
