/**
 * Types on devices of every kind, at sizes around every boundary. Software adapters compile slowly, so all
 * types on all kinds of devices take minutes: GPUSORT_MATRIX=full sorts them. With GPUSORT_TESTS=full, as in
 * CI, one kind of devices sorts each type, and the two types of a kind take the sizes in turns. Otherwise each
 * kind sorts one type, at fewer sizes, in turns.
 */
import type { Page } from "puppeteer-core";
import { afterAll, expect, it } from "vitest";
import { elementTypes } from "../../src/core/elements.js";
import { describeIn, openChromium } from "./chromium.js";
import { bundle, serve, visit } from "./site.js";

const WHOLE = process.env.GPUSORT_MATRIX === "full";
const FULL = WHOLE || process.env.GPUSORT_TESTS === "full";

const KINDS = ["default limits", "the adapter's limits", "no subgroups", "no timestamps", "compatibility"];

/** Sizes on both sides of powers of two, where tiles, workgroups and plans change. */
const SIZES = [
  ...[0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025],
  ...[2047, 2048, 2049, 4095, 4096, 4097, 8191, 8193, 16383, 16385, 32767, 32769, 65535, 65536, 65537],
  ...(FULL ? [1_000_000] : []),
];

const names = elementTypes.map(({ name }) => name);
const isInTurn = (type: number, kind: number) =>
  FULL ? (type + kind) % KINDS.length === 0 : type === (3 * kind) % names.length;
const typesFor = (kind: number) => names.filter((_, type) => WHOLE || isInTurn(type, kind));

describeIn(await openChromium(), "all kinds of devices in a browser", async (browser) => {
  const bundled = await bundle({ page: "matrix_page.js" });
  const html =
    '<!doctype html><link rel="icon" href="data:," /><script type="module" src="page.js"></script>';
  const files: Record<string, string> = { "/": html, ...bundled };
  const site = await serve((path) => (path in files ? { text: files[path]! } : undefined));
  const page: Page = await visit(browser, `${site.url}/`, "globalThis.gpusortMatrix");
  const call = (expression: string) => page.evaluate(`gpusortMatrix.${expression}`);

  afterAll(async () => {
    await browser.close();
    site.close();
  });

  it("are what their names say", async () => {
    const found = Object.fromEntries(
      await Promise.all(
        KINDS.map(async (kind) => [kind, await call(`limits(${JSON.stringify(kind)})`)] as const),
      ),
    ) as Record<string, { invocations: number; features: string[] }>;
    expect(found["default limits"]).toMatchObject({ invocations: 256, storage: 16_384 });
    expect(found["default limits"]!.features).toContain("subgroups");
    expect(found["no subgroups"]!.features).not.toContain("subgroups");
    expect(found["no timestamps"]!.features).not.toContain("timestamp-query");
    expect(found.compatibility!.invocations).toBe(128);
  });

  // The page keeps what it expects of the last type.
  const cases = names.flatMap((type) =>
    KINDS.flatMap((kind, k) => (typesFor(k).includes(type) ? [[kind, type, k] as const] : [])),
  );
  it.each(cases)("%s: %s keys", async (kind, type, turn) => {
    const [every, place] = FULL ? [WHOLE ? 1 : 2, names.indexOf(type)] : [KINDS.length, turn];
    const sizes = SIZES.filter((_, i) => i % every === place % every);
    const wrong = await call(`run(${JSON.stringify(kind)}, "${type}", ${JSON.stringify(sizes)})`);
    expect(wrong).toEqual([]);
  });
});
