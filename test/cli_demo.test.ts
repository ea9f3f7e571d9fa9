import { afterAll, describe, expect, it } from "vitest";
import { demos } from "../src/demos/registry.js";
import { Workplace } from "./support/command.js";

const work = await Workplace.create();
afterAll(() => work.remove());

describe("gpusort demo all", () => {
  it("runs all demos that need no image, and claims nothing of results that only the CPU has computed", async () => {
    const { code, stdout, stderr } = await work.run(["demo", "all", "--device", "cpu"]);
    expect(code, stderr).toBe(0);
    expect(stdout.toString()).not.toMatch(/(sum|result)s? (is|are) (right|wrong)|CPU's|wrongly|the device/);
    for (const { name, summary, images } of demos) {
      const needsImage = images.some(({ required }) => required);
      expect(stdout.toString().includes(`\n${name}: ${summary}\n`), name).toBe(!needsImage);
      expect(stderr).toContain(needsImage ? `gpusort demo ${name} IMAGE` : `demo ${name} ran on the CPU\n`);
    }
  });

  it("takes no option of one demo", async () => {
    const { code, stderr } = await work.run(["demo", "all", "--sigma", "2", "--device", "cpu"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--sigma'")]);
  });

  it("is listed", async () => {
    expect((await work.run(["demo", "--quiet"])).stdout.toString()).toMatch(/^ *all +all of these/m);
  });
});
