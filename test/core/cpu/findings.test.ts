import { describe, expect, it } from "vitest";
import { FINDINGS_BYTES, FindingsLog } from "../../../src/core/cpu/findings.js";

/** What calls found in single elements, each a word, an index, and 32 bits that belong to its maker. */
function inversionsOf(elements: readonly (readonly [word: bigint, index: bigint, own: bigint])[]): number {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const ordering = { bytes: 16, bits: { begin: 0, end: 64 }, pairs: true };
  const log = new FindingsLog({ memory, at: { findings: 0, findingsRows: 8 }, ordering });
  const rows = log.rows(elements.length);
  for (const [i, [word, index, own]] of elements.entries()) {
    const second = (own << 32n) | index;
    const found = [1n, 0n, 0n, 0n, word, second, word, second];
    new BigUint64Array(memory.buffer, rows[i]!, FINDINGS_BYTES / 8).set(found);
  }
  log.keep(elements.map((_, i) => i));
  return log.combined().inversions;
}

describe("neighbours that two calls have inspected", () => {
  it("are compared by their words, and by their indices where these are equal, and by nothing else", () => {
    const flag = 1n << 31n;
    expect(
      inversionsOf([
        [7n, 1n, flag],
        [7n, 2n, 0n],
      ]),
    ).toBe(0);
    expect(
      inversionsOf([
        [7n, 2n, 0n],
        [7n, 1n, flag],
      ]),
    ).toBe(1);
    expect(
      inversionsOf([
        [8n, 1n, 0n],
        [7n, 2n, flag],
      ]),
    ).toBe(1);
    expect(
      inversionsOf([
        [7n, 2n, flag],
        [8n, 1n, 0n],
      ]),
    ).toBe(0);
  });
});
