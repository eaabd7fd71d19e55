# bash completion for etactl(1)

# The daemon's names of one kind (network, device, …), as GET /v1/networks has them; nothing where none answers. A fleet
# is not asked: it may fit its models before it answers.
_etactl_known() { # _etactl_known KEY LIST [OPTION…]
  local key=$1 list=$2
  shift 2
  [[ ${1:-} != --fleet ]] || return
  etactl "$@" --json "$list" 2>/dev/null | grep -Eo "\"$key\": *\"?[^\",}]+" | sed -E 's/^"[^"]+": *"?//' | sort -u
}

_etactl_options() { # the options of a command
  case $1 in
    runs) echo --all --watch --state --network --framework --since --limit ;;
    estimate | what-if)
      echo --like --phase --batch-size --tokens --iterations --epochs --samples-per-epoch --architecture --framework --host --device --devices \
        --test-interval --test-iterations --test-batch-size --snapshot-interval --set --confidence
      if [[ $1 == estimate ]]; then echo --net --at --hms --quantity; else echo --vary --values; fi
      ;;
    estimators) echo --quantity ;;
    next) echo --budget --batch-size --devices --phase --architecture --framework --host --device --limit ;;
    models) echo --network --limit ;;
    accuracy) echo --network ;;
    networks | sources) echo --limit ;;
    series) echo --from --to --step --label ;;
    import) echo --recursive --format --host --label ;;
    reread) echo --format --host --label ;;
    forget) echo --source --owner ;;
    page) echo --port --no-open --export ;;
    check-rules) echo --try ;;
    '') echo --socket --fleet --json --version ;;
  esac
  echo --help
}

_etactl() {
  local commands='status runs estimate what-if next estimators models networks accuracy sources series page import reread forget backup check-rules label refit reload'
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' socket=() words='' names='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --socket | --fleet) socket=("${COMP_WORDS[i]}" "${COMP_WORDS[++i]}") ;;
      -*) ;;
      *) [[ " $commands " == *" ${COMP_WORDS[i]} "* ]] && command=${COMP_WORDS[i]} && break ;;
    esac
  done

  case $previous in
    --socket) compopt -o default 2>/dev/null; return ;;
    --fleet) return ;;
    --quantity) words='time energy memory' ;;
    --phase) words='train test total' ;;
    --vary) words='batch-size devices device split' ;;
    --state) words='running finished stopped failed lost' ;;
    --network) names=$(_etactl_known network networks "${socket[@]}") ;;
    --device | --framework | --host) names=$(_etactl_known "${previous#--}" runs "${socket[@]}") ;;
    --architecture) names=$(_etactl_known architecture networks "${socket[@]}") ;;
    --set) words='type= precision= iter_size= workers= sequence_length='; compopt -o nospace 2>/dev/null ;;
    --label) words='batch_size= device= devices= gpus= network= host= job= user='; compopt -o nospace 2>/dev/null ;;
    --owner) compopt -o default 2>/dev/null; COMPREPLY=($(compgen -u -- "$current")); return ;;
    --source) names=$(_etactl_known path sources "${socket[@]}") ;;
    --format) names=$(_etactl_known format sources "${socket[@]}") ;;
    --batch-size | --tokens | --iterations | --devices | --test-* | --like | --epochs | --samples-per-epoch | --at | --values | --port | --snapshot-interval | --confidence) return ;;
    --export | --net | --try) compopt -o default 2>/dev/null; return ;;
    --since | --limit | --from | --to | --step) return ;;
    *)
      case $command:$current in
        *:-*) words=$(_etactl_options "$command") ;;
        :*) words=$commands ;;
        estimate:* | what-if:* | next:*) names=$(_etactl_known network networks "${socket[@]}") ;;
        models:*) names=$(_etactl_known id models "${socket[@]}") ;;
        series:*) names=$(_etactl_known name series "${socket[@]}") ;;
        runs:*) [[ $previous != runs ]] || names=$(_etactl_known id runs "${socket[@]}") ;;
        reread:*) names=$(_etactl_known path sources "${socket[@]}") ;;
        forget:*) names=$(_etactl_known id runs "${socket[@]}") ;;
        label:*)
          if [[ $previous == label ]]; then
            names=$(_etactl_known id runs "${socket[@]}")
          else
            words='batch_size= device= devices= gpus= network= host= job= user='
            compopt -o nospace 2>/dev/null
          fi
          ;;
        import:* | backup:* | check-rules:*) compopt -o default 2>/dev/null; return ;;
      esac
      ;;
  esac
  # A line each: names may hold blanks ("Tesla K80"), which are then quoted for the command line.
  local all=${names:-${words// /$'\n'}} IFS=$'\n' word
  # What others called their networks is quoted whatever it looks like: it would be run. Only our own words are not.
  # shellcheck disable=SC2016  # compgen itself expands it
  while read -r word; do # not `for`: a name that is a pattern would become the files that fit it
    [[ -z $names ]] || word=$(printf '%q' "$word")
    COMPREPLY+=("$word")
  done < <(compgen -W '$all' -- "$current")
} && complete -F _etactl etactl
