import { existsSync, readFileSync } from "node:fs";
import type { Browser } from "puppeteer-core";
import { afterAll, expect, it } from "vitest";
import { defaultLimits } from "../../src/core/plan/grid.js";
import { needs } from "../support/needs.js";
import { describeIn, openChromium } from "./chromium.js";
import { bundle, serve, visit } from "./site.js";

const RECIPES = "../../examples/web";
const names = ["babylon", "three", "typegpu", "webgpu"] as const;

/** A point as a recipe draws it, in pixels from the top left. Its opacity falls to 0 at its radius. */
interface Disc {
  readonly x: number;
  readonly y: number;
  readonly depth: number;
  readonly radius: number;
  readonly color: readonly number[];
}

/** Pictures as red, green, blue and alpha of each pixel, and the points in the order of the input. */
interface Pictures {
  readonly sorted: readonly number[];
  readonly unsorted: readonly number[];
  readonly discs: readonly Disc[];
  readonly size: number;
}

/**
 * What the pages run first. Canvases draw to a texture that nobody sees, because headless Chromium on
 * SwiftShader loses its GPU process when it shows what WebGPU has drawn. Random numbers are the same in every
 * run, because two points of almost the same depth may change places by rounding.
 */
const first = `let random = 1;
Math.random = () => (random = (48271 * random) % 2147483647) / 2147483647;
HTMLCanvasElement.prototype.getContext = function () {
  let texture;
  return {
    configure({ device, format }) {
      texture?.destroy();
      const usage = GPUTextureUsage.RENDER_ATTACHMENT;
      texture = device.createTexture({ size: [this.canvas.width, this.canvas.height], format, usage });
    },
    canvas: this,
    getCurrentTexture: () => texture,
  };
};`;

const installed = existsSync(new URL(`${RECIPES}/node_modules`, import.meta.url));
const NAME = "the recipes of examples/web";
if (installed) describeIn(await openChromium(), NAME, describeRecipes);
else needs(false, "the packages of examples/web (npm ci --prefix examples/web)").describe(NAME, () => {});

async function describeRecipes(browser: Browser): Promise<void> {
  const files: Record<string, string> = await bundle({
    ...Object.fromEntries(names.map((name) => [name, `${RECIPES}/${name}.js`])),
    recipes_page: "recipes_page.js",
  });
  for (const name of names) {
    const html = readFileSync(new URL(`${RECIPES}/${name}.html`, import.meta.url), "utf8");
    files[`/${name}.html`] = html.replace("<script", `<script>${first}</script><script`);
  }
  const site = await serve((path) => (path in files ? { text: files[path]! } : undefined));
  afterAll(async () => {
    await browser.close().catch(() => browser.process()?.kill("SIGKILL"));
    site.close();
  });

  const open = (name: string) => visit(browser, `${site.url}/${name}.html`, "globalThis.recipe");

  it.each(["babylon", "three", "webgpu"])("%s.js draws its points back to front", async (name) => {
    const page = await open(name);
    await page.addScriptTag({ url: "recipes_page.js", type: "module" });
    await page.waitForFunction("globalThis.picture");
    const { sorted, unsorted, discs, size } = (await page.evaluate(`picture("${name}")`)) as Pictures;
    await page.close();
    const backToFront = blended(
      discs.toSorted((a, b) => b.depth - a.depth),
      size,
    );
    expect(differing(sorted, backToFront)).toBe(0);
    expect(differing(unsorted, backToFront)).toBeGreaterThan(0.25);
  });

  it.each(names)("%s.js has a device with subgroups and the limits of its adapter", async (name) => {
    const page = await open(name);
    const { features, bytes, most } = (await page.evaluate(`(async () => {
      const { features, limits } = recipe.device;
      const adapter = await navigator.gpu.requestAdapter();
      return {
        features: [...features],
        bytes: limits.maxStorageBufferBindingSize,
        most: adapter.limits.maxStorageBufferBindingSize,
      };
    })()`)) as { features: string[]; bytes: number; most: number };
    await page.close();
    expect(features).toContain("subgroups");
    expect(most).toBeGreaterThan(defaultLimits.maxStorageBufferBindingSize);
    expect(bytes).toBe(most);
  });

  it("typegpu.js sorts the structs of a typed buffer by depth", async () => {
    const page = await open("typegpu");
    const { depths, sorted } = (await page.evaluate("({ ...recipe, device: undefined })")) as {
      depths: number[];
      sorted: [number, number][];
    };
    await page.close();
    const expected = Array.from(depths, (depth, id) => [Math.fround(depth), id] as [number, number]);
    expect(sorted).not.toEqual(expected);
    expect(sorted).toEqual(expected.sort(([a], [b]) => b - a));
  });
}

/** The picture of discs that are blended one over the other in the given order, on black. */
function blended(discs: readonly Disc[], size: number): Float64Array {
  const pixels = new Float64Array(4 * size * size);
  for (let i = 3; i < pixels.length; i += 4) pixels[i] = 1;
  for (const { x, y, radius, color } of discs) {
    const [left, top] = [x - radius, y - radius].map((at) => Math.max(0, Math.floor(at)));
    const [right, bottom] = [x + radius, y + radius].map((at) => Math.min(size, Math.ceil(at)));
    for (let row = top!; row < bottom!; row++) {
      for (let column = left!; column < right!; column++) {
        const across = ((column + 0.5 - x) / radius) ** 2 + ((row + 0.5 - y) / radius) ** 2;
        const alpha = color[3]! * Math.max(0, 1 - across);
        for (let channel = 0; channel < 3; channel++) {
          const at = 4 * (row * size + column) + channel;
          pixels[at] = alpha * color[channel]! + (1 - alpha) * pixels[at]!;
        }
      }
    }
  }
  return pixels;
}

/** Half floats round each time that a disc is blended over others. */
const ROUNDING = 0.02;

/** The share of the pixels whose red, green or blue differs by more than rounding. */
function differing(actual: readonly number[], expected: Float64Array): number {
  expect(actual.length).toBe(expected.length);
  const far = (at: number) => !(Math.abs(actual[at]! - expected[at]!) <= ROUNDING);
  const pixels = Array.from({ length: expected.length / 4 }, (_, i) => 4 * i);
  return pixels.filter((at) => far(at) || far(at + 1) || far(at + 2)).length / pixels.length;
}
