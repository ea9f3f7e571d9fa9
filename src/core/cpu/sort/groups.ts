import type { FindingsLog } from "../findings.js";
import type { KernelCall, KernelName } from "../kernels.js";
import type { PartTaker, PlannedWork, Steps } from "./work.js";

/** Adjacent parts of a range. */
export interface Group {
  /** The position of the first element. */
  readonly from: number;
  count: number;
  readonly first: number;
  last: number;
}

/**
 * Forms groups of adjacent parts that make calls of about the same length.
 *
 * @param counts the elements of each part.
 * @param most the most elements of a part. The parts that have more are returned as `large`.
 * @param calls about how many calls.
 */
export function grouped(
  { from: begin, count: all }: { readonly from: number; readonly count: number },
  counts: ArrayLike<number>,
  most: number,
  calls: number,
): { groups: Group[]; large: Group[] } {
  const share = Math.ceil(all / calls);
  const [groups, large]: [Group[], Group[]] = [[], []];
  let from = begin;
  for (let part = 0; part < counts.length; part++) {
    const count = counts[part]!;
    const group = groups.at(-1);
    if (count > most) large.push({ from, count, first: part, last: part });
    else if (group && group.from + group.count === from && group.count + count <= share) {
      group.count += count;
      group.last = part;
    } else if (count > 0) groups.push({ from, count, first: part, last: part });
    from += count;
  }
  return { groups, large };
}

/** The calls that sort groups. */
export interface GroupCalls {
  readonly kernel: KernelName;
  /** @param row the address of the row in which the call leaves its findings. */
  of(group: Group, row: number): KernelCall;
}

/** The first keys, as far as all groups are sorted. */
interface Front {
  count: number;
  isInOrder: boolean;
}

const newFront = (): Front => ({ count: 0, isInOrder: true });

interface GroupOptions {
  /** Is told of the groups before the first gap. */
  readonly parts?: PartTaker | undefined;
  /** What groups before these have left. */
  readonly front?: Front;
  /** What the calls must wait for. */
  readonly after?: Promise<void>;
}

/** Sorts groups, each with a call. */
export function* sortGroups(
  groups: readonly Group[],
  log: FindingsLog,
  { kernel, of }: GroupCalls,
  { parts, front = newFront(), after }: GroupOptions = {},
): Steps<void> {
  for (let done = 0; done < groups.length; done += log.room) {
    const some = groups.slice(done, done + log.room);
    const rows = log.rows(some.length);
    let kept = 0;
    const keep = (calls: number) => {
      const ended = some.slice(kept, calls);
      const froms = ended.map(({ from }) => from);
      if (log.keep(froms, kept) !== ended.reduce((sum, { count }) => sum + count, 0)) front.isInOrder = false;
      kept = Math.max(kept, calls);
      for (const { from, count } of ended) if (from === front.count) front.count += count;
      if (front.isInOrder) parts?.sorted(front.count);
    };
    yield {
      phase: "sort",
      kernel,
      calls: some.map((group, i) => of(group, rows[i]!)),
      ended: parts && keep,
      after,
    };
    keep(some.length);
  }
}

/** Rounds of groups that are sorted one after the other. */
export interface Rounds {
  /** The groups of each round. */
  readonly groups: readonly (readonly Group[])[];
  /** The most elements of a round. */
  readonly most: number;
}

/** Divides groups into rounds of at most `most` elements. */
export function roundsOf(groups: readonly Group[], most: number): Rounds {
  const rounds: Group[][] = [];
  let left = 0;
  for (const group of groups) {
    if (group.count > left) {
      rounds.push([]);
      left = most;
    }
    rounds.at(-1)!.push(group);
    left -= group.count;
  }
  return { groups: rounds, most };
}

/**
 * Sorts groups in rounds, each into the place of the one before the last, once that is taken. So the result
 * touches little memory, and is in the cache when it is written.
 *
 * @param callsFor the calls for groups that move up by a number of positions.
 */
export function* sortRounds(
  { form, at }: PlannedWork,
  parts: PartTaker,
  rounds: Rounds,
  log: FindingsLog,
  callsFor: (up: number) => GroupCalls,
): Steps<void> {
  const front = newFront();
  for (const [i, round] of rounds.groups.entries()) {
    const { from } = round[0]!;
    const after = parts.taken(rounds.groups[i - 1]?.[0]?.from ?? 0);
    const place = (i % 2) * rounds.most;
    parts.place(from, at.keys + place * form.keyBytes);
    yield* sortGroups(round, log, callsFor(from - place), { parts, front, after });
  }
}
