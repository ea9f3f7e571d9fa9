import { describeItem } from "../core/items/item.js";
import { printable } from "../core/printable.js";
import { shellWord, taskRanges } from "../jobs/command_words.js";
import type { JobFolder } from "../jobs/folder.js";
import type { JobNeeds } from "../jobs/needs.js";
import type { JobStatus } from "../jobs/status.js";
import type { JobSuccess } from "../jobs/success.js";
import type { TaskResult } from "../jobs/task.js";
import { formatBytes, formatCount, formatDuration, formatNumberOf } from "./units.js";

/** The numbers that the tasks of a kind take, one each, as a person would write them. */
const taskNumbers = (tasks: number) => (tasks === 1 ? "0" : `0   … ${tasks - 1}`);

/** What a plan divides the work into, and what its tasks need. */
export function planText({ path, plan, item, runs }: JobFolder, needs: JobNeeds, wasDone: boolean): string {
  const bytes = plan.inputs.reduce((sum, input) => sum + input.bytes, 0);
  const order = plan.descending ? "descending" : "ascending";
  const folder = printable(path);
  const word = printable(shellWord(path));
  const temporary =
    needs.taskTemporaryBytes === 0
      ? "none, besides what it writes"
      : `up to ${formatBytes(needs.taskTemporaryBytes)}, besides what it writes`;
  return [
    `${wasDone ? "planned already" : "planned"}: ${folder}`,
    `  inputs     ${formatNumberOf(plan.inputs.length, "file")} of ${describeItem(item)}, ${formatBytes(bytes)}, ${order}`,
    `  runs       ${formatCount(runs)}, of at most ${formatBytes(needs.runBytes)}`,
    `  parts      ${formatCount(plan.parts)}, in ${printable(plan.output)}`,
    `  memory     ${formatBytes(needs.taskMemoryBytes)} for each task, ${formatBytes(needs.cutMemoryBytes)} to cut, and up to 512 MiB more`,
    `  disk       ${formatBytes(needs.jobBytes)} for the runs, in ${folder}; as much again for the parts`,
    `  temporary  ${temporary}, for each task`,
    "next, the first and the third on any workers, in any order:",
    `  gpusort job sort ${word} ${taskNumbers(runs)}`,
    `  gpusort job cut ${word}`,
    `  gpusort job merge ${word} ${taskNumbers(plan.parts)}`,
    `  gpusort job finish ${word}`,
    "",
  ].join("\n");
}

/** What became of a task. @param of how many tasks of its kind there are. */
export function taskText({ receipt, wasDone }: TaskResult, of: number): string {
  const { task, index, written, bytes, device, seconds } = receipt;
  const name = `${task === "sort" ? "run" : "part"} ${index} of ${of}`;
  const what = `${formatNumberOf(written, "item")} (${formatBytes(bytes)})`;
  if (wasDone) return `${name}: ${what}, done before\n`;
  return `${name}: ${what}, ${task === "sort" ? "sorted" : "merged"} on ${printable(device)}, ${formatDuration(seconds)}\n`;
}

export function cutText({ path, runs, parts }: JobFolder, wasDone: boolean): string {
  const done = wasDone ? "cut before" : "cut";
  return `${done}: ${formatNumberOf(runs, "run")} into ${formatNumberOf(parts, "part")}, in ${printable(path)}\n`;
}

export function finishText(
  { plan }: JobFolder,
  { items, duplicates, checksum, parts, order }: JobSuccess,
): string {
  return [
    `finished: ${printable(plan.output)}: ${formatNumberOf(items, "item")} in ${formatNumberOf(parts.length, "part")}, ${order}`,
    `  duplicates  ${formatCount(duplicates)}`,
    `  checksum    ${checksum}`,
    "",
  ].join("\n");
}

/** More ranges than these say nothing at a glance. --json has all numbers. */
const MOST_RANGES = 12;

/** How far a job has come. */
export function statusText(status: JobStatus): string {
  const { runs, parts, sorted, sorting, cut, merged, merging, finished } = status;
  const stage = (done: readonly number[], running: readonly number[], all: number) => {
    const known = new Set([...done, ...running]);
    const missing = Array.from({ length: all }, (_, i) => i).filter((i) => !known.has(i));
    return [
      `${done.length} of ${all}`,
      ...(running.length === 0 ? [] : [`running: ${taskRanges(running, MOST_RANGES)}`]),
      ...(missing.length === 0 ? [] : [`missing: ${taskRanges(missing, MOST_RANGES)}`]),
    ].join("; ");
  };
  return [
    `sorted    ${stage(sorted, sorting, runs)}`,
    `cut       ${cut ? "yes" : "no"}`,
    `merged    ${stage(merged, merging, parts)}`,
    `finished  ${finished ? "yes" : "no"}`,
    "",
  ].join("\n");
}
