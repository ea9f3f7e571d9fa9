import { afterAll, expect, it } from "vitest";
import { elementType, type TypeName } from "../../src/core/elements.js";
import { createSorter } from "../../src/index.js";
import { data, deviceBuffers } from "../support/device_buffers.js";
import { difference, distributions, expectedIndices, wordsOfKeys } from "../support/keys.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

/** No index of a test is this number. */
const UNTOUCHED = 0xdead_beef;

describeOnDevice(`indices in buffers of the caller on ${selector}`, async ({ gpu: { device } }) => {
  const sorter = await createSorter(device);
  const { upload, download, submit, keysAt } = deviceBuffers(device);
  afterAll(() => sorter.destroy());

  const untouched = (length: number) => new Uint32Array(length).fill(UNTOUCHED);
  const wordsAt = async (buffer: GPUBuffer, offset: number, length: number) =>
    new Uint32Array(await download({ buffer, offset, bytes: 4 * length }));

  const types: readonly TypeName[] = ["u8", "i16", "f32", "u64"];
  it.each(fewerOnLavapipe(types, ["i16", "u64"]))("are those of %s keys, run after run", async (name) => {
    const type = elementType(name);
    for (const capacity of [1, 3, 1000, 5003]) {
      for (const [input, output] of [
        ["keep", "all"],
        ["destroy", "all"],
        ["destroy", "values"],
      ] as const) {
        const description = {
          type: name,
          capacity,
          payload: "index",
          input,
          output,
          descending: true,
        } as const;
        const needs = sorter.requirements(description);
        expect(needs.values!.bytes).toBe(4 * capacity);
        expect(needs.result.values).toBe("values");
        const keys = upload(new Uint8Array(needs.keys.bytes));
        const indices = upload(untouched(capacity + 1), 4 * (capacity + 1), 256);
        using sort = await sorter.prepare({ ...description, keys, values: { buffer: indices, offset: 256 } });
        expect(sort.values).toEqual({ buffer: indices, offset: 256, bytes: 4 * capacity });
        for (const distribution of ["few values", "specials"]) {
          const some = distributions[distribution]!(type, capacity);
          device.queue.writeBuffer(keys, 0, wordsOfKeys(some));
          submit((encoder) => sort.encode(encoder));
          const order = expectedIndices(some, type, { descending: true });
          const where = `${capacity} ${distribution}, ${input} ${output}`;
          expect(await wordsAt(indices, 256, capacity), where).toEqual(order);
          expect(await wordsAt(indices, 256 + 4 * capacity, 1), where).toEqual(untouched(1));
          if (output === "all") {
            expect(difference(some, await keysAt(sort.keys, name), true), where).toBeUndefined();
          }
        }
      }
    }
  });

  it("are as many as the device counts, and what follows them stays as it is", async () => {
    for (const name of ["u8", "f32", "u64"] as const) {
      const type = elementType(name);
      const keys = distributions["few values"]!(type, 3001);
      const [count, indices] = [upload(new Uint32Array(1)), upload(untouched(3001))];
      const given = { keys: upload(wordsOfKeys(keys)), count, values: indices };
      using sort = await sorter.prepare({
        type: name,
        capacity: 3001,
        payload: "index",
        input: "keep",
        ...given,
      });
      for (const counted of [0, 1, 517, 3001, 2 ** 32 - 1]) {
        device.queue.writeBuffer(indices, 0, untouched(3001));
        device.queue.writeBuffer(count, 0, Uint32Array.of(counted));
        submit((encoder) => sort.encode(encoder));
        const some = keys.slice(0, Math.min(counted, 3001));
        const expected = untouched(3001);
        expected.set(expectedIndices(some, type, { descending: false }));
        expect(await wordsAt(indices, 0, 3001), `${name}, ${counted} keys`).toEqual(expected);
      }
    }
  });

  it("are those of the first keys, and those of segments", async () => {
    const type = elementType("u32");
    const keys = distributions.uniform!(type, 2000) as Uint32Array<ArrayBuffer>;
    const order = expectedIndices(keys, type, { descending: false });
    const top = { type: "u32", capacity: 2000, payload: "index", top: 10 } as const;
    await sorter.warm(top);
    const first = upload(new Uint8Array(sorter.requirements(top).values!.bytes));
    using select = await sorter.prepare({ ...top, keys: upload(keys), values: first });

    const offsets = Uint32Array.of(0, 700, 700, 2000);
    const indices = upload(untouched(2000));
    using segmented = await sorter.prepare({
      ...{ type: "u32", capacity: 2000, payload: "index" },
      ...{ keys: upload(keys), values: indices },
      segments: { capacity: 3, offsets: upload(offsets) },
    });
    submit((encoder) => {
      select.encode(encoder);
      segmented.encode(encoder);
    });
    expect(await wordsAt(first, 0, 10)).toEqual(order.slice(0, 10));
    const [left, right] = [order.filter((i) => i < 700), order.filter((i) => i >= 700)];
    expect(await wordsAt(indices, 0, 2000)).toEqual(Uint32Array.of(...left, ...right));
  });

  it("are in no buffer that other sorts share", async () => {
    const description = { type: "u32", capacity: 700, payload: "index" } as const;
    const scratch = await sorter.createScratch(description);
    const all = [1, 2].map((i) => distributions.uniform!(elementType("u32"), 700 - i));
    const sorts = await Promise.all(
      all.map((keys) =>
        sorter.prepare({
          ...description,
          count: keys.length,
          keys: upload(wordsOfKeys(keys), 2800),
          scratch,
        }),
      ),
    );
    const mine = device.createBuffer({ size: 2800, usage: data });
    const third = await sorter.prepare({
      ...description,
      keys: upload(wordsOfKeys(all[0]!), 2800),
      values: mine,
      scratch,
    });
    submit((encoder) => {
      for (const sort of [...sorts, third]) sort.encode(encoder);
    });
    for (const [i, keys] of all.entries()) {
      const found = new Uint32Array(await download(sorts[i]!.values!));
      expect(found).toEqual(expectedIndices(keys, elementType("u32"), { descending: false }));
    }
    for (const sort of [...sorts, third]) sort.destroy();
    for (const buffer of Object.values(scratch)) buffer.destroy();
    device.queue.writeBuffer(mine, 0, untouched(1)); // still exists
  });
});
