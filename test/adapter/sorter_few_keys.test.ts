import { afterAll, expect, it } from "vitest";
import { elementType, elementTypes } from "../../src/core/elements.js";
import { createSorter } from "../../src/index.js";
import { deviceBuffers } from "../support/device_buffers.js";
import { difference, distributions, expectedIndices, wordsOfKeys } from "../support/keys.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

describeOnDevice(`a sorter of few keys in buffers on ${selector}`, async ({ gpu: { device } }) => {
  const sorter = await createSorter(device);
  const { upload, download, submit, keysAt } = deviceBuffers(device);
  afterAll(() => sorter.destroy());

  const names = elementTypes.map(({ name }) => name);
  it.each(fewerOnLavapipe(names, ["u8", "i16", "f64"]))(
    "sorts %s in buffers as short as the keys",
    async (name) => {
      const type = elementType(name);
      for (const capacity of [1, 2, 3, 4, 5]) {
        const keys = distributions.specials!(type, capacity);
        const order = expectedIndices(keys, type, { descending: true });
        const values = new Uint32Array(2 * capacity).map((_, i) => i);
        for (const payload of [undefined, 4, 8] as const) {
          const buffer = upload(wordsOfKeys(keys));
          const moved = payload && upload(values.subarray(0, (payload / 4) * capacity));
          const given = { keys: buffer, ...(moved ? { values: moved } : {}) };
          using sort = await sorter.prepare({ type: name, capacity, payload, descending: true, ...given });
          submit((encoder) => sort.encode(encoder));
          const where = `${capacity} keys, payload ${payload}`;
          expect(difference(keys, await keysAt(sort.keys, name), true), where).toBeUndefined();
          if (!payload) continue;
          const expected = [...order].flatMap((i) => (payload === 4 ? [i] : [2 * i, 2 * i + 1]));
          expect([...new Uint32Array(await download(sort.values!))], where).toEqual(expected);
        }
      }
    },
  );

  it("leaves the bytes after the last narrow key of a word as they are", async () => {
    const bytes = Uint8Array.of(3, 1, 2, 99, 98, 97, 96, 95);
    for (const capacity of [1, 2, 3, 5, 6]) {
      const buffer = upload(bytes);
      using sort = await sorter.prepare({ type: "u8", capacity, keys: buffer });
      submit((encoder) => sort.encode(encoder));
      const after = new Uint8Array(await download({ buffer, offset: 0, bytes: 8 }));
      const expected = [...bytes.slice(0, capacity).sort(), ...bytes.slice(capacity)];
      expect([...after], `${capacity} keys`).toEqual(expected);
    }
  });

  it("selects, counts and sorts segments of few keys in buffers as short as the keys", async () => {
    for (const name of ["u8", "u32", "u64"] as const) {
      const keys = new (elementType(name).array)(3);
      const one = name === "u64" ? 1n : 1;
      keys.set([one, one, one].map((_, i) => (name === "u64" ? BigInt(2 - i) : 2 - i)) as never);
      const fresh = () => ({ type: name, capacity: 3, keys: upload(wordsOfKeys(keys)) });
      using top = await sorter.prepare({ ...fresh(), top: 1 });
      const vector = upload(wordsOfKeys(keys), Math.max(16, keys.byteLength));
      using distinct = await sorter.prepare({ ...fresh(), keys: vector, unique: "counts" });
      const offsets = upload(Uint32Array.of(1, 3));
      using segments = await sorter.prepare({ ...fresh(), segments: { capacity: 1, offsets } });
      submit((encoder) => {
        for (const sort of [top, distinct, segments]) sort.encode(encoder);
      });
      expect([...(await keysAt(top.keys, name))].map(Number)).toEqual([0]);
      expect([...(await keysAt(distinct.keys, name))].map(Number)).toEqual([0, 1, 2]);
      expect([...(await keysAt(segments.keys, name))].map(Number)).toEqual([2, 0, 1]);
    }
  });
});
