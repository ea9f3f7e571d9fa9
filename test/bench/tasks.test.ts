import { describe, expect, it } from "vitest";
import type { Contender } from "../../src/bench/contender.js";
import { arrayContender, typedArrayContender } from "../../src/bench/javascript_contenders.js";
import type { Input } from "../../src/bench/run.js";
import {
  cpuTaskContender,
  gpuTaskContender,
  roundTripTaskContender,
  transfersOfTask,
} from "../../src/bench/sorter_contenders.js";
import { parseTask, taskForms } from "../../src/bench/tasks.js";
import { elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { CpuEngine } from "../../src/core/engines/cpu.js";
import { InputError } from "../../src/core/errors.js";
import { Sorter } from "../../src/core/sorter/sorter.js";
import { distributions, sortedCopy, valuesOf } from "../support/keys.js";

const u32 = elementType("u32");
const names = ["top:1", "top:70", "segments:1", "segments:64", "segments:1000", "unique"];

type Key = number | bigint;
interface Wanted {
  readonly keys: readonly Key[];
  readonly counts?: readonly number[];
}

/** What a task gives, found in another way than the benchmark finds it. */
function wanted(name: string, keys: KeyArray): Wanted {
  const [kind, number] = name.split(":");
  const sorted = valuesOf(sortedCopy(keys, false));
  if (kind === "top") return { keys: sorted.filter((_, i) => i < Number(number)) };
  if (kind === "unique") {
    // A Map takes -0 for 0.
    const nameOf = (key: Key) => (Object.is(key, -0) ? "-0" : String(key));
    const counts = new Map<string, number>();
    for (const key of sorted) counts.set(nameOf(key), (counts.get(nameOf(key)) ?? 0) + 1);
    const seen = new Set<string>();
    const distinct = sorted.filter((key) => !seen.has(nameOf(key)) && seen.add(nameOf(key)));
    return { keys: distinct, counts: [...counts.values()] };
  }
  // A key is before another one if its segment is, or if it is in the same one and earlier in the order of all.
  const segments: Key[][] = [];
  const left = new Map<Key, number[]>();
  const unsorted = valuesOf(keys);
  for (const [place, key] of unsorted.entries()) {
    const places = left.get(key);
    if (places) places.push(place);
    else left.set(key, [place]);
  }
  for (const key of sorted) {
    // -0 is before 0, and a Map takes them for the same: so the place of the very one is looked for.
    const places = left.get(key)!;
    const at = places.findIndex((place) => Object.is(unsorted[place], key));
    const segment = Math.floor(places.splice(at, 1)[0]! / Number(number));
    segments[segment] ??= [];
    segments[segment].push(key);
  }
  return { keys: segments.flat() };
}

const cpu = () => {
  const engine = new CpuEngine();
  return { engine, sorter: new Sorter({ engine }) };
};

function sorterInput(name: string, type = u32, payloadBytes = 0) {
  const task = parseTask(name);
  return { task, type, payloadBytes, gpusort: task.gpusort! };
}

const contenders: readonly (readonly [string, (input: Input) => Contender])[] = [
  ["Array.prototype.sort", ({ type, task }) => arrayContender(type, 0, task)],
  ["TypedArray.prototype.sort", ({ task }) => typedArrayContender(0, task)],
  ["gpusort on the CPU", ({ type, task }) => cpuTaskContender(cpu(), sorterInput(task.name, type))],
];

describe.each(contenders)("%s as a contender", (_, make) => {
  it.each(names)("does %s in every run and does not modify its input", async (name) => {
    for (const [t, type] of elementTypes.entries()) {
      for (const [d, distribution] of Object.values(distributions).entries()) {
        // Each type takes each distribution, and half of the sizes of each.
        for (const size of (t + d) % 2 === 0 ? [1, 300] : [2, 65]) {
          const keys = distribution(type, size);
          const before = new Uint8Array(keys.slice().buffer);
          const trial = await make({ task: parseTask(name), type, payloadBytes: 0 }).start(keys);
          for (let run = 0; run < 2; run++) {
            await trial.run();
            const { keys: found, counts } = await trial.result();
            const expected = wanted(name, trial.input!());
            expect({ keys: valuesOf(found), counts: counts && [...counts] }).toEqual({
              counts: undefined,
              ...expected,
            });
            expect(new Uint8Array(keys.slice().buffer)).toEqual(before);
          }
          trial.end();
        }
      }
    }
  });

  it("says in which order the last run got the keys", async () => {
    const keys = distributions.uniform!(u32, 50);
    const trial = await make({ task: parseTask("segments:7"), type: u32, payloadBytes: 0 }).start(keys);
    const orders: string[] = [];
    for (let run = 0; run < 3; run++) {
      await trial.run();
      const input = trial.input!();
      orders.push(input.join(" "));
      expect(sortedCopy(input, false)).toEqual(sortedCopy(keys, false));
    }
    expect(new Set(orders).size).toBe(3);
    trial.end();
  });
});

describe("a task with values", () => {
  it.each(["top:70", "top:1000", "segments:64"])(
    "moves them with their keys on the CPU: %s",
    async (name) => {
      for (const bytes of [4, 12]) {
        const keys = distributions["few values"]!(u32, 200);
        const trial = await cpuTaskContender(cpu(), sorterInput(name, u32, bytes)).start(keys);
        for (let run = 0; run < 2; run++) await trial.run();
        const [{ keys: found }, indices] = [await trial.result(), await trial.indices!()];
        expect([...found]).toEqual(wanted(name, trial.input!()).keys);
        expect(new Set(indices).size).toBe(found.length);
        expect([...indices].map((index) => keys[index])).toEqual([...found]);
      }
    },
  );
});

describe("a task of the sorter", () => {
  it.each(["segments:1", "segments:64", "segments:5000"])("has segments up to the last key: %s", (name) => {
    const { onDevice, offsets } = parseTask(name).gpusort!;
    for (const keyCount of [1, 64, 65, 4999, 5000]) {
      const all = offsets!(keyCount);
      expect(onDevice(keyCount).segments).toEqual({ capacity: all.length - 1 });
      expect([all[0], all.at(-1)]).toEqual([0, keyCount]);
      const lengths = [...all.subarray(1)].map((end, s) => end - all[s]!);
      expect(lengths.every((length) => length > 0 && length <= Number(name.split(":")[1]))).toBe(true);
    }
  });

  it("is refused where it cannot be done, and the cell says why", () => {
    const top = sorterInput("top:5");
    const unique = sorterInput("unique", u32, 4);
    for (const make of [gpuTaskContender, roundTripTaskContender]) {
      expect(make(undefined, top, "auto").refuses(1)).toBe("no adapter");
      const on = { ...cpu(), gpu: undefined as never };
      expect(make(on, top, "radix").refuses(1)).toBe("auto only");
      expect(make(on, unique, "auto").refuses(1)).toBe("keys only");
      expect(make(on, top, "auto").refuses(1)).toBe("too many"); // a sorter on the CPU plans nothing
    }
    expect(transfersOfTask(undefined, top, "auto").refuses(1)).toBe("sort only");
    expect(cpuTaskContender(cpu(), unique).refuses(1)).toBe("keys only");
    expect(cpuTaskContender(cpu(), top).refuses(1)).toBeUndefined();
    expect(cpuTaskContender(cpu(), top).refuses(2 ** 40)).toBe("too many");
  });

  it("writes at least the keys of its result", () => {
    const least = (name: string) => [10, 1000].map((keyCount) => parseTask(name).leastWritten(keyCount));
    expect(least("sort")).toEqual([10, 1000]);
    expect(least("segments:64")).toEqual([10, 1000]);
    expect(least("top:70")).toEqual([10, 70]);
    expect(least("unique")).toEqual([1, 1]);
  });
});

describe("the name of a task", () => {
  it("is read, with the number that a caller reads", () => {
    for (const name of ["sort", ...names]) expect(parseTask(name).name).toBe(name);
    expect(parseTask("top:2^10", () => 1024).name).toBe("top:1024");
  });

  it.each([
    ["", "unknown task ''"],
    ["sorted", "unknown task 'sorted'"],
    ["toString", "unknown task 'toString'"],
    ["top", "the task top lacks its number of keys"],
    ["sort:5", "the task sort takes no number, but 'sort:5' has one"],
  ])("is refused: '%s'", (text, message) => {
    expect(() => parseTask(text)).toThrow(InputError);
    expect(() => parseTask(text)).toThrow(message);
  });

  it("is suggested in the form in which it is written", () => {
    const hint = `did you mean segments:N? use one of ${taskForms.join(", ")}`;
    expect(() => parseTask("segment:64")).toThrow(expect.objectContaining({ hint }));
  });
});
