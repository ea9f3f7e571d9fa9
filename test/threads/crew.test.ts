import { expect, it } from "vitest";
import { Word } from "../../src/core/cpu/control.js";
import { Crew, type CrewHost } from "../../src/core/cpu/crew.js";
import { Copy } from "../../src/core/cpu/shared_copies.js";
import { startThread } from "../../src/threads/crew.js";

const BYTES = 2 ** 25;

it("a crew's batch ends with its last call, even if a thread is woken again after its part", async () => {
  let control: Int32Array | undefined;
  const host: CrewHost = {
    start: (start, events) => {
      control = start.control;
      return startThread(start, events);
    },
  };
  const crew = new Crew(host);
  const member = {};
  crew.join(member);
  try {
    const memory = new WebAssembly.Memory({
      initial: BYTES / 2 ** 16,
      maximum: BYTES / 2 ** 16,
      shared: true,
    });
    const buffer = new SharedArrayBuffer(BYTES);
    const [from, to] = [new Uint8Array(buffer), new Uint8Array(memory.buffer)];
    const number = crew.add(() => ({ memory, buffer }));
    crew.start(2);
    while (crew.running < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let round = 1; round <= 20; round++) {
      from.fill(round);
      // One thread is done immediately, and the other one copies for a while.
      const calls = [
        [8, 8, 0, BYTES - 8],
        [0, 0, 0, 8],
      ];
      let isRunning = true;
      const running = crew
        .run({ memory: number, kernel: Copy.in, calls, threads: 2 }, undefined)
        .finally(() => (isRunning = false));
      const wake = () => {
        Atomics.notify(control!, Word.batch);
        if (isRunning) setImmediate(wake);
      };
      wake();
      await running;
      expect([to[0], to.at(-1)], `round ${round}`).toEqual([round, round]);
    }
  } finally {
    crew.leave(member);
  }
});
