import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { measureLater } from "../../src/commands/measure_later.js";
import type { DeviceChoice } from "../../src/profile/open.js";
import { endOf } from "../support/command.js";

vi.mock("node:child_process", { spy: true });

const decision = (deviceChoice: DeviceChoice) => ({
  device: "CPU",
  threads: 2,
  deviceChoice,
  notice: undefined,
  strategy: { kind: "at once", itemCount: 1, smallerChunks: [] } as const,
});
const guess = { reason: "estimate", type: "i16", cpuSeconds: 1, gpuSeconds: 2 } as const;

describe("after a sort, this machine", () => {
  let cache: string;
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), "gpusort-later-"));
    vi.stubEnv("XDG_CACHE_HOME", cache);
    vi.mocked(spawn).mockClear();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    chmodSync(cache, 0o700);
    rmSync(cache, { recursive: true });
  });

  it("is measured in the background if an estimate chose the device, and the result is kept", async () => {
    await measureLater(decision(guess));
    expect(spawn).toHaveBeenCalledOnce();
    const [, args, options] = vi.mocked(spawn).mock.calls[0]!;
    expect(args!.slice(1)).toEqual(["devices", "--measure", "i16", "--quiet"]);
    expect(options).toMatchObject({ detached: true, stdio: "ignore" });
    const child = vi.mocked(spawn).mock.results[0]!.value;
    const [code] = await new Promise<[number]>((resolve) =>
      child.on("exit", (...ended: [number]) => resolve(ended)),
    );
    expect(code).toBe(0);
    const { stdout } = await endOf(spawn(process.execPath, ["bin/gpusort.js", "devices", "--json"]));
    expect(JSON.parse(stdout.toString()).auto.measured).toMatchObject({ at: expect.any(String) });
  });

  it.each<[string, DeviceChoice]>([
    ["the choice did not depend on it", { reason: "few keys", keyCount: 3 }],
    ["the caller chose the device", { reason: "asked" }],
    ["there is no GPU", { reason: "no GPU" }],
  ])("is not measured if %s", async (_, choice) => {
    await measureLater(decision(choice));
    expect(spawn).not.toHaveBeenCalled();
  });

  it("is measured by one process at a time, for each type", async () => {
    for (const type of ["u8", "u8", "i8", "u8"]) await measureLater(decision({ ...guess, type }));
    expect(vi.mocked(spawn).mock.calls.map(([, args]) => args![3])).toEqual(["u8", "i8"]);
  });

  it("is not measured if the user forbids it", async () => {
    vi.stubEnv("GPUSORT_MEASURE", "never");
    await measureLater(decision(guess));
    expect(spawn).not.toHaveBeenCalled();
  });

  it("is not measured if the result could not be kept", async () => {
    vi.stubEnv("XDG_CACHE_HOME", "/proc/nope");
    await measureLater(decision(guess));
    expect(spawn).not.toHaveBeenCalled();
  });
});
