# bash completion for etad(8)
_etad() {
  if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --config ]]; then
    compopt -o default 2>/dev/null
    COMPREPLY=()
  else
    mapfile -t COMPREPLY < <(compgen -W '--config --user --check-config --check-rules --version --help' -- "${COMP_WORDS[COMP_CWORD]}")
  fi
} && complete -F _etad etad
