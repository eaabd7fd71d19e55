#!/usr/bin/env bash
# The manual pages are well-formed, and name every key the configuration knows.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v mandoc >/dev/null || { echo "manual_test: mandoc is not installed"; exit 77; }

mandoc -T lint -W warning man/*.[158]

missing=0
while read -r key; do
  grep -Eq "^\.It (Ic|Va) $key( |$)" man/etad.toml.5 || { echo "etad.toml(5) lacks '$key'" >&2; missing=1; }
done < <(sed -nE 's/^(# )?([a-z_]+) = .*/\2/p' etc/etad.toml | sort -u)
exit "$missing"
