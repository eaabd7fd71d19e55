#!/usr/bin/env bash
# The manual pages are well-formed, name every key the configuration knows, with its default, and every name that
# rule files know; they and the completions name every command and option of etactl.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v mandoc >/dev/null || { echo "manual_test: mandoc is not installed"; exit 77; }

mandoc -T lint -W warning man/*.[158]

missing=0
while read -r key; do
  grep -Eq "^\.It (Ic|Va) $key( |$)" man/etad.toml.5 || { echo "etad.toml(5) lacks '$key'" >&2; missing=1; }
done < <(sed -nE 's/^(# )?([a-z_]+) = .*/\2/p' etc/etad.toml | sort -u)

while read -r key value; do
  grep -Eq "^\.It Ic $key No = (Qq )?(Pa )?$value$" man/etad.toml.5 ||
    { echo "etad.toml(5) has another default of '$key' than etad.toml's $value" >&2; missing=1; }
done < <(sed -nE '/^\[\[source/q; s/^# ([a-z_]+) = "?([^" \[]+)"?( .*)?$/\1 \2/p' etc/etad.toml)

# Keys of rule files, forms of header, events and fields, as the code has them.
names=$(tr '\n' ' ' <parsers/base/event.cpp | sed -E 's/.*kKindNames = \{([^}]*)\}.*kFieldNames = \{([^}]*)\}.*/\1 \2/')
names+=$(tr '\n' ' ' <parsers/rules/rule_file.cpp | grep -oE '\{ *"(format|name|glog)",[^}]*\}')
names=$(grep -oE '"[a-z_0-9]+"' <<<"$names" | tr -d '"' | sort -u)
[ "$(wc -w <<<"$names")" -gt 90 ] || { echo "the names of rule files are not found in the source" >&2; exit 1; }
for name in $names; do
  grep -qE "^\.(It|Cm|Ss|Ic) (.*[^a-z_])?$name([^a-z_]|$)" man/etad-rules.5 || { echo "etad-rules(5) lacks '$name'" >&2; missing=1; }
done

while read -r key; do
  grep -Eq "^\.It (Ic|Va) $key( |$)" man/export.toml.5 || { echo "export.toml(5) lacks '$key'" >&2; missing=1; }
done < <(sed -nE 's/^(# )?([a-z_]+) = .*/\2/p' etc/export.toml | sort -u)

words=$(sed -nE 's/.*(add_subcommand|list)\("([a-z-]+)".*/\2/p; s/.*(parameter|add_flag|add_option)\([^"]*"(--[a-z-]+).*/\2/p' \
  daemon/client/cli.cpp | sort -u)
[ "$(wc -w <<<"$words")" -gt 30 ] || { echo "the commands and options of etactl are not found in its source" >&2; exit 1; }
for word in $words; do
  grep -qE "(Cm|Fl Fl|,) ([A-Z][a-z] )*${word#--}( |$)" man/etactl.1 || { echo "etactl(1) lacks $word" >&2; missing=1; }
  for completion in completions/etactl.bash completions/_etactl; do
    grep -qE -- "(^|[^a-z-])$word([^a-z-]|$)" "$completion" || { echo "$completion lacks $word" >&2; missing=1; }
  done
done
exit "$missing"
