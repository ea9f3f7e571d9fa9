#!/usr/bin/env bash
# Sorts files on a Slurm cluster, as job arrays that follow each other:
#
#   ./submit.sh JOB OUTPUT INPUT... [OPTION OF gpusort job plan]...
#   ./submit.sh /scratch/job /scratch/sorted '/data/*.u64' --parts 64 -S 16G
#
# JOB and OUTPUT are folders on a file system that all nodes share. A task that was stopped, or whose node was
# lost, runs again and returns at once if its work was done. Prints the numbers of Slurm's jobs.
#
#   GPUS=0         CPUs alone (default: 1 GPU for each task)
#   GPUSORT_DEVICE=gpu
#                  the GPU that Slurm gives to the task (default: auto, the CPU or a GPU)
#   TASKS=500      at most so many tasks in an array (default: 1000; see MaxArraySize in slurm.conf)
#   SBATCH_...     any other option of sbatch, such as SBATCH_PARTITION
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }

here=$(cd "$(dirname "$0")" && pwd)
job=$1 output=$2
shift 2
gpusort job plan "$@" --job "$job" --output "$output"
mkdir -p "$job/logs"
field() { gpusort job status "$job" --json | node -p "JSON.parse(require('fs').readFileSync(0)).$1"; }

gpus=()
[ "${GPUS:-1}" = 0 ] || gpus=(--gpus-per-task="${GPUS:-1}")

# submit NAME COUNT AFTER COMMAND: an array for COUNT runs or parts; no array if COUNT is empty.
submit() {
  local name=$1 count=$2 after=$3 tasks options=(--output="$job/logs/%x-%j.log")
  if [ -n "$count" ]; then
    tasks=$((count < ${TASKS:-1000} ? count : ${TASKS:-1000}))
    options=(--output="$job/logs/%x-%A-%a.log" --array="0-$((tasks - 1))" "${gpus[@]}")
  fi
  [ -z "$after" ] || options+=(--dependency="afterok:$after" --kill-on-invalid-dep=yes)
  sbatch --parsable --requeue --ntasks=1 --job-name="gpusort-$name" --open-mode=append "${options[@]}" \
    "$here/task.sh" "$name" "$job" ${count:+"$count" "$tasks"}
}

sort=$(submit sort "$(field runs)" "")
cut=$(submit cut "" "$sort")
merge=$(submit merge "$(field parts)" "$cut")
finish=$(submit finish "" "$merge")
echo "$sort $cut $merge $finish"
