#!/usr/bin/env bash
# The alert rules fire when they should, and rules and dashboard ask for no metric the daemon does not have.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Every etad_… of the rules and the dashboard, without a counter's _total, is a name in the sources.
missing=0
for name in $(grep -hoE '\betad_[a-z_]+' etc/grafana/etad.json etc/prometheus/etad.rules.yml | sort -u); do
  bare=${name#etad_}
  grep -qE "\"${bare%_total}\"" daemon/service/metrics.cpp daemon/health.cpp || {
    echo "metrics_test: nothing exports $name" >&2
    missing=1
  }
done
python3 -m json.tool etc/grafana/etad.json >/dev/null
[ "$missing" -eq 0 ]

command -v promtool >/dev/null || { echo "metrics_test: promtool is not installed"; exit 77; }
promtool check rules etc/prometheus/etad.rules.yml
promtool test rules tests/package/etad.rules_test.yml

# The dashboard's expressions, as rules, so that promtool reads them too.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - >"$work/dashboard.yml" <<'PYTHON'
import json

panels = json.load(open("etc/grafana/etad.json"))["panels"]
expressions = [target["expr"] for panel in panels for target in panel.get("targets", [])]
assert len(expressions) > 20
rules = [{"record": f"dashboard:expression_{i}", "expr": e.replace("$__rate_interval", "5m").replace("$instance", ".*")}
         for i, e in enumerate(expressions)]
print(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
PYTHON
promtool check rules "$work/dashboard.yml"
