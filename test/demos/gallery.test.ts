import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { demos } from "../../src/demos/registry.js";

const docs = new URL("../../docs/", import.meta.url);
const text = readFileSync(new URL("gallery.md", docs), "utf8");

it("the gallery has a section with a command for every demo", () => {
  const sections = text.split(/^## /m).slice(1);
  expect(sections.map((section) => section.split("\n")[0])).toEqual(demos.map(({ name }) => name));
  for (const section of sections) expect(section).toContain(`\n\`gpusort demo ${section.split("\n")[0]}`);
});

it("the gallery names only options that exist", () => {
  for (const [, name, words] of text.matchAll(/`gpusort demo ([a-z-]+)([^`]*)`/g)) {
    const demo = demos.find((one) => one.name === name);
    expect(demo, name).toBeDefined();
    for (const [, option] of words!.matchAll(/--([a-z-]+)/g)) {
      expect([...Object.keys(demo!.options), "help", "device", "no-timing"], `${name} --${option}`).toContain(
        option,
      );
    }
  }
});

it("the gallery shows every picture in its folder, and no other", () => {
  const shown = [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path!);
  for (const path of shown) expect(existsSync(new URL(path, docs)), path).toBe(true);
  expect([...new Set(shown)].sort()).toEqual(
    readdirSync(new URL("gallery/", docs))
      .map((file) => `gallery/${file}`)
      .sort(),
  );
});
