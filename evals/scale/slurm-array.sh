#!/usr/bin/env bash
# One shard a task of a Slurm array; afterwards join them with `merge`. From the repository:
#
#   mkdir -p tmp && SKILL_EVAL_ADAPTER=offline sbatch --array=1-8 evals/scale/slurm-array.sh
#   python3 -m evals.skill_eval merge nightly-{1..8}-of-8 --run-id nightly
#
# SKILL_EVAL_ADAPTER   adapter (required)          SKILL_EVAL_RUN       name of the run (default nightly)
# SKILL_EVAL_OPTIONS   further options of `run`    SKILL_EVAL_PYTHON    interpreter (default python3)
#SBATCH --job-name=skill-eval
#SBATCH --output=tmp/skill-eval-%A_%a.log
#SBATCH --time=02:00:00
set -euo pipefail

part=${SLURM_ARRAY_TASK_ID:?this is a job of an array: submit it with sbatch --array=1-N}
parts=${SLURM_ARRAY_TASK_COUNT:?this is a job of an array: submit it with sbatch --array=1-N}
if [ "${SLURM_ARRAY_TASK_MIN:-1}" != 1 ]; then
  echo "the tasks have to be numbered from 1: submit it with sbatch --array=1-N" >&2
  exit 2
fi
run=${SKILL_EVAL_RUN:-nightly}-$part-of-$parts
read -r -a options <<<"${SKILL_EVAL_OPTIONS:-}"
cd "${SLURM_SUBMIT_DIR:-.}"

# A task that Slurm has requeued goes on where it was.
if [ -f "tmp/skills-eval/$run/run.json" ]; then
  exec "${SKILL_EVAL_PYTHON:-python3}" -m evals.skill_eval run --resume "$run" "${options[@]}"
fi
exec "${SKILL_EVAL_PYTHON:-python3}" -m evals.skill_eval run --adapter "${SKILL_EVAL_ADAPTER:?}" \
  --shard "$part/$parts" --run-id "$run" "${options[@]}"
