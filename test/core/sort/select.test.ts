import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { type ElementType, elementType, elementTypes, type KeyArray } from "../../../src/core/elements.js";
import { type DeviceTraits, defaultTraits } from "../../../src/core/plan/traits.js";
import { compactUpTo } from "../../../src/core/sort/compact.js";
import { inspectPlan, readTotals } from "../../../src/core/sort/inspect.js";
import {
  boundOf,
  isSelected,
  nextSelection,
  noneSelected,
  selectPlan,
  selects,
} from "../../../src/core/sort/select.js";
import { runOnCpu } from "../../../src/cpu_kernels/run.js";
import { bindable, FEW_BYTES } from "../../support/compact_case.js";
import { distributions, expectSame, wordsOfKeys } from "../../support/keys.js";
import { distinctKeys, expectedKeys } from "../../support/wanted.js";

const CANDIDATES = 64;
vi.mock("../../../src/core/sort/select_tuning.js", () => ({
  LEAST_KEYS: 100,
  LEAST_RATIO: 16,
  MOST_CANDIDATES: 64,
}));

const wideTypes = elementTypes.filter(({ bytes }) => bytes >= 4);

/** Selects with the CPU kernels. @returns the keys up to the bound; undefined if they are too many. */
function select(keys: KeyArray, type: ElementType, descending: boolean, head: number, traits: DeviceTraits) {
  const words = wordsOfKeys(keys);
  let selection = noneSelected(keys.length, type);
  while (isSelected(selection) === false) {
    const plan = selectPlan(keys.length, type, { descending }, traits, selection);
    selection = nextSelection(selection, runOnCpu(plan, { keys: words }).totals!, head);
  }
  if (!isSelected(selection)) return undefined;
  const bound = boundOf(selection);
  const { count, move } = compactUpTo(keys.length, type, { descending }, traits, bound);
  const counted = runOnCpu(count, { keys: words });
  const kept = counted.total![0]!;
  expect(kept).toBe(selection.before + selection.equal);
  const totals = runOnCpu(inspectPlan(keys.length, type, { descending, upTo: bound }, traits), {
    keys: words,
  });
  expect(readTotals(totals.totals!).seen).toBe(kept);
  const moved = runOnCpu(move(kept), { keys: words, counts: counted.counts! }).output!;
  return new type.array(moved.slice().buffer, 0, kept) as KeyArray;
}

describe("a radix select", () => {
  it.each(wideTypes)("finds a few keys, the first ones among them: $name", (type) => {
    for (const [name, make] of Object.entries({ ...distributions, distinct: distinctKeys })) {
      for (const descending of [false, true]) {
        const keys = make(type, 12_000);
        const first = expectedKeys(keys, type, { descending, head: 32 });
        for (const traits of [defaultTraits, bindable(defaultTraits, FEW_BYTES)]) {
          for (const head of [1, 31, 32]) {
            const found = select(keys, type, descending, head, traits);
            const where = `${type.name} ${name} ${descending} ${head}`;
            if (!found) {
              expect(where).toMatch(/constant|few values|all ones|specials/);
              continue;
            }
            expect(found.length).toBeLessThanOrEqual(CANDIDATES);
            const job = { descending, head };
            expectSame(expectedKeys(found, type, job), first.subarray(0, head * type.bytes), where);
          }
        }
      }
    }
  });

  it("goes on where some digits are the same for all keys, and gives up where too many keys are equal", () => {
    const u64 = elementType("u64");
    const keys = new BigUint64Array(500).map((_, i) => (7n << 40n) | BigInt(i % 250));
    expect(select(keys, u64, false, 10, defaultTraits)).toHaveLength(10); // 5 keys, twice each
    const wide = keys.map((key, i) => key + (BigInt(i) << 8n));
    expect(select(wide, u64, false, 10, defaultTraits)).toHaveLength(10);
    expect(select(keys.fill(5n), u64, true, 1, defaultTraits)).toBeUndefined();
  });

  it("is only for many keys of 32 or 64 bits, of which few are wanted", () => {
    const u32 = elementType("u32");
    expect(selects(512, u32, 32)).toBe(true);
    for (const [keys, type, head] of [
      [512, "u16", 1],
      [512, "u8", 1],
      [99, "u32", 1],
      [512, "u32", 33],
      [511, "u32", 32],
      [512, "u32", 0],
    ] as const) {
      expect(selects(keys, elementType(type), head)).toBe(false);
    }
  });

  it("knows the digit that holds the last of the sought keys", () => {
    fc.assert(
      fc.property(fc.uint32Array({ minLength: 65, maxLength: 300 }), fc.nat(31), (words, more) => {
        const head = more + 1;
        const u32 = elementType("u32");
        const plan = selectPlan(words.length, u32, { descending: false }, defaultTraits, {
          shift: 32,
          prefix: [0, 0],
        });
        const { totals } = runOnCpu(plan, { keys: words });
        const { prefix, shift, before, equal } = nextSelection(
          noneSelected(words.length, u32),
          totals!,
          head,
        );
        const last = words.slice().sort()[head - 1]!;
        expect(shift).toBe(24);
        expect(prefix[0] >>> 24).toBe(last >>> 24);
        expect(before).toBe(words.filter((word) => word >>> 24 < last >>> 24).length);
        expect(equal).toBe(words.filter((word) => word >>> 24 === last >>> 24).length);
      }),
    );
  });
});
