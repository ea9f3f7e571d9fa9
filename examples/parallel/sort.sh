#!/usr/bin/env bash
# Sorts files on one machine, or on those in a list, with nothing but xargs or GNU parallel:
#
#   ./sort.sh JOB OUTPUT INPUT... [OPTION OF gpusort job plan]...
#   ./sort.sh /scratch/job /scratch/sorted '/data/*.u64' --parts 8 -S 4G
#
#   WORKERS=4      tasks at a time (default: 2)
#   HOSTS=a,b,c    run the tasks there by ssh, with GNU parallel; the folders must have the same paths there
#
# Run it again if it was stopped: what is done is skipped.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }

job=$1 output=$2
shift 2
gpusort job plan "$@" --job "$job" --output "$output"
field() { gpusort job status "$job" --json | node -p "JSON.parse(require('fs').readFileSync(0)).$1"; }

# each NAME COUNT: runs the tasks 0 to COUNT - 1, and those that failed once more.
each() {
  local again
  for again in no yes; do
    if [ -n "${HOSTS:-}" ]; then
      seq 0 $(($2 - 1)) | parallel --sshlogin "$HOSTS" -j "${WORKERS:-2}" gpusort job "$1" "$job" && return
    else
      seq 0 $(($2 - 1)) | xargs -P "${WORKERS:-2}" -n 1 gpusort job "$1" "$job" && return
    fi
    [ $again = yes ] || echo "some tasks failed: once more" >&2
  done
  return 1
}

each sort "$(field runs)"
gpusort job cut "$job"
each merge "$(field parts)"
gpusort job finish "$job"
