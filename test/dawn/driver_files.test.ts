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
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { createTar, parseTar } from "nanotar";
import { afterAll, beforeEach, expect, it } from "vitest";
import {
  DAWN_MODULE,
  DRIVER,
  driverFolder,
  driverName,
  driverSums,
  fileInTar,
} from "../../src/dawn/driver_files.js";
import { versions } from "../../src/optional_packages.js";
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

/** Packages with small files, and what of them is where in the folder. */
const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const content = "the driver";
const archive = join(root, "driver.tar.br");
writeFileSync(archive, brotliCompressSync(createTar([{ name: driverName, data: content }])));
const known = { "1.0.0": sha256(content) };

const dawn = join(root, "webgpu");
const copied = ["package.json", "index.js", "dist/linux-x64/dawn.node"];
const contents = new Map([[DRIVER, content]]);
for (const name of copied) {
  mkdirSync(dirname(join(dawn, name)), { recursive: true });
  writeFileSync(join(dawn, name), `the content of ${name}`);
  contents.set(`node_modules/webgpu/${name}`, `the content of ${name}`);
}

let count = 0;
let [cache, temporary] = ["", ""];
beforeEach(() => {
  const base = join(root, `${count++}`);
  [cache, temporary] = [join(base, "cache"), join(base, "tmp")];
  mkdirSync(temporary, { recursive: true });
  process.env.XDG_CACHE_HOME = cache;
  process.env.TMPDIR = temporary;
});
const kept = () => join(cache, "gpusort", "swiftshader-1.0.0-dawn-0.1.0");
const packages = (driver: object = {}) => ({
  driver: { version: "1.0.0", archive, ...driver },
  dawn: { version: "0.1.0", root: dawn },
});
const find = (version = "1.0.0") => driverFolder(packages({ version }), known);

function expectIntact(folder: string): void {
  for (const [name, data] of contents) expect(readFileSync(join(folder, name), "utf8")).toBe(data);
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  expect(all.filter((entry) => entry.isFile())).toHaveLength(contents.size);
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
    const files = parseTar(brotliDecompressSync(readFileSync(archive)));
    const { data } = files.find(({ name }) => name === driverName)!;
    expect(sha256(data!)).toBe(driverSums[version]);
    const folder = await driverFolder(packages({ version, archive }));
    expect(readFileSync(join(folder, DRIVER)).equals(data!)).toBe(true);
  });

  it("is of the versions that may be installed beside gpusort, and of the one that messages name", () => {
    const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(peerDependencies["@sparticuz/chromium"]).toBe(Object.keys(driverSums).join(" || "));
    expect(Object.keys(driverSums)).toContain(versions["@sparticuz/chromium"]);
  });
});

