import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "puppeteer-core";
import { openChromium } from "./chromium.js";

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

/**
 * The browser is killed after this time, because it may wait for a driver forever. Calls that still wait then
 * fail.
 */
const LIMIT_MS = 50_000;

const EXAMPLE = "../../examples/browser";

/**
 * Bundles page.js as a web project would, and opens it in a browser. Bundling fails if gpusort/core imports
 * Node modules.
 *
 * @returns the page; or the reason why there is no browser, or no adapter in it.
 */
export async function openPage(): Promise<OpenedPage | string> {
  const started = performance.now();
  const files = {
    "/": '<!doctype html><script type="module" src="/page.js"></script>',
    "/page.js": await bundle("page.js"),
    "/example": readFileSync(new URL(`${EXAMPLE}/index.html`, import.meta.url), "utf8"),
    "/main.js": await bundle(`${EXAMPLE}/main.js`),
  };
  const browser = await openChromium();
  if (typeof browser === "string") return browser;
  const limit = setTimeout(
    () => browser.process()?.kill("SIGKILL"),
    LIMIT_MS - (performance.now() - started),
  );
  const server = await serve(files);
  const close = async () => {
    await browser.close().catch(() => browser.process()?.kill("SIGKILL"));
    clearTimeout(limit);
    server.close();
  };
  try {
    const page = await visit(browser, server, "/", "globalThis.gpusortPage");
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
        (await page.evaluate(`gpusortPage.${name}(...${JSON.stringify(given)})`)) as ReturnType<
          GpusortPage[typeof name]
        >,
      example: () => runExample(browser, server),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return outputFiles[0]!.text;
}

/** Serves files on 127.0.0.1. WebGPU needs a secure context, and browsers treat this address as one. */
async function serve(files: Readonly<Record<string, string>>): Promise<Server> {
  const server = createServer(({ url = "/" }, response) => {
    response.setHeader("content-type", url.endsWith(".js") ? "text/javascript" : "text/html");
    response.end(files[url] ?? "");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

/** Opens a page, and waits until a JavaScript expression is true in it. */
async function visit(browser: Browser, server: Server, path: string, ready: string): Promise<Page> {
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { timeout: 10_000 });
  await page.waitForFunction(ready, { timeout: 25_000 }).catch((error: Error) => {
    throw new Error(`the page did not become ready: ${[error.message, ...failures].join("; ")}`);
  });
  return page;
}

/** Opens examples/browser, and returns what it shows when it has finished. */
async function runExample(browser: Browser, server: Server): Promise<string> {
  const log = 'document.querySelector("#log").textContent';
  const page = await visit(browser, server, "/example", `/same|differ/.test(${log})`);
  return (await page.evaluate(log)) as string;
}
