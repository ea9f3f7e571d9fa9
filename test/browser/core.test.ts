import { afterAll, expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { difference, distributions, expectedIndices } from "../support/keys.js";
import { describeIn } from "./chromium.js";
import { type Bytes, type OpenedPage, openPage } from "./open_page.js";

const opened = await openPage();
const where = typeof opened === "string" ? "a browser" : opened.version;
describeIn(opened, `gpusort/core in ${where}`, describePage);

function describePage({ call, example, close }: OpenedPage): void {
  afterAll(close);

  const bytesOf = (keys: KeyArray): Bytes => [
    ...new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength),
  ];
  const indicesOf = (bytes: Bytes) => new Uint32Array(Uint8Array.from(bytes).buffer);

  it.each(elementTypes.map((type, i) => [type.name, i % 2 === 1] as const))(
    "sorts keys of type %s, descending: %s",
    async (name, descending) => {
      const type = elementType(name);
      for (const size of [0, 1, 3001]) {
        const keys = distributions.specials!(type, size);
        const sorted = Uint8Array.from(await call("sort", name, bytesOf(keys), { descending }));
        expect(difference(keys, new type.array(sorted.buffer), descending), `${size}`).toBeUndefined();
      }
    },
  );

  it.each(elementTypes.map(({ name }) => name))(
    "sorts %s keys on the CPU, and their indices",
    async (name) => {
      const type = elementType(name);
      for (const descending of [false, true]) {
        const keys = distributions.specials!(type, 3001);
        const sorted = Uint8Array.from(await call("sortOnCpu", name, bytesOf(keys), { descending }));
        expect(difference(keys, new type.array(sorted.buffer), descending)).toBeUndefined();
        const indices = indicesOf(await call("argsortOnCpu", name, bytesOf(keys), { descending }));
        expect(indices).toEqual(expectedIndices(keys, type, { descending }));
      }
    },
  );

  it("sorts pairs, and computes the indices of the order", async () => {
    const type = elementType("f32");
    const keys = distributions["few values"]!(type, 3001);
    const order = expectedIndices(keys, type, { descending: true });
    expect(indicesOf(await call("argsort", "f32", bytesOf(keys), { descending: true }))).toEqual(order);
    const values = Array.from({ length: keys.length }, (_, i) => 7 * i);
    const sorted = await call("sortPairs", "f32", bytesOf(keys), values, { descending: true });
    expect(difference(keys, new Float32Array(Uint8Array.from(sorted.keys).buffer), true)).toBeUndefined();
    expect(sorted.values).toEqual([...order].map((index) => 7 * index));
  });

  it.each(["u32", "i16", "f64"] as const)(
    "sorts %s keys in a buffer within the page's compute pass, with their number in another buffer",
    async (name) => {
      const type = elementType(name);
      const keys = distributions.uniform!(type, 4000);
      const counts = [0, 1, 2500, 4000];
      const results = await call("sortResident", name, bytesOf(keys), counts, { input: "keep" });
      counts.forEach((count, i) => {
        const some = keys.slice(0, count) as KeyArray;
        const sorted = new type.array(Uint8Array.from(results[i]!.keys).buffer).slice(0, count) as KeyArray;
        expect(difference(some, sorted, false), `${count} keys`).toBeUndefined();
        expect(indicesOf(results[i]!.indices).slice(0, count)).toEqual(
          expectedIndices(some, type, { descending: false }),
        );
      });
      expect(results.length).toBe(counts.length);
    },
  );

  it("sorts a million floats in the example page", async () => {
    expect(await example()).toMatch(/^1000000 floats.*\nGPU: .* ms.*\nCPU: .* ms.*\nBoth are the same\.\n$/);
  });

  it("ran on SwiftShader without an uncaptured error", async () => {
    expect(await call("about")).toEqual({ vendor: "google", architecture: "swiftshader", errors: [] });
  });
}
