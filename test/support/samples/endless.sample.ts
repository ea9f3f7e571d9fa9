import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

it("fails first", () => expect(1).toBe(2));
describe("a suite", () => {
  beforeAll(() => {
    throw new Error("its hook fails");
  });
  it("does not run", () => {});
});
describe("another suite", () => {
  afterAll(() => {
    throw new Error("its last hook fails");
  });
  it("leaves a rejection that nobody handles", () => void Promise.reject(new Error("nobody handles this")));
});
// Vitest 4.1 keeps results back for 100 ms, and sometimes until a later test begins.
it("takes longer than results are kept back", () => pause(300));
it("never ends", async () => {
  // As a browser does, it leaves its parent's group of processes.
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { detached: true });
  process.stderr.write(`processes ${process.pid} ${child.pid}\n`);
  await new Promise(() => setInterval(() => {}, 1000));
});
