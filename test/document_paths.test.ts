import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = readdirSync(`${root}docs`).filter((name) => name.endsWith(".md"));
const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...pages.map((name) => `docs/${name}`)];

/** What a build writes, or what stands for a name. */
const unwritten = /^(docs\/api\/|docs\/benchmarks\/LAST\.json$|test\/FILE$)/;

const rooms = readdirSync(`${root}src`, { withFileTypes: true }).filter((one) => one.isDirectory());
const beginsWith = (folders: readonly string[]) => new RegExp(`^(?:${folders.join("|")})/[\\w{},./*-]*$`);
const ofProject = beginsWith(["src", "test", "wgsl", "assembly", "scripts", "bench", "examples", "docs"]);
const isSource = (path: string) => /^\w.*\/.*\.(ts|wgsl)$/.test(path);
/** ARCHITECTURE.md leaves `src/` out. */
const ofRooms = beginsWith(rooms.map(({ name }) => name));

function pathsOf(document: string): string[] {
  const text = readFileSync(root + document, "utf8");
  const words = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code!.split(/\s+/));
  const short = document === "ARCHITECTURE.md" ? words.filter((one) => ofRooms.test(one)) : [];
  return [...words.filter((one) => ofProject.test(one) || isSource(one)), ...short].filter(
    (one) => !unwritten.test(one),
  );
}

/** Whether a path, or each that its braces and stars stand for, names a file or a folder. */
function isThere(path: string): boolean {
  const [, before, names, after] = /^(.*?)\{(.*?)\}(.*)$/.exec(path) ?? [];
  if (names !== undefined) return names.split(",").every((name) => isThere(before + name + after));
  const pattern = path.replace(/\/$/, "");
  const patterns = [pattern, `src/${pattern}`];
  return globSync(patterns, { cwd: root, onlyFiles: false, dot: true, expandDirectories: false }).length > 0;
}

describe("the paths that documents name", () => {
  it.each(documents)("are there, in %s", (document) => {
    expect(pathsOf(document).filter((path) => !isThere(path))).toEqual([]);
  });

  it("are found, and missed where they are not there", () => {
    expect(pathsOf("ARCHITECTURE.md").length).toBeGreaterThan(50);
    expect(isThere("wgsl/shared/{order,nans}.wgsl")).toBe(true);
    expect(isThere("wgsl/shared/{order,none}.wgsl")).toBe(false);
  });
});
