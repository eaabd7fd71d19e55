#!/usr/bin/env bash
# The units are well-formed and as closed as they say: an exposure of at most 0.6 of 10.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v systemd-analyze >/dev/null || { echo "unit_test: systemd-analyze is not installed"; exit 77; }

systemd-analyze security --offline=true --threshold=6 --no-pager systemd/etad.service >/dev/null
# The exporter's, but for the network that it needs.
systemd-analyze security --offline=true --threshold=12 --no-pager systemd/etad-export.service >/dev/null

# `verify` wants the programs to exist: the same units with another program.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's,/usr/sbin/etad,/bin/true,' systemd/etad.service >"$work/etad.service"
cp systemd/etad.socket "$work"
sed 's,/usr/sbin/etad-export,/bin/true,' systemd/etad-export.service >"$work/etad-export.service"
complaints=$(systemd-analyze verify --man=no "$work/etad.service" "$work/etad.socket" "$work/etad-export.service" 2>&1 || true)
[ -z "$complaints" ] || { echo "$complaints" >&2; exit 1; }
