import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { embeddedFolder } from "../../src/dawn/embedded.js";
import { HANG_MS } from "../support/hang_limit.js";
import { needs } from "../support/needs.js";

const withDriver = needs(await embeddedFolder(), "the embedded driver");

const library = new URL("../../dist/index.js", import.meta.url).href;

/** Sorts keys on a device, and compares them with what JavaScript's own sort makes of them. */
const sorting = (device: string) => `async () => {
  const { createSorter } = await import(${JSON.stringify(library)});
  const sorter = await createSorter(${JSON.stringify(device)});
  const keys = Float32Array.from({ length: 5000 }, (_, i) => Math.sin(i * i));
  const sorted = await sorter.sort(keys);
  const isSorted = keys.slice().sort().every((key, i) => Object.is(key, sorted[i]));
  sorter.destroy();
  return [sorter.name.split(" ")[0], isSorted];
}`;

/** What a program prints that sorts in its Worker, and perhaps on its main thread before. */
function sortedInWorker(device: string, onMainThread: boolean): unknown {
  const post = `(found) => require("node:worker_threads").parentPort.postMessage(found)`;
  const program = `
    const { Worker } = require("node:worker_threads");
    (async () => {
      const first = ${onMainThread} ? [await (${sorting(device)})()] : [];
      const worker = new Worker(${JSON.stringify(`(${sorting(device)})().then(${post})`)}, { eval: true });
      worker.on("message", (found) => console.log(JSON.stringify([...first, found])));
    })();`;
  const options = { encoding: "utf8", timeout: HANG_MS } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["-e", program], options);
  if (stdout === "") throw new Error(stderr);
  expect(status).toBe(0);
  return JSON.parse(stdout);
}

withDriver.describe("the software adapter", () => {
  withDriver.it("sorts in a Worker", () => {
    expect(sortedInWorker("swiftshader", false)).toEqual([["SwiftShader", true]]);
  });

  withDriver.it("sorts in a Worker after the main thread", () => {
    const found = ["SwiftShader", true];
    expect(sortedInWorker("swiftshader", true)).toEqual([found, found]);
  });
});
