# Sourced by the shell scripts: -h and --help show what stands at a script's head, and do nothing else.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[-1]}"; }
case "${1:-}" in -h | --help) usage && exit ;; esac
