import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chooseGpu, gpuSelector, identityText } from "../../src/dawn/choose_adapter.js";
import { filesOfOthers, hidingLine, hostGpus } from "../../src/dawn/host_gpus.js";
import { first, GpuTree, nvidiaSmiXml, second } from "../support/gpu_tree.js";

let tree: GpuTree;
beforeEach(() => {
  tree = new GpuTree();
});
afterEach(() => rmSync(tree.root, { recursive: true }));

const mustNotAsk = () => {
  throw new Error("nvidia-smi was asked although the files tell all");
};
const gpus = (askNvidia: () => string | undefined = mustNotAsk) => hostGpus(tree.root, askNvidia);
const uuids = (...asked: Parameters<typeof gpus>) => gpus(...asked).map(({ uuid }) => uuid);

describe("the GPUs of this machine", () => {
  it("are those of NVIDIA's driver, in the order of their PCI addresses", () => {
    tree.add(second, first);
    expect(gpus()).toEqual([
      {
        maker: "nvidia",
        model: "NVIDIA H200",
        uuid: first.uuid,
        pciAddress: first.address,
        files: [join(tree.root, "dev/nvidia1")],
      },
      expect.objectContaining({ uuid: second.uuid, files: [join(tree.root, "dev/nvidia0")] }),
    ]);
  });

  it("are only those whose device file is there, and is not hidden", () => {
    tree.add(first, second);
    rmSync(join(tree.root, "dev/nvidia1"));
    expect(uuids()).toEqual([second.uuid]);
    tree.hide("dev/nvidia1");
    expect(uuids()).toEqual([second.uuid]);
  });

  it("are none without device files, and nvidia-smi is not asked", () => {
    tree.describe(first);
    expect(gpus()).toEqual([]);
    expect(hostGpus(join(tree.root, "nothing here"), mustNotAsk)).toEqual([]);
  });

  it("are told by nvidia-smi where the driver's files do not tell them", () => {
    tree.add(first, { ...second, uuid: "GPU-????????-????-????-????-????????????" });
    expect(uuids(() => nvidiaSmiXml(second, first))).toEqual([first.uuid, second.uuid]);
    expect(gpus(() => nvidiaSmiXml(second, first))[1]!.pciAddress).toBe(second.address);
    expect(uuids(() => undefined)).toEqual([first.uuid]);
    rmSync(join(tree.root, "proc"), { recursive: true });
    expect(uuids(() => nvidiaSmiXml(first, second))).toEqual([first.uuid, second.uuid]);
    expect(uuids(() => "no XML\n<gpu id=")).toEqual([]);
  });

  it("have the files that other drivers would use too, and other makers follow", () => {
    tree.addDrm("0000:02:00.0", "0x8086", 0).addDrm("0000:01:00.0", "0x1002", 2);
    tree.addDrm(first.address, "0x10de", 1).add(first);
    tree.addDrm("0000:05:00.0", "0x1a03", 3); // the console of a server
    const files = (...names: string[]) => names.map((name) => join(tree.root, "dev", name));
    expect(gpus().map(({ maker, pciAddress, files: own }) => [maker, pciAddress, own])).toEqual([
      ["nvidia", first.address, files("nvidia1", "dri/card1", "dri/renderD129")],
      ["amd", "0000:01:00.0", files("dri/card2", "dri/renderD130")],
      ["intel", "0000:02:00.0", files("dri/card0", "dri/renderD128")],
    ]);
    rmSync(join(tree.root, "dev/dri/renderD130"));
    tree.hide("dev/dri/renderD130");
    expect(gpus().map(({ maker }) => maker)).toEqual(["nvidia", "intel"]);
  });

  it("are NVIDIA's too where the system's own driver runs them", () => {
    tree.addDrm(first.address, "0x10de", 0);
    expect(gpus().map(({ maker, pciAddress }) => [maker, pciAddress])).toEqual([["nvidia", first.address]]);
  });
});

describe("a selector of one GPU", () => {
  const choose = (selector: string) => chooseGpu(gpus(), gpuSelector(selector)!)?.pciAddress;
  beforeEach(() => void tree.add(second, first));

  it.each([
    ["uuid:GPU-aaaa1111-0000-0000-0000-000000000001", first],
    ["uuid:gpu-AABB", second],
    ["uuid:aabb", second],
    ["GPU-aab", second],
    ["pci:0000:3B:00.0", second],
    ["pci:19:00.0", first],
    ["0", first],
    ["1", second],
  ])("%s chooses it", (selector, { address }) => expect(choose(selector)).toBe(address));

  it.each(["auto", "gpu", "cpu", "software", "h200", "NVIDIA", "-1", "0x1", "1.5", ""])(
    "is not '%s'",
    (selector) => expect(gpuSelector(selector)).toBeUndefined(),
  );

  it("may be a number beyond the GPUs, where adapters without a device file follow", () => {
    expect(choose("2")).toBeUndefined();
  });

  const [a, b] = [`uuid:${first.uuid}`, `uuid:${second.uuid}`];
  it.each([
    ["uuid:GPU-aa", "there are 2 GPUs whose UUID begins with 'GPU-aa'"],
    ["uuid:", "there are 2 GPUs whose UUID begins with ''"],
    ["uuid:GPU-ff", "there is no GPU whose UUID begins with 'GPU-ff' that this process may open"],
    ["uuid:MIG-1", "there is no GPU whose UUID begins with 'MIG-1' that this process may open"],
    ["pci:00:00.0", "there is no GPU at the PCI address '00:00.0' that this process may open"],
  ])("%s is an error that lists the GPUs", (selector, message) => {
    expect(() => choose(selector)).toThrow(
      expect.objectContaining({ message, hint: `choose one of ${a}, ${b}`, options: ["device"] }),
    );
  });

  it("lists only the GPUs that the process was given", () => {
    rmSync(join(tree.root, `dev/nvidia${first.minor}`));
    expect(() => choose(a)).toThrow(expect.objectContaining({ hint: `choose one of ${b}` }));
    rmSync(join(tree.root, `dev/nvidia${second.minor}`));
    expect(() => choose(a)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^this process may open no GPU/) }),
    );
  });

  it("leaves the files of the others to be hidden", () => {
    tree.addDrm(second.address, "0x10de", 0).addDrm("0000:02:00.0", "0x8086", 1);
    const all = gpus();
    const hidden = ["nvidia0", "dri/card0", "dri/renderD128", "dri/card1", "dri/renderD129"];
    expect(filesOfOthers(all[0]!, all)).toEqual(hidden.map((name) => join(tree.root, "dev", name)));
    expect(filesOfOthers(all[2]!, all.slice(1))).toHaveLength(3);
    expect(hidingLine(all[1]!, all.slice(0, 2), "PROGRAM")).toBe(
      `unshare -Urm sh -c 'mount -o bind /dev/null ${join(tree.root, "dev/nvidia1")} && exec PROGRAM'`,
    );
    expect(all.map(identityText)).toEqual([a, b, "pci:0000:02:00.0"]);
  });
});
