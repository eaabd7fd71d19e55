#!/usr/bin/env bash
# Trouble with a run under the daemon itself: in its messages with run and source, in /metrics, and at the command
# of [alerts], which is run although the daemon may execute nothing.
set -euo pipefail
build=$1
cd "$(dirname "$0")/../.."

. tests/package/with_daemon.sh
# Asks a real daemon again and again until it has got that far.
eventually() {
  for _ in $(seq 300); do
    "$@" >/dev/null 2>&1 && return
    kill -0 "$daemon" 2>/dev/null || fail "the daemon ended"
    sleep 0.1
  done
  return 1
}

mkdir -p "$work/logs" "$work/state"
cat >"$work/alert" <<'SCRIPT'
#!/bin/sh
exec cat >>"$1"
SCRIPT
chmod +x "$work/alert"
cat >"$work/etad.toml" <<TOML
[storage]
path = "$work/state/history.db"
[socket]
path = "$work/state/etad.sock"
[rules]
path = "$PWD/etc/rules.d"
[alerts]
command = ["$work/alert", "$work/alerts"]
[[source]]
paths = ["$work/logs/*.log"]
TOML
export ETAD_SOCKET=$work/state/etad.sock
"$build/etad" --config "$work/etad.toml" 2>"$work/etad.err" &
daemon=$!
eventually "$build/etactl" status || fail "nobody answers"

# One that fails at once, between two looks at the history; and one that stops talking, as its old times show.
log=examples/caffe/lenet_b64_i500_tb100_ti50.log
{
  head -n 400 "$log"
  echo 'F1120 12:00:00.000000  4711 syncedmem.hpp:25] Check failed: error == cudaSuccess (2 vs. 0)  out of memory'
} >"$work/logs/failing.log"
sed '/Iteration 450, lr/,$d' "$log" >"$work/logs/hanging.log"

eventually grep -q '"event":"failed"' "$work/alerts" || fail "the command was not told of the failure"
grep -q 'out of memory.*EVENT=failed RUN=[0-9]* SOURCE=.*/failing.log' "$work/etad.err" || fail "the messages do not tell it"
eventually grep -q '"event":"stalled"' "$work/alerts" || fail "the command was not told of the hang"
grep -q 'may hang.*EVENT=stalled RUN=[0-9]* SOURCE=.*/hanging.log' "$work/etad.err" || fail "the messages do not tell the hang"
python3 - "$work/alerts" <<'PYTHON' || fail "the alerts are not what docs/operations.md says"
import json, sys

alerts = [json.loads(line) for line in open(sys.argv[1])]
assert {a["event"] for a in alerts} == {"failed", "stalled"}, alerts
for a in alerts:
    assert set(a) == {"event", "message", "at", "host", "source", "run", "dropped"}, sorted(a)
    assert a["run"]["source"] == a["source"] and a["run"]["network"] == "LeNet", a
PYTHON
metrics=$(curl -s --unix-socket "$ETAD_SOCKET" http://localhost/metrics)
grep -qF 'etad_runs{state="stalled"} 1' <<<"$metrics" || fail "/metrics does not count the hang"
grep -qF 'etad_run_events_total{event="failed"} 1' <<<"$metrics" || fail "/metrics does not count the failure"
grep -qF 'etad_alerts_total{outcome="sent"} 2' <<<"$metrics" || fail "/metrics does not count the alerts"
"$build/etactl" runs | grep -q 'may hang' || fail "etactl runs does not tell the hang"
kill "$daemon"
wait "$daemon" || fail "it does not stop in good order"
daemon=
