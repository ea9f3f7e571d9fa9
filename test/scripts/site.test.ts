import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folders = ["dist/page", "dist/site"];
for (const folder of folders)
  if (!existsSync(join(root, folder))) throw new Error("build first: npm run build");
const pages = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".html")),
);
const htmlOf = new Map(pages.map((path) => [path, readFileSync(join(root, path), "utf8")]));
const api = needs(
  existsSync(join(root, "dist/site/docs/api")),
  "the API reference in the site (npm run site)",
);
const withoutCode = (html: string) => html.replace(/<pre[\s\S]*?<\/pre>/g, "");

describe("the built site", () => {
  it("has the page and the documents", () => {
    for (const path of ["index.html", "README.html", "docs/library.html"])
      expect(pages).toContain(`dist/site/${path}`);
  });

  it("is the page that the command serves, with documents and benchmarks besides", () => {
    expect(pages.filter((path) => path.startsWith("dist/page/"))).toEqual(["dist/page/index.html"]);
    const sections = folders.map((folder) =>
      [...htmlOf.get(`${folder}/index.html`)!.matchAll(/<section id="(\w+)"/g)].map(([, id]) => id),
    );
    expect(sections[0]).toContain("sort");
    expect(sections[1]).toEqual([...sections[0]!, "benchmarks", "documents"]);
  });

  it.each(folders)("fills the page in %s", (folder) => {
    expect(htmlOf.get(`${folder}/index.html`)).not.toMatch(/<!--|undefined/);
  });

  api.it("links to the API reference from the page and from each document", () => {
    const ofSite = pages.filter((path) => path.startsWith("dist/site/"));
    const without = ofSite.filter((path) => !/href="[^"]*docs\/api\/README\.html"/.test(htmlOf.get(path)!));
    expect(without).toEqual([]);
    expect(ofSite.filter((path) => path.startsWith("dist/site/docs/api/")).length).toBeGreaterThan(100);
  });

  it.each(pages)("%s links to nothing that is not there", (path) => {
    const html = withoutCode(htmlOf.get(path)!);
    const folder = folders.find((name) => path.startsWith(`${name}/`))!;
    const dead = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, found]) => {
      const link = found!.replaceAll("&amp;", "&");
      if (/^(https?|data|mailto):/.test(link)) return [];
      const [to, anchor] = link.split("#") as [string, string?];
      const target = to === "" ? path : posix.join(posix.dirname(path), to);
      if (!target.startsWith(`${folder}/`) || !existsSync(join(root, target))) return [link];
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
