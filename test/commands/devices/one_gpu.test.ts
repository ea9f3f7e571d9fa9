import { describe, expect, it } from "vitest";
import { findOneGpu, insteadOfAll } from "../../../src/commands/devices/one_gpu.js";
import { gpuSelector } from "../../../src/dawn/choose_adapter.js";
import type { HostGpu } from "../../../src/dawn/host_gpus.js";

const gpu = (number: number, model = "NVIDIA H200"): HostGpu => ({
  maker: "nvidia",
  model,
  uuid: `GPU-${number}${number}`,
  pciAddress: `0000:0${number}:00.0`,
  files: [`/dev/nvidia${number}`],
});
const find = (selector: string, gpus: readonly HostGpu[], found: { before?: string[]; problem?: string }) =>
  findOneGpu(gpuSelector(selector)!, gpus, () => found);

describe("the GPU that a command uses alone", () => {
  it("needs nothing hidden if there is no other", () => {
    const mustNotHide = () => expect.fail("something was to be hidden");
    expect(findOneGpu(gpuSelector("0")!, [gpu(1)], mustNotHide)).toEqual({ device: "uuid:GPU-11" });
  });

  it("has the files of all others hidden", () => {
    const hide = (files: readonly string[]) => ({ before: ["hide", ...files] });
    const gpus = [gpu(0), gpu(1), gpu(2)];
    const before = ["hide", "/dev/nvidia0", "/dev/nvidia2"];
    for (const selector of ["1", "uuid:1", "pci:01:00.0"]) {
      expect(findOneGpu(gpuSelector(selector)!, gpus, hide)).toEqual({ device: "uuid:GPU-11", before });
    }
  });

  it("is chosen by its name where nothing can be hidden, if that is its own", () => {
    const problem = { problem: "unshare: Operation not permitted" };
    expect(find("0", [gpu(0), gpu(1, "NVIDIA T4")], problem)).toEqual({ device: "uuid:GPU-00" });
    // Dawn takes the first adapter whose name has that of the GPU in it.
    expect(() => find("0", [gpu(0), gpu(1, "NVIDIA H200 NVL")], problem)).toThrow("one of 2 equal GPUs");
    expect(find("1", [gpu(0), gpu(1, "NVIDIA H200 NVL")], problem)).toEqual({ device: "uuid:GPU-11" });
  });

  it("is an error that says why and what to do, if it is one of equal ones", () => {
    const problem = { problem: "unshare: Operation not permitted" };
    expect(() => find("1", [gpu(0), gpu(1)], problem)).toThrow(
      expect.objectContaining({
        message:
          "uuid:GPU-11 is one of 2 equal GPUs, and gpusort may not hide the others here: unshare: Operation not permitted",
        hint: expect.stringMatching(/namespace.*--gpus '"device=GPU-11"'.*Slurm/),
        options: ["device"],
      }),
    );
  });

  it("is given to a container by its maker's way", () => {
    const amd = (number: number): HostGpu => ({
      maker: "amd",
      pciAddress: `0000:0${number}:00.0`,
      files: [`/dev/dri/card${number}`, `/dev/dri/renderD12${number}`],
    });
    expect(() => find("1", [amd(0), amd(1)], { problem: "unshare: Operation not permitted" })).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining("docker run --device=/dev/dri/card1 --device=/dev/dri/renderD121 or"),
      }),
    );
  });

  it("is undefined for a number beyond the GPUs", () => {
    expect(find("2", [gpu(0), gpu(1)], { before: [] })).toBeUndefined();
  });
});

describe("--device all", () => {
  it("is the first of several GPUs, which says so, or the only one", () => {
    expect(insteadOfAll([])).toEqual({ device: "gpu" });
    expect(insteadOfAll([gpu(3)])).toEqual({ device: "gpu" });
    expect(insteadOfAll([gpu(0), gpu(1)])).toEqual({
      device: "uuid:GPU-00",
      notice: expect.stringMatching(/^one of the 2 GPUs is as fast as all.*uuid:GPU-00 sorts.*gpusort job/),
    });
  });
});
