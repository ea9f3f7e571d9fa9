import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { Workplace } from "../support/command.js";
import { selector, withDevice } from "./device.js";

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const fixture = path("fixtures/flight_delays.i32");
const { sha256 } = JSON.parse(readFileSync(path("fixtures/expected.json"), "utf8"))["flight_delays.i32"];
const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

const work = await Workplace.create();
afterAll(() => work.remove());
const onDevice = (...args: string[]) => work.run([...args, "--device", selector]);

withDevice.describe(`files, on ${selector}`, () => {
  it("that do not fit the memory are sorted as NumPy sorts them", async () => {
    const { code, stderr } = await onDevice(fixture, "-o", "out.i32", "-S", "7M", "-T", ".", "-v");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("out of core: 3 runs, chunks of 1.33 MB, 4.00 MB of temporary files");
    expect(digest(await work.read("out.i32"))).toBe(sha256.ascending);
  });

  it("are sorted as on the CPU with --unique, --head, and out of core", async () => {
    await work.run(["gen", "100000", "-o", "a.f64", "--dist", "nan-laced", "--force"]);
    for (const options of [
      ["-u"],
      ["--head", "1000"],
      ["-r", "-S", "2M", "-T", "."],
      ["-u", "--head", "99"],
    ]) {
      expect((await onDevice("a.f64", "-o", "device.f64", ...options)).code).toBe(0);
      expect((await work.onCpu(["a.f64", "-o", "cpu.f64", ...options])).code).toBe(0);
      // All NaNs are equal, so NaNs with different bits may be in another order.
      const [device, cpu] = await Promise.all(["device.f64", "cpu.f64"].map((name) => work.read(name)));
      const keys = (bytes: Buffer) => [...new Float64Array(new Uint8Array(bytes).buffer)];
      expect(keys(device!)).toEqual(keys(cpu!));
    }
  });

  it("have the same indices as on the CPU with --argsort, in core and out of core", async () => {
    await work.run(["gen", "100000", "-o", "k.i64", "--dist", "zipf", "--force"]);
    await work.run(["gen", "100000", "-o", "n.f64", "--dist", "nan-laced", "--force"]);
    for (const options of [
      ["n.f64", "--argsort"],
      ["n.f64", "--argsort", "-r", "-S", "2M", "-T", "."],
      ["k.i64", "--argsort"],
      ["k.i64", "--argsort", "-r", "-S", "2M", "-T", "."],
    ]) {
      const device = await onDevice(...options, "-o", "device.bin");
      expect([device.code, device.stderr]).toEqual([0, expect.stringContaining("verified")]);
      // Keys are moved with their indices where these do not fit the memory, and then the CPU sorts them.
      const notice = /^gpusort: keys that are moved with their indices are sorted on the CPU, not on /m;
      expect(notice.test(device.stderr)).toBe(options.includes("-S"));
      expect((await work.onCpu([...options, "-o", "cpu.bin"])).code).toBe(0);
      expect((await work.read("device.bin")).equals(await work.read("cpu.bin"))).toBe(true);
    }
  });

  it.each(["u8", "i16", "u64"])("of %s keys are sorted out of core", async (type) => {
    await work.run(["gen", "50001", "-o", "n.bin", "-t", type, "--force"]);
    expect((await onDevice("n.bin", "-t", type, "-o", "n.out", "-S", "64K", "-T", ".")).code).toBe(0);
    const { bytes, array } = elementType(type);
    const keys = new array(new Uint8Array(await work.read("n.bin")).buffer, 0, 50001);
    const sorted = Buffer.from(keys.slice().sort().buffer as ArrayBuffer, 0, 50001 * bytes);
    expect((await work.read("n.out")).equals(sorted)).toBe(true);
  });
});
