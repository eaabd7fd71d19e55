#!/usr/bin/env bash
# scripts/sbom names the libraries a program links and what it was compiled with, twice alike.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in dpkg-query ldd python3; do command -v $tool >/dev/null || { echo "sbom_test: no $tool"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cp "$1/etad" "$work/bin" 2>/dev/null || { echo "sbom_test: etad is not built"; exit 77; }
export SOURCE_DATE_EPOCH=1700000000
scripts/sbom "$work/bin" >"$work/one"
scripts/sbom "$work/bin" >"$work/two"
cmp "$work/one" "$work/two"
python3 - "$work/one" <<'P'
import json, sys
bom = json.load(open(sys.argv[1]))
assert bom["spdxVersion"] == "SPDX-2.3" and bom["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
parts = {part["name"]: part for part in bom["packages"]}
for name in ("etad", "libc6", "libsqlite3-0", "libeigen3-dev"):
    assert parts[name]["versionInfo"], name
ids = {part["SPDXID"] for part in bom["packages"]}
assert all({r["spdxElementId"], r["relatedSpdxElement"]} <= ids for r in bom["relationships"])
P
! scripts/sbom "$work/nothing" 2>/dev/null
