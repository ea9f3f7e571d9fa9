import { existsSync } from "node:fs";
import { expect } from "vitest";
import { needs } from "../support/needs.js";
import { describeIn, openChromium } from "./chromium.js";
import { serveBuiltSite, siteFolder } from "./site.js";

/** A page of the API reference, with wide tables. */
const PATH = "docs/api/classes/gpusort_core.Sorter.html";
const PHONE_WIDTH = 360;

describeIn(await openChromium(), "the API reference in the site", (browser) => {
  const { it } = needs(existsSync(`${siteFolder}/${PATH}`), "the API reference in the site (npm run site)");

  it("fits a phone", async () => {
    const site = await serveBuiltSite();
    try {
      const page = await browser.newPage();
      await page.setViewport({ width: PHONE_WIDTH, height: 900 });
      await page.goto(`${site.url}/${PATH}`);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE_WIDTH);
    } finally {
      await browser.close();
      site.close();
    }
  });
});
