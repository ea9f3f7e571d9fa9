import { readFileSync } from "node:fs";
import type { Browser } from "puppeteer-core";
import { HANG_MS } from "../support/hang_limit.js";
import { openChromium } from "./chromium.js";
import { bundle, type Site, serve, visit } from "./site.js";

/** Bytes as a plain array, which can be passed between the test and the page. */
export type Bytes = number[];

/** The functions that page.js defines in the page. */
export interface GpusortPage {
  about(): { vendor: string; architecture: string; errors: string[] };
  sort(type: string, bytes: Bytes, call: object): Bytes;
  argsort(type: string, bytes: Bytes, call: object): Bytes;
  sortOnCpu(type: string, bytes: Bytes, call: object): Bytes;
  argsortOnCpu(type: string, bytes: Bytes, call: object): Bytes;
  sortPairs(type: string, bytes: Bytes, values: number[], call: object): { keys: Bytes; values: number[] };
  sortResident(type: string, bytes: Bytes, counts: number[], call: object): { keys: Bytes; indices: Bytes }[];
}

export interface OpenedPage {
  /** The version of the browser. */
  readonly version: string;
  call<Name extends keyof GpusortPage>(
    name: Name,
    ...given: Parameters<GpusortPage[Name]>
  ): Promise<ReturnType<GpusortPage[Name]>>;
  /** Opens examples/browser. @returns the text that it shows. */
  example(): Promise<string>;
  close(): Promise<void>;
}

const EXAMPLE = "../../examples/browser";

/**
 * Bundles page.js, and opens it in a browser.
 *
 * @returns the page; or the reason why there is no browser, or no adapter in it.
 */
export async function openPage(): Promise<OpenedPage | string> {
  const files: Record<string, string> = {
    "/": '<!doctype html><script type="module" src="/page.js"></script>',
    "/example": readFileSync(new URL(`${EXAMPLE}/index.html`, import.meta.url), "utf8"),
    ...(await bundle({ page: "page.js", main: `${EXAMPLE}/main.js` })),
  };
  const browser = await openChromium();
  if (typeof browser === "string") return browser;
  // It may wait for a driver forever. Calls that still wait when it is killed fail.
  const limit = setTimeout(() => browser.process()?.kill("SIGKILL"), HANG_MS);
  const answered = <T>(value: T): T => {
    limit.refresh();
    return value;
  };
  const site = await serve((path) => (path in files ? { text: files[path]! } : undefined));
  const close = async () => {
    await browser.close().catch(() => browser.process()?.kill("SIGKILL"));
    clearTimeout(limit);
    site.close();
  };
  try {
    const page = await visit(browser, `${site.url}/`, "globalThis.gpusortPage");
    const { missing, failed } = (await page.evaluate(
      "({ missing: gpusortPage.missing, failed: gpusortPage.failed })",
    )) as { missing?: string; failed?: string };
    if (failed) throw new Error(`the page failed: ${failed}`);
    const version = await browser.version();
    if (missing) {
      await close();
      return `${version}: ${missing}`;
    }
    return {
      version,
      call: async (name, ...given) =>
        answered(
          (await page.evaluate(`gpusortPage.${name}(...${JSON.stringify(given)})`)) as ReturnType<
            GpusortPage[typeof name]
          >,
        ),
      example: async () => answered(await runExample(browser, site)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens examples/browser, and returns what it shows when it has finished. */
async function runExample(browser: Browser, site: Site): Promise<string> {
  const log = 'document.querySelector("#log").textContent';
  const page = await visit(browser, `${site.url}/example`, `/same|differ/.test(${log})`);
  return (await page.evaluate(log)) as string;
}
