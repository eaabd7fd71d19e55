# A zsh on a pseudo terminal: what it shows after one Tab. Waits for $3, so call it under timeout(1).
# completion_test.zsh WORKDIR LINE EXPECTED
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($PWD/completions \$fpath); autoload -Uz compinit && compinit -u -d $1/dump; print COMPINIT DONE | tr ' ' -"
zpty -r shell seen '*COMPINIT-DONE*'
zpty -w -n shell "$2"$'\t'
zpty -r shell seen "*$3*"
zpty -d shell
