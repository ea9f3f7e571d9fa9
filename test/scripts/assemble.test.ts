import { promises as fs } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { assemble } from "../../scripts/assemble.js";

const root = await fs.mkdtemp(join(tmpdir(), "gpusort-assemble-"));
afterAll(() => fs.rm(root, { recursive: true }));

it("compiles AssemblyScript anew if its sources have changed, or if what was written of it was cut short", async () => {
  const source = (name: string) => `export function ${name}(): void { store<u8>(2000, 1); }`;
  await fs.writeFile(join(root, "index.ts"), source("first"));
  const first = await assemble(root, "a", "");
  expect(first).toContain('kernelNames = ["first"]');
  await fs.writeFile(join(root, "index.ts"), source("second"));
  expect(await assemble(root, "a", first)).toBe(first);
  const second = await assemble(root, "b", first);
  expect(second).toContain('kernelNames = ["second"]');
  expect(await assemble(root, "b", second.slice(0, -10))).toBe(second);
});
