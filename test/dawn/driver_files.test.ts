import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { createTar } from "nanotar";
import { afterAll, beforeEach, expect, it } from "vitest";
import { driverFolder } from "../../src/dawn/driver_files.js";
import { type DriverSums, driverFileNames, driverSums } from "../../src/dawn/driver_sums.js";
import { HANG_MS } from "../support/hang_limit.js";
import { needs } from "../support/needs.js";
import { asRoot, giveAway, mayGiveAway } from "../support/other_user.js";

const linux = needs(process.platform === "linux", "Linux");

const root = realpathSync(mkdtempSync(join(tmpdir(), "gpusort-driver-test-")));
const before = { XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, TMPDIR: process.env.TMPDIR };
afterAll(() => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  rmSync(root, { recursive: true });
});

/** A package with small files, and their sums. */
const contents = driverFileNames.map((name) => ({ name, data: `the content of ${name}` }));
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const sums = Object.fromEntries(contents.map(({ name, data }) => [name, sha256(data)])) as DriverSums;
const archive = join(root, "driver.tar.br");
writeFileSync(archive, brotliCompressSync(createTar(contents)));
const known = { "1.0.0": sums };

let count = 0;
let [cache, temporary] = ["", ""];
beforeEach(() => {
  const base = join(root, `${count++}`);
  [cache, temporary] = [join(base, "cache"), join(base, "tmp")];
  mkdirSync(temporary, { recursive: true });
  process.env.XDG_CACHE_HOME = cache;
  process.env.TMPDIR = temporary;
});
const kept = () => join(cache, "gpusort", "swiftshader-1.0.0");
const find = (version = "1.0.0") => driverFolder({ version, archive }, known);

function expectIntact(folder: string): void {
  for (const { name, data } of contents) expect(readFileSync(join(folder, name), "utf8")).toBe(data);
  expect(readdirSync(folder).sort()).toEqual([...driverFileNames].sort());
}

/** The folder is new, of this user alone, and nowhere but in the temporary folder. */
function expectPrivate(folder: string): void {
  expect(dirname(folder)).toBe(temporary);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expectIntact(folder);
}

const packaged = resolve("node_modules/@sparticuz/chromium");
const withDriver = needs(existsSync(packaged), "the software driver of @sparticuz/chromium");

withDriver.describe("the table of sums", () => {
  linux.it("has the sums of the package that is installed", async () => {
    const { version } = JSON.parse(readFileSync(join(packaged, "package.json"), "utf8")) as {
      version: string;
    };
    expect(Object.keys(driverSums)).toContain(version);
    const archive = join(packaged, "bin/swiftshader.tar.br");
    const folder = await driverFolder({ version, archive }, {}); // not checked
    const actual = driverFileNames.map((name) => [name, sha256(readFileSync(join(folder, name)))]);
    expect(Object.fromEntries(actual)).toEqual(driverSums[version]);
  });
});