linux.describe("the driver's files", () => {
  it("are kept in the user's cache, for this user alone, and found there again", async () => {
    expect(await find()).toBe(kept());
    expectIntact(kept());
    expect(statSync(kept()).mode & 0o777).toBe(0o700);
    const { ino } = statSync(join(kept(), DRIVER));
    expect(await find()).toBe(kept());
    expect(statSync(join(kept(), DRIVER)).ino).toBe(ino);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("are unpacked anew in the same place if one is damaged, missing, a link or open to others", async () => {
    const [library, ...copies] = [...contents.keys()].map((name) => join(kept(), name));
    const faults = [
      () => appendFileSync(library!, "x"),
      () => truncateSync(copies[2]!, 0),
      () => writeFileSync(copies[1]!, "x".repeat(contents.get(`node_modules/webgpu/${copied[1]}`)!.length)),
      () => rmSync(copies[0]!),
      () => chmodSync(library!, 0o666),
      () => {
        renameSync(library!, join(root, "elsewhere"));
        symlinkSync(join(root, "elsewhere"), library!);
      },
      () => {
        rmSync(copies[2]!);
        execFileSync("mkfifo", [copies[2]!]);
      },
    ];
    await find();
    for (const damage of faults) {
      damage();
      expect(await find()).toBe(kept());
      expectIntact(kept());
    }
    expect(readFileSync(join(root, "elsewhere"), "utf8")).toBe(content);
  });

  it("are unpacked into a new private folder if something else is in the cache's place", async () => {
    await find();
    renameSync(kept(), `${kept()}-real`);
    symlinkSync(`${kept()}-real`, kept());
    expectPrivate(await find());
    rmSync(kept());
    mkdirSync(kept());
    symlinkSync(`${kept()}-real/node_modules`, join(kept(), "node_modules"));
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
    giveAway(join(kept(), DRIVER)); // of the right content, but they can change it at any time
    expect(await find()).toBe(kept());
    expect(statSync(join(kept(), DRIVER)).uid).toBe(process.getuid!());
    giveAway(dirname(join(kept(), DRIVER)));
    expectPrivate(await find());
    giveAway(kept());
    expectPrivate(await find());
    rmSync(kept(), { recursive: true });
    giveAway(join(cache, "gpusort"));
    expectPrivate(await find());
    expect(existsSync(kept())).toBe(false); // root makes nothing in what is a user's
  });

  it("are refused if the version is not known, and what to install is said", async () => {
    await expect(find("2.0.0")).rejects.toMatchObject({
      name: "DeviceError",
      message: expect.stringContaining("is of version '2.0.0', whose driver gpusort does not know"),
      hint: expect.stringContaining(`npm install @sparticuz/chromium@143.0.4`),
    });
    expect([existsSync(kept()), readdirSync(temporary)]).toEqual([false, []]);
  });

  it("are refused if the package does not have what it should, and said to be damaged", async () => {
    const wrong = { "1.0.0": sha256("another") };
    await expect(driverFolder(packages(), wrong)).rejects.toMatchObject({
      name: "DeviceError",
      message: expect.stringContaining("is not the one that was published"),
    });
    expect(existsSync(join(kept(), DRIVER))).toBe(false);
    const none = packages({ archive: join(root, "none") });
    await expect(driverFolder(none, known)).rejects.toThrow("cannot be unpacked: ENOENT");
    writeFileSync(join(root, "broken"), "no archive");
    const broken = packages({ archive: join(root, "broken") });
    await expect(driverFolder(broken, known)).rejects.toThrow("cannot be unpacked: Decompression failed");
    const noDawn = { ...packages(), dawn: { version: "0.1.0", root: join(root, "none") } };
    await expect(driverFolder(noDawn, known)).rejects.toThrow(
      "needs a copy of the npm package webgpu: ENOENT",
    );
  });

  it("are not unpacked where others could change them", async () => {
    process.env.XDG_CACHE_HOME = "/proc/nope";
    chmodSync(temporary, 0o777);
    await expect(find()).rejects.toMatchObject({
      message: expect.stringMatching(/ is not unpacked into .*tmp, which other users may change$/),
      hint: expect.stringContaining("TMPDIR"),
    });
    chmodSync(temporary, 0o1777);
    expectPrivate(await find());
  });
});

linux.describe("the embedded driver of a process", () => {
  const module = resolve("dist/dawn/embedded.js");
  const script = `import(${JSON.stringify(module)}).then(async ({ embeddedFolder }) => {
    const module = (await embeddedFolder()) + "/${DAWN_MODULE}";
    console.log(module, require("node:fs").existsSync(module));
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
    const [version, dawnVersion] = ["@sparticuz/chromium", "webgpu"].map(
      (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version,
    );
    for (const name of ["gpusort", `gpusort-${process.getuid!()}`]) {
      const planted = join(temporary, name, `swiftshader-${version}-dawn-${dawnVersion}`);
      for (const file of contents.keys()) {
        mkdirSync(dirname(join(planted, file)), { recursive: true });
        writeFileSync(join(planted, file), "planted");
      }
      if (mayGiveAway) for (const path of [planted, dirname(planted)]) giveAway(path);
    }
    const [module, existed] = run().split(" ");
    expect(module).toMatch(/gpusort-driver-\w+\/node_modules\/webgpu\/index\.js$/);
    expect(existed).toBe("true");
    expect(existsSync(dirname(module!))).toBe(false);
  });
});

const bytesOf = (length: number) => Buffer.from(Array.from({ length }, (_, i) => (i * 7) % 256));
const lengths = [0, 1, 511, 512, 513, 5000];
const tar = Buffer.from(
  createTar(lengths.map((length) => ({ name: `files/${length}`, data: bytesOf(length) }))),
);

it.each(lengths)("finds a file of %i bytes among others", (length) => {
  expect(fileInTar(tar, `files/${length}`)).toEqual(bytesOf(length));
});

it("finds no file that is not there, in an archive that is whole, cut off, empty or none", () => {
  for (const bytes of [tar, tar.subarray(0, 700), tar.subarray(0, 100), Buffer.alloc(0)]) {
    expect(fileInTar(bytes, "files/2")).toBeUndefined();
    expect(fileInTar(bytes, "file")).toBeUndefined();
  }
  expect(fileInTar(Buffer.from("no archive ".repeat(200)), "files/1")).toBeUndefined();
});
