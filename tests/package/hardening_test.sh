#!/usr/bin/env bash
# scripts/check-hardening, which the package's build ends with, lets a hardened program through and no other.
set -euo pipefail
cd "$(dirname "$0")/../.."
for tool in cc readelf; do command -v $tool >/dev/null || { echo "hardening_test: no $tool"; exit 77; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/a.c" <<'C'
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  char text[16];
  strcpy(text, argv[argc - 1]);
  return puts(text);
}
C
hardened=(-O2 -fPIE -pie -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now -w)
cc "${hardened[@]}" -o "$work/hard" "$work/a.c"
scripts/check-hardening "$work/hard"
for weaker in "-no-pie -fno-pie" "-Wl,-z,lazy" "-Wl,-z,norelro" "-z execstack" "-fno-stack-protector" \
              "-U_FORTIFY_SOURCE"; do
  # shellcheck disable=SC2086  # several words each
  cc "${hardened[@]}" $weaker -o "$work/weak" "$work/a.c"
  ! scripts/check-hardening "$work/weak" 2>/dev/null || { echo "let through: $weaker" >&2; exit 1; }
done
grep -q 'hardening=+all' debian/rules
grep -q 'scripts/check-hardening' debian/rules
