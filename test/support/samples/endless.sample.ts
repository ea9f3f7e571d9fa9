import { expect, it } from "vitest";

it("fails first", () => expect(1).toBe(2));
it("never ends", async () => {
  process.stderr.write(`worker ${process.pid}\n`);
  await new Promise(() => setInterval(() => {}, 1000));
});
