import { expect, it } from "vitest";
import { periodicYield } from "../../../src/core/streams/yield_to_event_loop.js";

function compute(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it("a pause lets the event loop turn, but only if it has waited", async () => {
  let turned = false;
  const pause = periodicYield(undefined);
  setImmediate(() => {
    turned = true;
  });
  compute(60);
  expect(turned).toBe(false);
  await pause();
  expect(turned).toBe(true);
});

it("a pause throws the reason of a signal that aborted during the computation", async () => {
  const controller = new AbortController();
  const pause = periodicYield(controller.signal);
  const reason = new Error("no longer needed");
  setTimeout(() => controller.abort(reason), 1);
  compute(60);
  await expect(
    (async () => {
      for (let turn = 0; turn < 20; turn++) {
        await pause();
        compute(60);
      }
    })(),
  ).rejects.toBe(reason);
});
