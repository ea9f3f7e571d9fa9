import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { fileServer } from "../../src/commands/demo/demo_page.js";
import { needs } from "../support/needs.js";
import { describeIn, openChromium } from "./chromium.js";

const siteFolder = fileURLToPath(new URL("../../dist/site", import.meta.url));
/** A page of the API reference, with wide tables. */
const PATH = "docs/api/classes/gpusort_core.Sorter.html";
const PHONE_WIDTH = 360;

describeIn(await openChromium(), "the API reference in the site", (browser) => {
  const { it } = needs(existsSync(`${siteFolder}/${PATH}`), "the API reference in the site (npm run site)");

  it("fits a phone", async () => {
    const server = createServer(fileServer(siteFolder, {}));
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    try {
      const page = await browser.newPage();
      await page.setViewport({ width: PHONE_WIDTH, height: 900 });
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/${PATH}`);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE_WIDTH);
    } finally {
      await browser.close();
      server.close();
    }
  });
});
