/**
 * node scripts/test_results.js FILE: says how the tests ended whose results Vitest's JSON reporter wrote to FILE,
 * where those took longest, and which never ended. Vitest does not name the file whose process died.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const LONGEST = 12;

const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
  readFileSync(process.argv[2], "utf8"),
);
const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
  name: name.replace(root, ""),
  seconds: (endTime - startTime) / 1000,
  unended: assertionResults.filter(({ status }) => status === "pending"),
}));

console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
files.sort((a, b) => b.seconds - a.seconds);
for (const { name, seconds } of files.slice(0, LONGEST)) {
  console.log(`${seconds.toFixed(0).padStart(5)} s  ${name}`);
}
for (const { name, unended } of files) {
  if (unended.length > 0) {
    console.log(
      `never ended: ${unended.length} tests of ${name}, the first of them "${unended[0].fullName}"`,
    );
  }
}
