#!/usr/bin/env bash
# The completions offer what they should: commands, options, and the names a daemon knows (here: a stand-in).
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/etactl" <<'STANDIN'
#!/bin/sh
case "$*" in
  *evil*networks) echo '{"networks": [{"network": "VGG$(touch '"$EVIL"')="}, {"network": ";touch '"$EVIL"';="}], "next": null}' ;;
  *networks) echo '{"networks": [{"network": "LeNet", "architecture": "9c1d7a52"}, {"network": "CIFAR10 quick", "architecture": "0b"}], "next": null}' ;;
  *evil*sources) echo '{"sources": [{"path": "/x/$(touch '"$EVIL"').log"}, {"path": "/x/`touch '"$EVIL"'`;touch '"$EVIL"' .log"}, {"path": "/e*c/host*"}], "next": null}' ;;
  *runs) echo '{"runs": [{"id": 7, "network": "LeNet", "device": "Tesla K80"}, {"id": 12, "device": "Tesla K80"}], "next": null}' ;;
  *) exit 3 ;;
esac
STANDIN
chmod +x "$work/etactl"
PATH=$work:$PATH
export EVIL=$work/evil

failed=0
check() { # check WHAT EXPECTED GOT
  [ "$2" = "$3" ] && return
  printf 'completion_test: %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
  failed=1
}

complete_bash() { # complete_bash WORD…: what is offered for the last word
  bash -c 'source completions/etactl.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _etactl
    printf "%s|" "${COMPREPLY[@]}"' _ "$@"
}
check 'a command' 'status|' "$(complete_bash etactl sta)"
check 'both r…' 'runs|reread|refit|reload|' "$(complete_bash etactl r)"
check 'global options' '--socket|' "$(complete_bash etactl --s)"
check 'a command behind options' 'models|' "$(complete_bash etactl --socket /run/x --json mo)"
check 'networks' 'LeNet|CIFAR10\ quick|' "$(complete_bash etactl estimate '' | tr '|' '\n' | sort -r | tr '\n' '|')"
check 'a network by its beginning' 'CIFAR10\ quick|' "$(complete_bash etactl estimate C)"
check 'phases' 'train|test|total|' "$(complete_bash etactl estimate LeNet --phase '')"
check 'devices, once each' 'Tesla\ K80|' "$(complete_bash etactl estimate LeNet --device T)"
check 'options of estimate' '--test-interval|--test-iterations|--test-batch-size|' "$(complete_bash etactl estimate LeNet --test)"
check 'runs by number' '12|7|' "$(complete_bash etactl label '')"
check 'one run in full' '12|7|' "$(complete_bash etactl runs '')"
check 'labels' 'batch_size=|' "$(complete_bash etactl label 7 b)"
# A log may be called anything: a name is a word, whatever it looks like to a shell.
check 'names that are commands or patterns' "/e\\*c/host\\*|/x/\\$\\(touch\\ $EVIL\\).log|/x/\\\`touch\\ $EVIL\\\`\\;touch\\ $EVIL\\ .log|" \
  "$(complete_bash etactl --socket evil reread '' | tr '|' '\n' | LC_ALL=C sort | tr '\n' '|')"
check 'names that end like an assignment' "VGG\\$\\(touch\\ $EVIL\\)=|\\;touch\\ $EVIL\\;=|" \
  "$(complete_bash etactl --socket evil estimate '' | tr '|' '\n' | LC_ALL=C sort | tr '\n' '|')"
check 'a database is no command' '|' "$(complete_bash etactl --fleet '')"
check 'nor where its name is one' 'accuracy|' "$(complete_bash etactl --fleet runs acc)"
check 'a fleet is not asked' '|' "$(complete_bash etactl --fleet lab estimate L)"
check 'no daemon: nothing' '|' "$(complete_bash etactl models '')"

if command -v zsh >/dev/null; then
  complete_zsh() { # complete_zsh WHAT LINE REST: the rest of the word is filled in
    timeout 20 zsh tests/package/completion_test.zsh "$work" "$2" "$3" || check "zsh: $1" "$3" 'something else'
  }
  complete_zsh 'a network' 'etactl estimate Le' Net
  complete_zsh 'a command' 'etactl sta' tus
  complete_zsh 'an option' 'etactl runs --wa' tch
  complete_zsh 'an option, where others of its beginning are another command'"'"'s' 'etactl what-if LeNet --h' 'LeNet --host'
  complete_zsh 'a name that is a command' 'etactl --socket evil reread /x/\$' 'touch'
  complete_zsh 'a socket that looks like a command' "etactl --socket '\$(touch $EVIL)' estimate Le" Net
fi
check 'nothing of it was executed' '' "$(ls "$EVIL" 2>/dev/null)"
exit "$failed"
