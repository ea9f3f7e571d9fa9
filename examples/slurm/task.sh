#!/usr/bin/env bash
# A task of submit.sh: task.sh sort|merge JOB COUNT TASKS, or task.sh cut|finish JOB
#
# An exit code of 3 (device) or 4 (disk, network file system) is worth another try, and so is a crash of a driver, or
# an end for want of memory: Slurm puts the task into its queue again, at most three times. Any other error ends
# the chain.
set -uo pipefail
name=$1 job=$2
numbers=()
if [ $# -eq 4 ]; then
  # This task's range of the runs or parts.
  first=$((SLURM_ARRAY_TASK_ID * $3 / $4))
  last=$(((SLURM_ARRAY_TASK_ID + 1) * $3 / $4 - 1))
  numbers=("$first-$last")
fi
# Where Slurm hides no GPUs (ConstrainDevices in slurm.conf), it says by a number which one is this task's.
[ "${GPUSORT_DEVICE:-}" != gpu ] || { first=${CUDA_VISIBLE_DEVICES:-gpu}; export GPUSORT_DEVICE="${first%%,*}"; }
gpusort job "$name" "$job" "${numbers[@]}"
code=$?
case $code in
  3 | 4 | 134 | 135 | 137 | 139) # the last are SIGABRT, SIGBUS, SIGKILL and SIGSEGV
    if [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
      # The last task of an array has the number of the whole array as its own, which would run all of it again.
      scontrol requeue "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}"
      sleep 60 # Slurm ends this process
    fi
    ;;
esac
exit $code
