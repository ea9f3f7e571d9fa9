import type { Browser } from "puppeteer-core";
import { afterAll, describe, expect, it } from "vitest";
import { elementTypes } from "../../src/core/elements.js";
import { HANG_MS } from "../support/hang_limit.js";
import { needsChromium, openChromium } from "./chromium.js";
import { bundle, type Served, serve, visit } from "./site.js";

const isolated = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

interface Folder {
  readonly headers: Readonly<Record<string, string>>;
  /** What is served instead of the worker's file; "" for nothing. */
  readonly worker?: string;
}

/** Pages in which no worker starts. */
const workerless: Record<string, Folder> = {
  "not isolated": { headers: {} },
  "without the file of the worker": { headers: isolated, worker: "" },
  "with another file in its place": { headers: isolated, worker: "// says nothing" },
  "with a policy that forbids workers": {
    headers: { ...isolated, "content-security-policy": "worker-src 'none'" },
  },
};

/** The folders of the site. */
const folders: Record<string, Folder> = {
  ...workerless,
  isolated: { headers: isolated },
  "without WebAssembly": { headers: { "content-security-policy": "script-src 'self'" } },
};

const html = '<!doctype html><link rel="icon" href="data:," /><script type="module" src="page.js"></script>';
const bundled = await bundle({
  page: "threads_page.js",
  web_worker: "../../dist/core/cpu/web_worker.js",
});

function find(path: string): Served | undefined {
  const [, folder = "", file = ""] = decodeURI(path).split("/");
  const { headers, worker } = folders[folder] ?? { headers: {} };
  const text = file === "web_worker.js" ? (worker ?? bundled["/web_worker.js"]) : bundled[`/${file}`];
  if (file === "") return { headers, text: html };
  return text ? { headers, text } : undefined;
}

const browser = await openChromium();
if (typeof browser === "string") needsChromium(browser).describe("threads in a browser", () => {});
else await describeThreads(browser);

/** Two running threads sort so many u32 keys. */
const LARGE = 2 ** 21;
/** So many are worth starting two threads for, or more. */
const FIRST = 3 * 2 ** 23;

async function describeThreads(browser: Browser): Promise<void> {
  const site = await serve(find);
  afterAll(async () => {
    await browser.close().catch(() => browser.process()?.kill("SIGKILL"));
    site.close();
  });

  const open = async (folder: string) => {
    const page = await visit(browser, encodeURI(`${site.url}/${folder}/`), "globalThis.gpusortPage");
    const call = (name: string, ...given: unknown[]) =>
      page.evaluate(`gpusortPage.${name}(...${JSON.stringify(given)})`);
    return { page, call };
  };

  describe("a page that is cross-origin isolated", () => {
    it.each([1, 2, 3, 4])("sorts keys of every type on %i threads", async (threads) => {
      const { page, call } = await open("isolated");
      await call("open", threads);
      expect(await call("sort", "u32", LARGE)).toBeUndefined();
      for (const [i, { name, bytes }] of elementTypes.entries()) {
        // From so many keys on, more than one thread sorts.
        const shared = Math.ceil(2 ** 23 / Math.max(2, threads) / Math.max(4, bytes));
        for (const size of [0, 1, shared - 1, shared, shared + 1]) {
          expect(await call("sort", name, size, i % 2 === 1), `${name}, ${size} keys`).toBeUndefined();
        }
      }
      expect(await call("sortStably", 200_003)).toBeUndefined();
      expect(page.workers().length).toBe(threads > 1 ? threads : 0);
      await page.close();
    });

    it("lets all its threads take part in a large sort, and none of them after it is destroyed", async () => {
      const { page, call } = await open("isolated");
      await call("open", 4);
      for (let turn = 0; turn < 2; turn++) expect(await call("outcome", 6 * LARGE)).toBe("sorted");
      // A thread takes each of its calls by an atomic addition.
      const count =
        "const { add } = Atomics; self.taken = 0; Atomics.add = (...all) => (taken++, add(...all))";
      await Promise.all(page.workers().map((worker) => worker.evaluate(`{ ${count} }`)));
      expect(await call("sort", "u32", 6 * LARGE)).toBeUndefined();
      const taken = await Promise.all(page.workers().map((worker) => worker.evaluate("taken")));
      expect(taken.length).toBe(4);
      for (const calls of taken) expect(calls).toBeGreaterThan(10);
      expect(await call("close", 6 * LARGE)).toBe("InputError: the sorter was destroyed");
      await expect.poll(() => page.workers().length, { timeout: HANG_MS }).toBe(0);
      await page.close();
    });

    it("ends a sort when its signal aborts, writes nothing, and sorts again", async () => {
      const { page, call } = await open("isolated");
      await call("open", 2);
      let aborted = 0;
      for (const delay of [0, 5, 10, 20, 40]) {
        const { outcome, wrote } = (await call("abort", 4 * LARGE, delay)) as Record<string, unknown>;
        if (outcome === "sorted") continue;
        expect({ outcome, wrote }).toEqual({ outcome: "Error: stop", wrote: false });
        aborted++;
      }
      expect(aborted).toBeGreaterThan(0);
      expect(await call("sort", "f64", LARGE)).toBeUndefined();
      await page.close();
    });

    it.each([
      ["fails", "Atomics.add = () => { throw new Error('no more'); };", "no more"],
      ["closes", "self.onmessage = () => self.close();", "does not answer any more"],
    ])("reports a worker that %s as a DeviceError, and starts new ones", async (_, how, reported) => {
      const { page, call } = await open("isolated");
      await call("hurry"); // the page looks ten times as often whether a silent worker works
      await call("open", 2);
      expect(await call("outcome", FIRST)).toBe("sorted");
      expect(page.workers().length).toBe(2);
      await page.workers()[1]!.evaluate(how);
      expect(await call("outcome", LARGE)).toMatch(new RegExp(`^DeviceError: .*${reported}`));
      expect(await call("sort", "i32", LARGE)).toBeUndefined();
      await page.close();
    });

    it("refuses a wrong number of threads", async () => {
      const { page, call } = await open("isolated");
      for (const threads of [0, 1.5, 256]) {
        expect(await call("openOutcome", threads)).toBe(
          `InputError: the number of threads cannot be ${threads}`,
        );
      }
      await page.close();
    });
  });

  it.each(Object.keys(workerless))("a page %s sorts on its own thread", async (folder) => {
    const { page, call } = await open(folder);
    await call("open", 4);
    for (const size of [1000, FIRST, LARGE]) {
      expect(await call("sort", "u32", size)).toBeUndefined();
      expect(await call("sortStably", Math.min(size, 300_000))).toBeUndefined();
    }
    await expect.poll(() => page.workers().length, { timeout: HANG_MS }).toBe(0);
    await page.close();
  });

  it("a page whose policy forbids WebAssembly says so", async () => {
    const { page, call } = await open("without WebAssembly");
    await call("open");
    expect(await call("outcome", 2)).toMatch(/^DeviceError: WebAssembly does not compile here/);
    await page.close();
  });
}
