import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "puppeteer-core";
import { fileServer } from "../../src/commands/demo/demo_page.js";
import { HANG_MS } from "../support/hang_limit.js";

/** The page with the documents, for a static host. */
export const siteFolder = fileURLToPath(new URL("../../dist/site", import.meta.url));

/** A file as a server sends it. */
export interface Served {
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Site {
  readonly url: string;
  close(): void;
}

/**
 * Bundles files of this folder as a web project would. Bundling fails if one imports Node modules.
 *
 * @param entries the files by their names in the bundle, without extensions.
 * @returns the texts of the bundle's files by their paths, such as "/page.js".
 */
export async function bundle(entries: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const paths = Object.entries(entries).map(([name, path]) => [
    name,
    fileURLToPath(new URL(path, import.meta.url)),
  ]);
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(paths),
    outdir: "page",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [`/${path.split(/[\\/]/).at(-1)}`, text]));
}

/**
 * Serves files on 127.0.0.1, which browsers treat as a secure context.
 *
 * @param find returns the file of a path such as "/page.js"; undefined if there is none.
 */
export function serve(find: (path: string) => Served | undefined): Promise<Site> {
  return listen(({ url = "/" }, response) => {
    const served = find(url);
    const type = url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(served ? 200 : 404, {
      "content-type": type,
      "cache-control": "no-store",
      ...served?.headers,
    });
    response.end(served?.text);
  });
}

/** Serves the site with the documents, for a static host, that the build has made. */
export const serveBuiltSite = (): Promise<Site> => listen(fileServer(siteFolder, {}));

async function listen(listener: RequestListener): Promise<Site> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}

/** Opens a page, and waits until a JavaScript expression is true in it. */
export async function visit(browser: Browser, url: string, ready: string): Promise<Page> {
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  page.setDefaultTimeout(HANG_MS);
  await page.goto(url);
  await page.waitForFunction(ready).catch((error: Error) => {
    throw new Error(`the page did not become ready: ${[error.message, ...failures].join("; ")}`);
  });
  return page;
}
