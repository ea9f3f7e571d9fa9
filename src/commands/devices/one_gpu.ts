import { spawnSync } from "node:child_process";
import type { Command } from "commander";
import { DeviceError } from "../../core/errors.js";
import { chooseGpu, type GpuSelector, gpuSelector, identityText } from "../../dawn/choose_adapter.js";
import { filesOfOthers, type HostGpu, hostGpus } from "../../dawn/host_gpus.js";
import { noticeLine } from "../terminal/terminal.js";
import { endAsSecondProcess } from "./second_process.js";

/** What a process does to use one GPU, and to see no other. */
export interface OneGpu {
  /** A selector that no other GPU has. */
  readonly device: string;
  /** The words that start a command so that the other GPUs are hidden; undefined if it may run as it is. */
  readonly before?: readonly string[] | undefined;
}

/** Finds the words that hide files from a command, or why there are none. */
export type FindHiding = (files: readonly string[]) => { before?: readonly string[]; problem?: string };

/** Tells the second process for which GPU it was started. A number means another GPU there. */
const STARTED_FOR = "GPUSORT_STARTED_FOR";

/**
 * Makes the command use the GPU that `--device` means, if that names one GPU by its identity: by its UUID, its
 * address or its number; or if it is "all". Dawn chooses by names, which equal GPUs share. So this starts the
 * command again, where it sees no other GPU, and ends with it.
 *
 * @throws DeviceError if there is no such GPU, or if it is one of equal ones and the others cannot be hidden.
 */
export async function useOneGpu(command: Command): Promise<void> {
  const { report, quiet } = command.opts();
  const startedFor = process.env[STARTED_FOR];
  const all = command.opts().device === "all" ? hostGpus() : undefined;
  if (all) {
    const { device, notice } = insteadOfAll(all);
    if (notice && !quiet && startedFor === undefined) process.stderr.write(noticeLine(notice));
    command.setOptionValueWithSource("device", device, "cli");
  }
  const selector = gpuSelector(command.opts().device);
  if (!selector || (command.name() === "devices" && !report)) return; // the list has all GPUs
  const one = findOneGpu((startedFor && gpuSelector(startedFor)) || selector, all ?? hostGpus());
  if (!one) return;
  if (!one.before) command.setOptionValueWithSource("device", one.device, "cli");
  else if (startedFor === undefined) await endAsSecondProcess(one.before, { [STARTED_FOR]: one.device });
  else
    throw new DeviceError(`other GPUs could not be hidden from this process, which is to use ${startedFor}`);
}

/**
 * The device that `--device all` takes, and why it is one: files take most of the time of a sort, and a second
 * GPU did not shorten it where that was measured (docs/notes/files.md).
 */
export function insteadOfAll(gpus: readonly HostGpu[]): { device: string; notice?: string } {
  const [first] = gpus;
  if (!first || gpus.length === 1) return { device: "gpu" };
  const device = identityText(first);
  const notice = [
    `one of the ${gpus.length} GPUs is as fast as all, as most of the time goes to files: ${device} sorts;`,
    "gpusort job gives tasks to all of them (docs/cluster.md)",
  ].join(" ");
  return { device, notice };
}

/**
 * Finds out how a command gets the GPU that a selector means.
 *
 * @returns undefined for a number beyond the GPUs: an adapter may have it.
 * @throws DeviceError as `useOneGpu` does.
 */
export function findOneGpu(
  selector: GpuSelector,
  gpus: readonly HostGpu[],
  findHiding: FindHiding = wordsThatHide,
): OneGpu | undefined {
  const gpu = chooseGpu(gpus, selector);
  if (!gpu) return undefined;
  const device = identityText(gpu);
  if (gpus.length === 1) return { device };
  const { before, problem } = findHiding(filesOfOthers(gpu, gpus));
  if (before) return { device, before };
  // A GPU with a name of its own can be chosen by that.
  const { model } = gpu;
  const equal = gpus.filter((other) => model === undefined || other.model?.includes(model) !== false);
  if (equal.length === 1) return { device };
  throw new DeviceError(
    `${device} is one of ${equal.length} equal GPUs, and gpusort may not hide the others here: ${problem}`,
    {
      hint: [
        "let root or a user namespace do it (docs/devices.md), or give the process that GPU alone, as by",
        `docker run ${optionOfDocker(gpu)} or by Slurm's --gpus-per-task=1`,
      ].join(" "),
      options: ["device"],
    },
  );
}

/** What gives a container one GPU: NVIDIA's by their runtime, others' by their device files. */
function optionOfDocker({ maker, uuid, files }: HostGpu): string {
  if (maker === "nvidia") return `--gpus '"device=${uuid ?? 0}"'`;
  return files.map((file) => `--device=${file}`).join(" ");
}

/** Tries out what may hide files: mounts as root, and within a namespace of the user. */
export function wordsThatHide(files: readonly string[]): { before?: readonly string[]; problem?: string } {
  if (process.versions.deno) return { problem: "Deno cannot be started again with the same permissions" };
  const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  let problem: string | undefined;
  for (const as of user.uid === 0 ? [undefined, user] : [user]) {
    const before = hiding(files, as);
    const [program = "", ...args] = [...before, "true"];
    const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8", timeout: 10_000 });
    if (status === 0) return { before };
    problem = error?.message ?? (stderr.trim().split("\n")[0] || `${program} failed`);
  }
  return { problem: problem! };
}

/**
 * Runs a command in mounts of its own, in which files are hidden: its first argument says how many of the next
 * ones are files, and the rest is the command. It replaces itself by the command.
 */
const HIDE = [
  'n=$1; shift; while [ "$n" -gt 0 ]; do',
  'mount -n --bind /dev/null "$1" || exit; shift; n=$((n - 1));',
  'done; exec "$@"',
].join(" ");

/** Who runs a command. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The words before a command that make it see none of some files, for it and all that it starts: each is
 * /dev/null to it. What they start replaces itself, so the command is the process that they were started as;
 * and it is killed when the process that started it ends. They need util-linux 2.36.
 *
 * @param files the paths of the files.
 * @param user the user, who makes a user namespace, to be allowed to mount, and another one within it, to have
 *   the same numbers again; undefined for root, who needs none.
 */
export function hiding(files: readonly string[], user?: User): string[] {
  const toMount = user ? ["--user", "--map-root-user"] : [];
  const asBefore = user
    ? ["unshare", "--user", `--map-user=${user.uid}`, `--map-group=${user.gid}`, "--"]
    : [];
  return [
    "unshare",
    ...toMount,
    "--mount",
    "--propagation",
    "slave",
    "--",
    "sh",
    "-c",
    HIDE,
    "hide",
    String(files.length),
    ...files,
    ...asBefore,
    "setpriv",
    "--pdeathsig",
    "KILL",
    "--",
  ];
}