linux.describe("the driver's files", () => {
  it("are kept in the user's cache, for this user alone, and found there again", async () => {
    expect(await find()).toBe(kept());
    expectIntact(kept());
    expect(statSync(kept()).mode & 0o777).toBe(0o700);
    const { ino } = statSync(join(kept(), driverFileNames[0]));
    expect(await find()).toBe(kept());
    expect(statSync(join(kept(), driverFileNames[0])).ino).toBe(ino);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("are unpacked anew in the same place if one is damaged, missing, a link or open to others", async () => {
    const [library, loader, manifest] = driverFileNames.map((name) => () => join(kept(), name));
    const faults = [
      () => appendFileSync(library!(), "x"),
      () => truncateSync(loader!(), 0),
      () => rmSync(manifest!()),
      () => chmodSync(library!(), 0o666),
      () => {
        renameSync(library!(), join(root, "elsewhere"));
        symlinkSync(join(root, "elsewhere"), library!());
      },
      () => {
        rmSync(loader!());
        execFileSync("mkfifo", [loader!()]);
      },
    ];
    await find();
    for (const damage of faults) {
      damage();
      expect(await find()).toBe(kept());
      expectIntact(kept());
    }
    expect(readFileSync(join(root, "elsewhere"), "utf8")).toBe(contents[0]!.data);
  });

  it("are unpacked into a new private folder if something else is in the cache's place", async () => {
    await find();
    renameSync(kept(), `${kept()}-real`);
    symlinkSync(`${kept()}-real`, kept());
    expectPrivate(await find());
    rmSync(join(cache, "gpusort"), { recursive: true });
    writeFileSync(join(cache, "gpusort"), "a file");
    expectPrivate(await find());
    process.env.XDG_CACHE_HOME = "/proc/nope";
    expectPrivate(await find());
  });

  it("are unpacked into a private folder if others may write to a folder above the cache", async () => {
    await find();
    chmodSync(cache, 0o777);
    expectPrivate(await find());
  });

  asRoot.it("are never taken from a folder or a file of another user", async () => {
    await find();
    giveAway(join(kept(), driverFileNames[0])); // of the right content, but they can change it at any time
    expect(await find()).toBe(kept());
    expect(statSync(join(kept(), driverFileNames[0])).uid).toBe(process.getuid!());
    giveAway(kept());
    expectPrivate(await find());
    rmSync(kept(), { recursive: true });
    giveAway(join(cache, "gpusort"));
    expectPrivate(await find());
    expect(existsSync(kept())).toBe(true); // made, but not used
  });

  it("are unpacked into a new private folder each time if the version is not known", async () => {
    const [one, two] = [await find("2.0.0"), await find("2.0.0")];
    for (const folder of [one, two]) expectPrivate(folder);
    expect(one).not.toBe(two);
  });

  it("are refused if the package does not have what it should, and said to be damaged", async () => {
    const wrong = { "1.0.0": { ...sums, "libvulkan.so.1": sha256("another") } };
    await expect(driverFolder({ version: "1.0.0", archive }, wrong)).rejects.toMatchObject({
      name: "DeviceError",
      message: expect.stringContaining("is not the one that was published"),
    });
    expect(existsSync(join(kept(), "libvulkan.so.1"))).toBe(false);
    const none = { version: "1.0.0", archive: join(root, "none") };
    await expect(driverFolder(none, known)).rejects.toThrow("cannot be unpacked: ENOENT");
    writeFileSync(join(root, "broken"), "no archive");
    const broken = { version: "1.0.0", archive: join(root, "broken") };
    await expect(driverFolder(broken, known)).rejects.toThrow("cannot be unpacked: Decompression failed");
  });

  it("are not unpacked where others could change them, nor below a path with a colon", async () => {
    process.env.XDG_CACHE_HOME = "/proc/nope";
    chmodSync(temporary, 0o777);
    await expect(find()).rejects.toMatchObject({
      message: expect.stringMatching(/ is not unpacked into .*tmp, which other users may change$/),
      hint: expect.stringContaining("TMPDIR"),
    });
    chmodSync(temporary, 0o1777);
    expectPrivate(await find());
    // Vulkan's lists of drivers are separated by colons: "a:b" would name b in the current folder.
    process.env.XDG_CACHE_HOME = join(cache, "a:b");
    expectPrivate(await find());
    process.env.TMPDIR = join(temporary, "a:b");
    mkdirSync(process.env.TMPDIR);
    await expect(find()).rejects.toThrow("whose path contains a colon");
  });
});

linux.describe("the embedded driver of a process", () => {
  const module = resolve("dist/dawn/embedded.js");
  const script = `import(${JSON.stringify(module)}).then(async ({ embeddedDriver }) => {
    const { manifest } = await embeddedDriver();
    console.log(manifest, require("node:fs").existsSync(manifest));
  }).catch(({ message }) => console.log(message))`;
  const run = () => {
    const env = { ...process.env, HOME: "/dev/null", TMPDIR: temporary, XDG_CACHE_HOME: "" };
    const options = { env, cwd: temporary, encoding: "utf8", timeout: HANG_MS } as const;
    return spawnSync(process.execPath, ["-e", script], options).stdout.trim();
  };

  it("is not loaded where SwiftShader would read settings that are not this user's", () => {
    const settings = join(temporary, "SwiftShader.ini");
    execFileSync("mkfifo", [settings]);
    expect(run()).toMatch(/^the driver would read .*ini, which is no regular file of this user alone$/);
    rmSync(settings);
    writeFileSync(settings, "[Processor]\n", { mode: 0o600 });
    expect(run()).toMatch(/ true$/);
    if (!mayGiveAway) return;
    giveAway(settings);
    expect(run()).toMatch(/^the driver would read /);
  });

  it("is not the one that somebody put where it would be looked for, and is removed at the end", () => {
    const { version } = JSON.parse(readFileSync("node_modules/@sparticuz/chromium/package.json", "utf8"));
    for (const name of ["gpusort", `gpusort-${process.getuid!()}`]) {
      const planted = join(temporary, name, `swiftshader-${version}`);
      mkdirSync(planted, { recursive: true });
      for (const file of driverFileNames) writeFileSync(join(planted, file), "planted");
      if (mayGiveAway) for (const path of [planted, dirname(planted)]) giveAway(path);
    }
    const [manifest, existed] = run().split(" ");
    expect(manifest).toMatch(/gpusort-driver-\w+\/vk_swiftshader_icd\.json$/);
    expect(existed).toBe("true");
    expect(existsSync(dirname(manifest!))).toBe(false);
  });
});
