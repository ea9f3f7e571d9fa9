import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.js";

const site = fileURLToPath(new URL("../../dist/site/", import.meta.url));
if (!existsSync(site)) throw new Error("build first: npm run build");
const pages = readdirSync(site, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".html"));
const htmlOf = new Map(pages.map((path) => [path, readFileSync(join(site, path), "utf8")]));
const api = needs(existsSync(join(site, "docs/api")), "the API reference in the site (npm run site)");
const withoutCode = (html: string) => html.replace(/<pre[\s\S]*?<\/pre>/g, "");

describe("the built site", () => {
  it("has the page and the documents", () => {
    for (const path of ["index.html", "README.html", "docs/library.html"]) expect(pages).toContain(path);
    expect(htmlOf.get("index.html")).not.toContain("<!--");
    expect(htmlOf.get("index.html")).not.toContain("undefined");
  });

  api.it("links to the API reference from the page and from each document", () => {
    const without = pages.filter((path) => !/href="[^"]*docs\/api\/README\.html"/.test(htmlOf.get(path)!));
    expect(without).toEqual([]);
    expect(pages.filter((path) => path.startsWith("docs/api/")).length).toBeGreaterThan(100);
  });

  it.each(pages)("%s links to nothing that is not there", (path) => {
    const html = withoutCode(htmlOf.get(path)!);
    const dead = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, found]) => {
      const link = found!.replaceAll("&amp;", "&");
      if (/^(https?|data|mailto):/.test(link)) return [];
      const [to, anchor] = link.split("#") as [string, string?];
      const target = to === "" ? path : posix.join(posix.dirname(path), to);
      if (!existsSync(join(site, target))) return [link];
      const anchors = htmlOf.get(target);
      return anchor && anchors && !anchors.includes(`id="${anchor}"`) ? [link] : [];
    });
    expect(dead).toEqual([]);
  });

  it.each(pages)("%s loads nothing from elsewhere", (path) => {
    const html = withoutCode(htmlOf.get(path)!);
    const loaded = [...html.matchAll(/<(?:script|img|link|iframe|source)\b[^>]*(?:src|href)="([^"]*)"/g)];
    expect(loaded.filter(([, url]) => /^(https?:)?\/\//.test(url!))).toEqual([]);
  });
});
