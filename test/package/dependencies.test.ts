import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { versions } from "../../src/optional_packages.js";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(read("package.json"));

/** The packages in the first column of the tables of CONTRIBUTING's section, which give a reason for each. */
const [, installed, optional] = read("CONTRIBUTING.md")
  .split("\n## Dependencies\n")[1]!
  .split("\n## ")[0]!
  .split("| package |")
  .map((table) =>
    [...table.matchAll(/^\| (`.*?) \| .*\w.* \|$/gm)].flatMap(([, names]) =>
      [...names!.matchAll(/`(.+?)`/g)].map(([, name]) => name),
    ),
  );

it("each dependency has a reason in CONTRIBUTING.md", () => {
  expect(installed).toEqual(Object.keys(dependencies));
});

it("each peer is optional, and CONTRIBUTING.md says what for", () => {
  expect(optional).toEqual(Object.keys(peerDependencies));
  const isOptional = Object.fromEntries(optional!.map((name) => [name, { optional: true }]));
  expect(peerDependenciesMeta).toEqual(isOptional);
});

it("what a message says to install is what package.json takes", () => {
  for (const [name, version] of Object.entries(versions)) {
    expect(peerDependencies[name], name).toMatch(new RegExp(`^\\^?${version.replaceAll(".", "\\.")}\\b`));
  }
});

it.each(["docs/benchmark.md", "docs/formats.md", "docs/gallery.md"])("and what %s says", (path) => {
  const named = Object.entries(versions).flatMap(([name, version]) =>
    [...read(path).matchAll(new RegExp(`(?<![\\w-])${name}@([\\w.-]+)`, "g"))].map(([, said]) => [
      name,
      version,
      said,
    ]),
  );
  expect(named).not.toEqual([]);
  expect(named.filter(([, version, said]) => version !== said)).toEqual([]);
});
