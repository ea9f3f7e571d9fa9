/**
 * node scripts/test.js [--full] [arguments of vitest run]: runs the tests.
 *
 * Without --full, each adapter runs what shows that a build works on it, and long trials run in their short
 * form. With it, as in CI, all tests run (GPUSORT_TESTS=full). What is printed has colours on a terminal alone,
 * or with --color: FORCE_COLOR does not count, as other programs set it for all that they start. The results
 * are written to the file that GPUSORT_TEST_RESULTS names, as JSON.
 */
const options = process.argv.slice(2);
const isFull = options[0] === "--full";
if (isFull) process.env.GPUSORT_TESTS = "full";
if (!process.stdout.isTTY && !options.includes("--color")) {
  delete process.env.FORCE_COLOR;
  process.env.NO_COLOR = "1";
}

const results = process.env.GPUSORT_TEST_RESULTS;
const reporters = results
  ? ["--reporter=./test/support/failures_reporter.ts", "--reporter=json", `--outputFile.json=${results}`]
  : [];
process.argv.splice(2, options.length, "run", ...reporters, ...options.slice(isFull ? 1 : 0));
// @ts-expect-error: it has no declarations, and is run, not used.
await import("../node_modules/vitest/vitest.mjs");
