/**
 * node scripts/test_results.js FILE: says how the tests ended whose results Vitest's JSON reporter wrote to
 * FILE, where those took longest, and which never ended, because Vitest does not name the file whose process
 * died. With --died, it prints these files alone, and none if another file failed. With --complete, it prints
 * the files of which all tests passed, and which have no more tests or cases in full (GPUSORT_TESTS).
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const LONGEST = 12;
const root = fileURLToPath(new URL("..", import.meta.url));
const [file, option] = process.argv.slice(2);
if (file === undefined) throw new Error("name the file of results");

/**
 * @typedef {object} Results what Vitest's JSON reporter writes, of which this is read
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {FileResult[]} testResults
 *
 * @typedef {{ name: string, status: string, startTime: number, endTime: number,
 *   assertionResults: TestResult[] }} FileResult
 * @typedef {{ status: string, fullName: string }} TestResult
 */

/** @type {Results} */
const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
  readFileSync(file, "utf8"),
);
const files = testResults
  .map(({ name, status, startTime, endTime, assertionResults }) => ({
    name: relative(root, name),
    status,
    seconds: (endTime - startTime) / 1000,
    unended: assertionResults.filter(({ status }) => status === "pending"),
  }))
  .sort((a, b) => b.seconds - a.seconds);
const died = files.filter(({ unended }) => unended.length > 0);

const failed = files.filter(({ status, unended }) => status === "failed" && unended.length === 0);

/** Files that were complete in a project: on the only adapter that there was, too. */
const completeNames = () =>
  testResults
    .filter(({ assertionResults }) => assertionResults.every(({ status }) => status === "passed"))
    .map(({ name }) => name)
    .filter((name) => !readFileSync(name, "utf8").includes("GPUSORT_TESTS"));

if (option === "--complete") {
  for (const name of completeNames()) console.log(relative(root, name));
} else if (option === "--died") {
  if (numFailedTests === 0 && failed.length === 0)
    for (const name of new Set(died.map((one) => one.name))) console.log(name);
} else {
  console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
  for (const { name, seconds } of files.slice(0, LONGEST)) {
    console.log(`${seconds.toFixed(0).padStart(5)} s  ${name}`);
  }
  for (const { name } of failed) console.log(`failed: ${name}`);
  for (const { name, unended } of died) {
    console.log(
      `never ended: ${unended.length} tests of ${name}, the first of them "${unended[0].fullName}"`,
    );
  }
}
