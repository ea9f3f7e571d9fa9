import { describe, it } from "vitest";

/** How tests are declared that need something which a machine may lack. */
export interface Needs {
  /** As Vitest's; where something is missing, the suite is one skipped test that says what. */
  readonly describe: (name: string, suite: () => void) => void;
  /** As Vitest's; where something is missing, the test is skipped. */
  readonly it: typeof it;
}

/** What was printed to be missing. */
const missing = new Set<string>();

/**
 * Declares tests that need something. A file whose tests all need it is never empty, since Vitest fails such a
 * file. What is missing is printed, too, so that nobody takes a skipped test for one that passed.
 *
 * @param available - Whether it is here: anything truthy.
 * @param what - What the tests need, after "needs": "NumPy".
 */
export function needs(available: unknown, what: string): Needs {
  if (available) return { describe, it };
  if (!missing.has(what)) process.stderr.write(`SKIPPED: tests that need ${what}\n`);
  missing.add(what);
  return {
    describe: (name) => describe.skip(name, () => it(`needs ${what}`, () => {})),
    it: it.skip as typeof it,
  };
}
