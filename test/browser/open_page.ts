import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "puppeteer-core";
import { openChromium } from "./chromium.js";

/** Raw bytes, as they cross between the test and the page. */
export type Bytes = number[];

/** What page.js puts into the page. */
export interface GpusortPage {
  about(): { vendor: string; architecture: string; errors: string[] };
  sort(type: string, bytes: Bytes, call: object): Bytes;
  argsort(type: string, bytes: Bytes, call: object): Bytes;
  sortPairs(type: string, bytes: Bytes, values: number[], call: object): { keys: Bytes; values: number[] };
  sortResident(type: string, bytes: Bytes, counts: number[], call: object): { keys: Bytes; indices: Bytes }[];
}

export interface OpenedPage {
  /** Of the browser. */
  readonly version: string;
  call<Name extends keyof GpusortPage>(
    name: Name,
    ...given: Parameters<GpusortPage[Name]>
  ): Promise<ReturnType<GpusortPage[Name]>>;
  close(): Promise<void>;
}

/** All must be over by then: a browser may wait for a driver for ever, and killed, it fails what waits for it. */
const LIMIT_MS = 50_000;

/**
 * Bundles page.js as a web project would, which fails on what only Node has, and opens it in a browser.
 *
 * @returns the page; or why there is none, for want of a browser or of an adapter in it.
 */
export async function openPage(): Promise<OpenedPage | string> {
  const started = performance.now();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("page.js", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  const browser = await openChromium();
  if (typeof browser === "string") return browser;
  const limit = setTimeout(
    () => browser.process()?.kill("SIGKILL"),
    LIMIT_MS - (performance.now() - started),
  );
  const server = await serve(outputFiles[0]!.text);
  const close = async () => {
    await browser.close().catch(() => browser.process()?.kill("SIGKILL"));
    clearTimeout(limit);
    server.close();
  };
  try {
    const page = await visit(browser, server);
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
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** On 127.0.0.1, which browsers take for secure, as WebGPU asks. */
async function serve(script: string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const isScript = url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
}

async function visit(browser: Browser, server: Server): Promise<Page> {
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { timeout: 10_000 });
  await page.waitForFunction("globalThis.gpusortPage", { timeout: 25_000 }).catch((error: Error) => {
    throw new Error(`the page did not get ready: ${[error.message, ...failures].join("; ")}`);
  });
  return page;
}
