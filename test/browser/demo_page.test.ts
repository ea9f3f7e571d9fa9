import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { decode } from "fast-png";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { gaussWeights } from "../../src/demos/blur_plan.js";
import { Workplace } from "../support/command.js";
import { HANG_MS } from "../support/hang_limit.js";
import { describeIn, openChromium } from "./chromium.js";
import { type Site, serveBuiltSite } from "./site.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Where CI keeps what people look at. */
const artifacts = process.env.CI_ARTIFACTS ?? "artifacts";
/** Pixels. */
const BAND = 300;
const PHONE_WIDTH = 360;

describeIn(await openChromium(), "the page of gpusort, from `gpusort demo page`", describePage);

interface Visit {
  /** JavaScript that runs before the page's own. */
  readonly prepare?: string;
  /** Pixels. */
  readonly width?: number;
  readonly colours?: string;
}

function describePage(browser: Browser): void {
  let place: Workplace;
  let server: ReturnType<Workplace["start"]>;
  let url: string;
  let site: Site;
  /** What no page may do: fail, print an error, or load anything from elsewhere. */
  const faults: string[] = [];

  beforeAll(async () => {
    place = await Workplace.create();
    server = place.start(["demo", "page", "--port", "0"]);
    url = await new Promise((resolve, reject) => {
      server.child.stdout.once("data", (line) => resolve(String(line).trim()));
      server.ended.then(({ stderr }) => reject(new Error(stderr)));
    });
    site = await serveBuiltSite();
  });
  afterAll(async () => {
    await browser.close();
    site.close();
    server.child.kill();
    await server.ended;
    await place.remove();
  });

  /** Opens the page that the command serves. */
  const visit = (options: Visit = {}) => open(url, "", options);

  /** Opens the page of the site, or a document of it. */
  const visitSite = (path: string, options: Visit = {}) => open(`${site.url}/`, path, options);

  async function open(url: string, path: string, options: Visit): Promise<Page> {
    const { prepare = "", width = 1200, colours = "light" } = options;
    const page = await browser.newPage();
    page.setDefaultTimeout(HANG_MS);
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    page.on("request", (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(url)) faults.push(request.url());
    });
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: colours },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    if (prepare) await page.evaluateOnNewDocument(prepare);
    await page.goto(`${url}${path}`);
    if (path === "") await page.waitForFunction("document.documentElement.dataset.ready");
    return page;
  }

  /** Sorts in the page. @returns the times that it offers as JSON, and the rows that it shows. */
  async function sort(page: Page, exponent: number, type: string, distribution: string) {
    await page.evaluate(
      `{ document.querySelector("#sort-exponent").value = ${exponent};
         document.querySelector("#sort-type").value = "${type}";
         document.querySelector("#sort-type").dispatchEvent(new Event("change"));
         document.querySelector("#sort-distribution").value = "${distribution}";
         document.querySelector("#sort-form").requestSubmit(); }`,
    );
    await page.waitForFunction('!document.querySelector("#sort-form button").disabled');
    expect(await text(page, "#sort-status")).toBe("All results are the same.");
    const report = (await page.evaluate(
      'fetch(document.querySelector("#sort-json").href).then((response) => response.json())',
    )) as { count: number; type: string; contenders: { name: string; roundsMs: number[]; same: boolean }[] };
    const rows = (await page.evaluate(
      '[...document.querySelectorAll("#sort-result tbody tr")].map((row) => row.innerText)',
    )) as string[];
    return { report, rows };
  }

  const text = async (page: Page, selector: string) =>
    (await page.evaluate(`document.querySelector("${selector}").textContent`)) as string;

  const violations = async (page: Page) => {
    await page.evaluate(axe);
    return (await page.evaluate(
      "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))",
    )) as [rule: string, html: string][];
  };

  const pixels = async (page: Page, id: string) =>
    (await page.evaluate(
      `{ const canvas = document.querySelector("#${id}");
         [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data]; }`,
    )) as number[];

  it("makes a report of the GPU, as gpusort devices --report --json does", async () => {
    const page = await visit();
    await page.evaluate(
      `{ document.querySelector("#report-seconds").value = "10";
         document.querySelector("#report-form").requestSubmit(); }`,
    );
    await page.waitForFunction('!document.querySelector("#report-form button").disabled');
    expect(await text(page, "#report-status")).toMatch(/^(\d+) of \1 arrays are right\./);
    const report = await page.evaluate(
      'fetch(document.querySelector("#report-json").href).then((response) => response.json())',
    );
    expect(report).toMatchObject({
      format: 1,
      runtime: expect.stringContaining("Chrome"),
      adapter: { vendor: "google", architecture: "swiftshader" },
      reported: { limits: { maxComputeWorkgroupSizeZ: 64 } },
      correctness: { planned: 253, wrong: [] },
      times: [{ keyCount: 4096, residentMs: expect.any(Number), bitonicMs: expect.any(Number) }],
    });
    expect(await violations(page)).toEqual([]);
    await page.close();
  });

  it("sorts on the GPU and on the CPU as TypedArray.prototype.sort does, and shows the times", async () => {
    const page = await visit();
    expect(await text(page, "#device")).toContain("swiftshader");
    for (const [type, distribution] of [
      ["f32", "nan-laced"],
      ["u64", "zipf"],
    ] as const) {
      const { report, rows } = await sort(page, 12, type, distribution);
      expect(report).toMatchObject({ count: 4096, type, distribution });
      expect(report.contenders.map(({ name }) => name)).toEqual([
        expect.stringMatching(/Array\.prototype\.sort$/),
        expect.stringMatching(/^gpusort on the CPU, (up to \d+ threads|one thread)$/),
        "gpusort, array to array",
        "gpusort, on the GPU",
      ]);
      for (const { roundsMs, same } of report.contenders) {
        expect(same).toBe(true);
        expect(roundsMs.length).toBe(7);
        expect(Math.min(...roundsMs)).toBeGreaterThanOrEqual(0);
      }
      expect(rows.length).toBe(4);
    }
    await page.close();
  });

  it("finds a wrong result out", async () => {
    const page = await visit({ prepare: "Float32Array.prototype.sort = function () { return this; };" });
    await page.evaluate(
      '{ document.querySelector("#sort-exponent").value = 10; document.querySelector("#sort-form").requestSubmit(); }',
    );
    await page.waitForFunction('/differ/.test(document.querySelector("#sort-status").textContent)');
    expect(await page.evaluate('document.querySelectorAll("#sort-result .bad").length')).toBe(3);
    await page.close();
  });

  it("plays the network step by step until the keys are sorted", async () => {
    const page = await visit();
    for (const keys of ["8", "32"]) {
      await page.select("#network-keys", keys);
      const steps = Number(await page.evaluate('document.querySelector("#network-step").max'));
      for (let step = 0; step < steps; step++) {
        expect(await text(page, "#network-status")).not.toContain("The keys are sorted");
        await page.focus("#network-next");
        await page.keyboard.press("Enter");
      }
      expect(await text(page, "#network-status")).toContain("The keys are sorted");
      const drawn = (await page.evaluate(
        `[...document.querySelectorAll("#network-drawing .key")].map((key) =>
           [Number(key.textContent), new DOMMatrix(key.style.transform).f])`,
      )) as [number, number][];
      const byPlace = drawn.sort(([, a], [, b]) => a - b).map(([value]) => value);
      expect(byPlace).toEqual(Array.from({ length: Number(keys) }, (_, i) => i + 1));
    }
    await page.close();
  });

  it("lets waves run when asked to, and drops fall by the keyboard", async () => {
    const page = await visit();
    const before = await pixels(page, "waves");
    expect(await text(page, "#waves-play")).toBe("Run"); // as the visitor wants less motion
    await page.focus("#waves");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      `String(document.querySelector("#waves").getContext("2d").getImageData(0, 0, 256, 256).data) !== "${before}"`,
    );
    await page.click("#waves-play");
    expect(await text(page, "#waves-play")).toBe("Pause");
    await page.close();
  });

  it("draws the waves in the colours of the page, light and dark, and water at rest as its panels", async () => {
    const page = await visit({ colours: "dark" });
    const panel = async () =>
      ((await page.evaluate('getComputedStyle(document.querySelector("pre")).backgroundColor')) as string)
        .match(/\d+/g)!
        .map(Number);
    const drawn = async () => {
      const all = await pixels(page, "waves");
      return Array.from({ length: all.length / 4 }, (_, i) => all.slice(4 * i, 4 * i + 3));
    };
    const luminance = (colours: number[][]) => colours.flat().reduce((sum, shade) => sum + shade, 0);
    const dark = await drawn();
    expect(dark[0]).toEqual(await panel());
    expect(new Set(dark.map(String)).size).toBeGreaterThan(20);
    expect(luminance(dark)).toBeLessThan(dark.length * 3 * 80);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    await page.waitForFunction(
      `String(document.querySelector("#waves").getContext("2d").getImageData(0, 0, 1, 1).data)
        === "${[...(await panel()), 255]}"`,
    );
    const light = await drawn();
    expect(luminance(light)).toBeGreaterThan(dark.length * 3 * 180);
    await page.close();
  });

  it("blurs as a Gaussian does", async () => {
    const page = await visit();
    const set = async (sigma: number, count: number) => {
      await page.evaluate(
        `{ document.querySelector("#blur-sigma").value = ${sigma};
           const count = document.querySelector("#blur-count");
           count.value = ${count};
           count.dispatchEvent(new Event("input")); }`,
      );
      const done = `document.querySelector("#blur").dataset.blurred === "${sigma} ${count}"`;
      await page.waitForFunction(done);
      return pixels(page, "blur");
    };
    const sharp = await set(2, 0);
    const blurred = await set(2, 1);
    const expected = gaussian(sharp, 256, 256, gaussWeights(2));
    expect(farthest(blurred, expected)).toBeLessThanOrEqual(2); // each of the two passes rounds
    expect(farthest(sharp, expected)).toBeGreaterThan(50);
    await page.close();
  });

  it("says what to do without WebGPU, and sorts on the CPU", async () => {
    const prepare = 'Object.defineProperty(Navigator.prototype, "gpu", { get: () => undefined });';
    const page = await visit({ prepare });
    expect(await text(page, "#device")).toMatch(/no WebGPU.*Chrome.*on the CPU/);
    expect(await text(page, "#shaders-missing")).toContain("need WebGPU");
    const { report } = await sort(page, 10, "f64", "uniform");
    expect(report.contenders.length).toBe(2);
    await page.close();
  });

  it.each([
    ["", "light"],
    ["", "dark"],
    ["docs/library.html", "light"],
    ["docs/library.html", "dark"],
  ])("is accessible: /%s, %s", async (path, colours) => {
    const page = await visitSite(path, { colours });
    if (path === "") await sort(page, 10, "u32", "uniform");
    expect(await violations(page)).toEqual([]);
    await page.close();
  });

  it.each(["", "README.html", "BENCHMARKS.html", "docs/library.html"])("fits a phone: /%s", async (path) => {
    const page = await visitSite(path, { width: PHONE_WIDTH });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE_WIDTH);
    await page.close();
  });

  it.each([
    ["light", 1200],
    ["light", 360],
    ["dark", 1200],
    ["dark", 360],
  ])("is drawn in full: %s, %i pixels wide", async (colours, width) => {
    const page = await visitSite("", { width, colours });
    await page.evaluate(`(async () => {
      const plots = [...document.querySelectorAll("img.plot")];
      for (const plot of plots) {
        plot.scrollIntoView();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await Promise.all(plots.map((plot) => plot.decode()));
      scrollTo(0, 0);
    })()`);
    const png = await page.screenshot({ fullPage: true });
    mkdirSync(artifacts, { recursive: true });
    writeFileSync(join(artifacts, `page-${colours}-${width}.png`), png);
    const { data, width: columns, height, channels } = decode(png);
    expect(columns).toBe(width);
    // A band without anything drawn is at most as high as this.
    const shades = (top: number, bottom: number) =>
      new Set(data.subarray(top * width * channels, bottom * width * channels)).size;
    for (let top = 0; top + BAND <= height; top += BAND) expect(shades(top, top + BAND)).toBeGreaterThan(8);
    const [red, green, blue] = data;
    expect(red! + green! + blue! > 3 * 128).toBe(colours === "light");
    await page.close();
  });

  it("made no request to another host, and no error", () => {
    expect(faults).toEqual([]);
  });
}

function farthest(values: readonly number[], others: readonly number[]): number {
  return values.reduce((most, value, i) => Math.max(most, Math.abs(value - others[i]!)), 0);
}

/** A separable blur of RGBA pixels with repeated edges, not rounded between the passes. */
function gaussian(pixels: number[], width: number, height: number, weights: readonly number[]): number[] {
  const radius = (weights.length - 1) / 2;
  const pass = (from: number[], dx: number, dy: number) =>
    from.map((_, at) => {
      const [x, y, channel] = [Math.floor(at / 4) % width, Math.floor(at / 4 / width), at % 4];
      return weights.reduce((sum, weight, i) => {
        const px = Math.min(width - 1, Math.max(0, x + dx * (i - radius)));
        const py = Math.min(height - 1, Math.max(0, y + dy * (i - radius)));
        return sum + weight * from[4 * (py * width + px) + channel]!;
      }, 0);
    });
  return pass(pass(pixels, 1, 0), 0, 1);
}
