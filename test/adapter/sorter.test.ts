import { afterAll, expect, it } from "vitest";
import { BufferUsage } from "../../src/core/device/usage.js";
import { elementType, elementTypes, type KeyArray, type TypeName } from "../../src/core/elements.js";
import { createSorter, InputError, type SortDescription } from "../../src/index.js";
import { data, deviceBuffers } from "../support/device_buffers.js";
import { difference, distributions, expectedIndices, sortedCopy, wordsOfKeys } from "../support/keys.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

describeOnDevice(`a sorter on ${selector}`, async ({ gpu: { device } }) => {
  const handler = device.onuncapturederror;
  const sorter = await createSorter(device);
  afterAll(() => sorter.destroy());

  const { upload, download, submit, keysAt } = deviceBuffers(device);

  const widths: TypeName[] = ["u8", "i16", "f32", "u64"];

  // On lavapipe, conformance.test.ts sorts every type by the same kernels.
  const all = elementTypes.map(({ name }) => name);
  it.each(fewerOnLavapipe(all, widths))("sorts arrays of %s", async (name) => {
    const type = elementType(name);
    for (const size of [0, 1, 2, 997, 5001]) {
      for (const distribution of ["uniform", "few values", "specials"]) {
        for (const descending of [false, true]) {
          const keys = distributions[distribution]!(type, size);
          const before = keys.slice();
          const sorted = await sorter.sort(keys, { descending });
          expect(difference(keys, sorted, descending), `${size} ${distribution}`).toBeUndefined();
          expect(wordsOfKeys(keys), "the input").toEqual(wordsOfKeys(before));
        }
      }
    }
  });

  it("finds the stable order of keys, by all or some of their bits", async () => {
    for (const type of widths.map(elementType)) {
      for (const bits of [undefined, { begin: 2, end: 7 }, { begin: 3, end: 3 }]) {
        for (const descending of fewerOnLavapipe([false, true], [type.bytes > 1])) {
          const keys = distributions["few values"]!(type, 1501);
          const indices = await sorter.argsort(keys, { bits, descending });
          expect(indices, `${type.name} ${bits?.begin}`).toEqual(
            expectedIndices(keys, type, { bits, descending }),
          );
        }
      }
    }
    expect(await sorter.argsort(new Uint16Array())).toEqual(new Uint32Array());
  });

  it("reads back the keys of this call, although an earlier one wanted none of its own", async () => {
    const keys = distributions["few values"]!(elementType("i32"), 25) as Int32Array;
    for (const type of ["u8", "i16", "f32"].map((name) => elementType(name))) {
      const earlier = distributions.uniform!(type, 2290);
      expect(await sorter.sort(earlier, { top: 0, descending: true })).toHaveLength(0);
      const { keys: distinct } = await sorter.unique(keys);
      expect([...distinct]).toEqual([...new Set(keys)].sort((a, b) => a - b));
    }
  });

  it("keeps the bits of a NaN that assignments change, when it moves the first keys with values", async () => {
    const bits = Uint32Array.of(0xff800001, 0x3f800000, 0x7f800001);
    const { keys } = await sorter.sortPairs(new Float32Array(bits.buffer), Uint32Array.of(5, 6, 7), {
      top: 3,
    });
    expect(new Uint32Array(keys.buffer)).toEqual(Uint32Array.of(0x3f800000, 0xff800001, 0x7f800001));
  });

  it("moves values of any size and array class with the keys, stably", async () => {
    const type = elementType("f32");
    for (const words of [1, 2, 3]) {
      const keys = distributions.specials!(type, 1203);
      const values = new Float32Array(keys.length * words).map((_, i) => i);
      const order = expectedIndices(keys, type, { descending: true });
      const sorted = await sorter.sortPairs(keys, values, { descending: true });
      expect(difference(keys, sorted.keys, true)).toBeUndefined();
      const moved = [...order].flatMap((index) => [...values.slice(index * words, (index + 1) * words)]);
      expect(sorted.values).toEqual(new Float32Array(moved));
    }
    const bytes = await sorter.sortPairs(
      new Uint8Array([3, 1, 2]),
      Uint8Array.from({ length: 12 }, (_, i) => i),
    );
    expect([...bytes.values]).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3]);
    expect(await sorter.sortPairs(new Uint32Array(), new Uint32Array())).toEqual({
      keys: new Uint32Array(),
      values: new Uint32Array(),
    });
  });

  it("sorts few keys with one kernel for all types and directions, and more keys with others", async () => {
    const labels = new Set<string>();
    const compile = device.createComputePipelineAsync;
    device.createComputePipelineAsync = (descriptor) => {
      labels.add(descriptor.label!);
      return compile.call(device, descriptor);
    };
    const own = await createSorter(device);
    labels.clear(); // of the kernels that are tested first
    for (const type of elementTypes) {
      for (const size of [0, 1, 63, 64, 65, 1024]) {
        const keys = distributions.specials!(type, size);
        const descending = size % 2 === 0;
        expect(difference(keys, await own.sort(keys, { descending }), descending)).toBeUndefined();
        const order = expectedIndices(keys, type, { descending });
        expect(await own.argsort(keys, { descending, verify: false })).toEqual(order);
        const values = new Uint32Array(2 * size).map((_, i) => i);
        const { values: moved } = await own.sortPairs(keys, values, { descending });
        expect([...moved]).toEqual([...order].flatMap((i) => [2 * i, 2 * i + 1]));
      }
    }
    expect([...labels]).toEqual(["enumeration"]);
    const more = distributions.uniform!(elementType("u32"), 1025);
    expect(difference(more, await own.sort(more), false)).toBeUndefined();
    expect(labels.size).toBeGreaterThan(1);
    own.destroy();
    device.createComputePipelineAsync = compile;
  });

  it("compiles the kernels of sorts before they are prepared", async () => {
    const compile = device.createComputePipelineAsync;
    let compiled = 0;
    device.createComputePipelineAsync = (descriptor) => {
      compiled++;
      return compile.call(device, descriptor);
    };
    const own = await createSorter(device);
    const description = { type: "u32", capacity: 3000, payload: "index" } as const;
    compiled = 0;
    await own.warm(description);
    await own.warm([description, { ...description, output: "values" }]);
    expect(compiled).toBeGreaterThan(0);
    compiled = 0;
    const keys = upload(new Uint32Array(3000));
    await own.prepare({ ...description, keys });
    await own.prepare({ ...description, output: "values", keys });
    expect(compiled).toBe(0);
    own.destroy();
    device.createComputePipelineAsync = compile;
  });

  it("sorts into an array of the caller, which may be the input itself", async () => {
    const keys = distributions.uniform!(elementType("i16"), 3001);
    const expected = sortedCopy(keys, false);
    const into = new Int16Array(3001);
    expect(await sorter.sort(keys as Int16Array, { into })).toBe(into);
    expect(into).toEqual(expected);
    expect(await sorter.sort(keys, { into: keys, verify: false })).toBe(keys);
    expect(keys).toEqual(expected);

    const pairs = { keys: new Uint32Array([2, 3, 1]), values: new Uint32Array([20, 30, 10]) };
    expect(await sorter.sortPairs(pairs.keys, pairs.values, { into: pairs })).toBe(pairs);
    expect(pairs).toEqual({ keys: new Uint32Array([1, 2, 3]), values: new Uint32Array([10, 20, 30]) });
  });

  it("sorts arrays whose memory is shared or can be resized, also if it grows meanwhile", async () => {
    type Made = new (
      bytes: number,
      options?: { maxByteLength: number },
    ) => ArrayBuffer & { resize(bytes: number): void };
    for (const size of [700, 5000]) {
      const keys = distributions.uniform!(elementType("f32"), size) as Float32Array;
      const shared = new Float32Array(new SharedArrayBuffer(4 * size));
      shared.set(keys);
      expect(difference(keys, await sorter.sort(shared, { into: shared }), false)).toBeUndefined();

      const resizable = new (ArrayBuffer as unknown as Made)(4 * size, { maxByteLength: 8 * size });
      const tracking = new Float32Array(resizable); // its length is that of the buffer
      tracking.set(keys);
      const call = sorter.sort(tracking);
      resizable.resize(8 * size);
      expect(difference(keys, await call, false)).toBeUndefined();
      const into = new Float32Array(size);
      const shrinking = sorter.sort(keys, { into });
      structuredClone(into.buffer, { transfer: [into.buffer] });
      await expect(shrinking).rejects.toThrow("into has lost its memory");
    }
    expect([...(await sorter.sort(new Uint8Array([2, 1])))]).toEqual([1, 2]);
  });

  it("keeps the buffers of a call for calls with fewer keys, and doubles them for more", async () => {
    const made: string[] = [];
    const create = device.createBuffer;
    device.createBuffer = (descriptor) => {
      made.push(descriptor.label ?? "");
      return create.call(device, descriptor);
    };
    const own = await createSorter(device);
    try {
      for (let size = 6000; size > 2100; size -= 311) {
        const keys = distributions.uniform!(elementType("i32"), size);
        expect(difference(keys, await own.sort(keys), false), `${size}`).toBeUndefined();
      }
      expect(made.filter((label) => label === "keys")).toHaveLength(1);
      for (let size = 6000; size < 12_000; size += 997) {
        const keys = distributions.uniform!(elementType("i32"), size);
        expect(difference(keys, await own.sort(keys), false), `${size}`).toBeUndefined();
      }
      expect(made.filter((label) => label === "keys")).toHaveLength(2);
    } finally {
      device.createBuffer = create;
      own.destroy();
    }
  });

  it("sorts a part of an array, and does not change the rest", async () => {
    const all = new Uint16Array([9, 8, 7, 6, 5, 4]);
    const part = all.subarray(1, 4);
    await sorter.sort(part, { into: part });
    expect([...all]).toEqual([9, 6, 7, 8, 5, 4]);
  });

  it("runs concurrent calls one after the other", async () => {
    const jobs = [11, 5000, 300, 5000].map((size) => distributions.uniform!(elementType("f64"), size));
    const sorted = await Promise.all(jobs.map((keys) => sorter.sort(keys)));
    jobs.forEach((keys, i) => {
      expect(difference(keys, sorted[i]!, false)).toBeUndefined();
    });
  });

  it("stops if its signal aborts, writes nothing, and runs the next call", async () => {
    const keys = distributions.uniform!(elementType("u32"), 200_001) as Uint32Array;
    const before = keys.slice();
    const why = new Error("no longer wanted");
    await expect(sorter.sort(keys, { into: keys, signal: AbortSignal.abort(why) })).rejects.toBe(why);
    for (const wait of [0, 1, 5, 20]) {
      const controller = new AbortController();
      const call = sorter.sort(keys, { into: keys, signal: controller.signal });
      setTimeout(() => controller.abort(why), wait);
      const outcome = await call.catch((error: unknown) => error);
      if (outcome !== keys) {
        expect(outcome).toBe(why);
        expect(keys).toEqual(before);
      } else keys.set(before); // the sort had finished before
    }
    expect(difference(before, await sorter.sort(keys), false)).toBeUndefined();
    expect(keys).toEqual(before);
  });

  it("does not change the device's error handler, and does not catch its owner's errors", async () => {
    expect(device.onuncapturederror).toBe(handler);
    const heard: string[] = [];
    device.onuncapturederror = ({ error }) => {
      heard.push(error.message);
    };
    device.createBuffer({ size: 4, usage: 0 });
    expect([...(await sorter.sort(new Uint8Array([2, 1])))]).toEqual([1, 2]);
    await device.queue.onSubmittedWorkDone();
    device.onuncapturederror = handler;
    expect(heard.length).toBe(1);
  });

  it("sorts keys in a buffer repeatedly, within an encoder or a pass of the caller", async () => {
    for (const name of widths) {
      const type = elementType(name);
      for (const capacity of [0, 1, 600, 5003]) {
        for (const input of ["keep", "destroy"] as const) {
          const first = distributions.uniform!(type, capacity);
          const buffer = upload(wordsOfKeys(first), Math.max(type.bytes, first.byteLength));
          using sort = await sorter.prepare({ type: name, capacity, keys: buffer, input, descending: true });
          submit((encoder) => sort.encode(encoder));
          expect(
            difference(first, await keysAt(sort.keys, name), true),
            `${name} ${capacity}`,
          ).toBeUndefined();
          if (input === "keep") {
            expect(sort.keys.buffer).not.toBe(buffer);
            const kept = await keysAt({ buffer, offset: 0, bytes: first.byteLength }, name);
            expect(wordsOfKeys(kept)).toEqual(wordsOfKeys(first));
          }

          const second = distributions.specials!(type, capacity);
          device.queue.writeBuffer(buffer, 0, wordsOfKeys(second));
          submit((encoder) => {
            const pass = encoder.beginComputePass();
            sort.encode(pass);
            pass.end();
          });
          expect(difference(second, await keysAt(sort.keys, name), true)).toBeUndefined();
        }
      }
    }
  });

  it("moves values and indices with the keys in ranges of one buffer", async () => {
    const type = elementType("f32");
    const size = 1000;
    const keys = distributions["few values"]!(type, size);
    const values = new Uint32Array(size * 2).map((_, i) => i);
    const order = expectedIndices(keys, type, { descending: false });
    for (const payload of [4, 8, "index"] as const) {
      const words = payload === 8 ? 2 : 1;
      const buffer = device.createBuffer({ size: 256 + 4096 + 8192, usage: data });
      device.queue.writeBuffer(buffer, 256, wordsOfKeys(keys));
      device.queue.writeBuffer(buffer, 256 + 4096, values);
      const given = payload === "index" ? {} : { values: { buffer, offset: 256 + 4096 } };
      const description = { type: "f32", capacity: size, payload } as const;
      using sort = await sorter.prepare({ ...description, keys: { buffer, offset: 256 }, ...given });
      submit((encoder) => sort.encode(encoder));
      expect(difference(keys, await keysAt(sort.keys, "f32"), false)).toBeUndefined();
      const moved = new Uint32Array(await download(sort.values!));
      expect([...moved].filter((_, i) => i % words === 0)).toEqual(
        [...order].map((index) => (payload === "index" ? index : index * words)),
      );
    }
  });

  it("gives values or indices without keys, for fewer bytes", async () => {
    for (const name of fewerOnLavapipe<TypeName>(["u16", "u32", "f32", "f64"], ["u16", "f32"])) {
      const keys = distributions["few values"]!(elementType(name), 3001);
      const order = expectedIndices(keys, elementType(name), { descending: false });
      for (const payload of [4, 12, "index"] as const) {
        const words = payload === "index" ? 1 : payload / 4;
        const values = new Uint32Array(keys.length * words).map((_, i) => i);
        const given = payload === "index" ? {} : { values: upload(values) };
        const description = { type: name, capacity: keys.length, payload } as const;
        const buffer = upload(wordsOfKeys(keys));
        using sort = await sorter.prepare({ ...description, ...given, output: "values", keys: buffer });
        submit((encoder) => sort.encode(encoder));
        const moved = new Uint32Array(await download(sort.values!));
        expect([...moved].filter((_, i) => i % words === 0)).toEqual([...order].map((i) => i * words));
        expect(() => sort.keys).toThrow(InputError);
        const all = sorter.requirements(description);
        expect(sort.bytesMoved).toBeLessThan(all.bytesMoved);
      }
      expect(await sorter.argsort(keys, { verify: false })).toEqual(order);
    }
  });

  it("works in scratch buffers of the caller, whatever they contain, and reports their sizes", async () => {
    const keys = distributions.uniform!(elementType("u32"), 5003);
    const description: SortDescription = { type: "u32", capacity: 5003, payload: "index", input: "keep" };
    const needs = sorter.requirements(description);
    const scratch = Object.fromEntries(
      Object.entries(needs.scratch).map(([name, { bytes, usage }]) => {
        const more = { size: bytes + 512, usage: usage | data };
        const buffer = device.createBuffer(more);
        device.queue.writeBuffer(buffer, 0, new Uint8Array(bytes).fill(0xa5));
        return [name, { buffer, offset: 256 }];
      }),
    );
    const buffer = upload(wordsOfKeys(keys), needs.keys.bytes);
    const sort = await sorter.prepare({ ...description, keys: buffer, scratch });
    submit((encoder) => sort.encode(encoder));
    expect(sort.keys).toEqual({ ...scratch[needs.result.keys!]!, bytes: keys.byteLength });
    expect(difference(keys, await keysAt(sort.keys, "u32"), false)).toBeUndefined();
    expect(new Uint32Array(await download(sort.values!))).toEqual(
      expectedIndices(keys, elementType("u32"), { descending: false }),
    );
    expect(sort.scratchBytes).toBe(
      Object.values(needs.scratch).reduce((total, { bytes }) => total + bytes, 0),
    );
    sort.destroy();
    // The caller's buffers still exist.
    expect(await keysAt(sort.keys, "u32")).toEqual(sortedCopy(keys, false));
  });

  it("shares scratch among different sorts that run one after the other", async () => {
    const descriptions: SortDescription[] = [
      { type: "u32", capacity: 700, payload: "index" },
      { type: "u64", capacity: 3000, payload: 4, descending: true },
      { type: "u16", capacity: 5001, count: "gpu" },
      { type: "u32", capacity: 700, payload: "index", input: "keep", output: "values" },
    ];
    const scratch = await sorter.createScratch(descriptions);
    const count = upload(new Uint32Array([4444]));
    const sorts = await Promise.all(
      descriptions.map(async (description) => {
        const type = elementType(description.type);
        const keys = distributions["few values"]!(type, description.capacity);
        const values = new Uint32Array(keys.length).map((_, i) => i);
        const given = {
          keys: upload(wordsOfKeys(keys)),
          scratch,
          ...(description.payload === 4 ? { values: upload(values) } : {}),
          ...(description.count ? { count } : {}),
        };
        return { keys, description, sort: await sorter.prepare({ ...description, ...given }) };
      }),
    );
    // Each result is copied away before the next sort runs, all in one submission.
    const results = sorts.map(({ sort }) => {
      const of = sort.values ?? sort.keys;
      const size = Math.ceil(of.bytes / 4) * 4;
      return { ...of, to: device.createBuffer({ size, usage: data }), size };
    });
    submit((encoder) => {
      sorts.forEach(({ sort }, i) => {
        const { buffer, offset, to, size } = results[i]!;
        sort.encode(encoder);
        encoder.copyBufferToBuffer(buffer, offset, to, 0, size);
      });
    });
    for (const [i, { keys, description }] of sorts.entries()) {
      const { type, payload, descending = false } = description;
      const found = await download({ buffer: results[i]!.to, offset: 0, bytes: results[i]!.bytes });
      if (payload) {
        const order = expectedIndices(keys, elementType(type), { descending });
        expect(new Uint32Array(found), `sort ${i}`).toEqual(order);
      } else {
        const sorted = new Uint16Array(found).slice(0, 4444);
        expect(difference(keys.slice(0, 4444), sorted, descending), `sort ${i}`).toBeUndefined();
      }
      sorts[i]!.sort.destroy();
    }
    for (const buffer of Object.values(scratch)) {
      device.queue.writeBuffer(buffer, 0, new Uint32Array(1)); // still exists
      buffer.destroy();
    }
  });

  it("reads the number of keys from a buffer on the device, and writes nothing beyond it", async () => {
    for (const name of [...widths, "i8"] as TypeName[]) {
      const type = elementType(name);
      const capacity = 3001;
      const keys = distributions.uniform!(type, capacity);
      const values = new Uint32Array(capacity).map((_, i) => i);
      for (const bits of [undefined, { begin: 0, end: 0 }]) {
        const buffer = upload(wordsOfKeys(keys));
        const carried = upload(values);
        const count = upload(new Uint32Array(65), 260); // the word at 256
        const given = { keys: buffer, values: carried, count: { buffer: count, offset: 256 } };
        using sort = await sorter.prepare({ type: name, capacity, payload: 4, bits, ...given });
        for (const many of [0, 1, 2, 3, 517, 2998, 3001, 2 ** 32 - 1]) {
          device.queue.writeBuffer(buffer, 0, wordsOfKeys(keys));
          device.queue.writeBuffer(carried, 0, values);
          device.queue.writeBuffer(count, 256, new Uint32Array([many]));
          submit((encoder) => sort.encode(encoder));
          const some = keys.slice(0, Math.min(many, capacity));
          const order = expectedIndices(some, type, { descending: false, bits });
          const where = `${name}, ${many} keys`;
          const sorted = await keysAt(sort.keys, name);
          const bytes = (all: KeyArray) => new Uint8Array(all.buffer, 0, some.byteLength);
          const expected = [...order].flatMap((index) => [
            ...bytes(some).subarray(index * type.bytes, (index + 1) * type.bytes),
          ]);
          expect([...bytes(sorted)], where).toEqual(expected);
          const moved = new Uint32Array(await download(sort.values!));
          expect(moved.slice(0, some.length), where).toEqual(order);

          // Wherever the result is, the caller's own buffers are unchanged beyond the count.
          const after = await keysAt({ buffer, offset: 0, bytes: keys.byteLength }, name);
          expect(wordsOfKeys(after.slice(some.length)), where).toEqual(wordsOfKeys(keys.slice(some.length)));
          const kept = new Uint32Array(
            await download({ buffer: carried, offset: 0, bytes: values.byteLength }),
          );
          expect(kept.slice(some.length), where).toEqual(values.slice(some.length));
        }
      }
    }
  });

  it("reads the number of keys from any word of a buffer, such as that of an indirect draw", async () => {
    const keys = distributions.uniform!(elementType("u32"), 300);
    const words = new Uint32Array(66).map((_, i) => 3 * i + 2);
    const count = upload(words);
    for (let offset = 0; offset <= 260; offset += 4) {
      const given = { keys: upload(wordsOfKeys(keys)), count: { buffer: count, offset } };
      using sort = await sorter.prepare({ type: "u32", capacity: 300, ...given });
      submit((encoder) => sort.encode(encoder));
      const found = await keysAt({ ...sort.keys, bytes: 4 * words[offset / 4]! }, "u32");
      expect(
        difference(keys.slice(0, found.length), found, false),
        `the word at byte ${offset}`,
      ).toBeUndefined();
    }

    // The count is among the arguments of a draw, in the buffer of the keys.
    const both = device.createBuffer({ size: 256 + 1200, usage: data | BufferUsage.indirect });
    device.queue.writeBuffer(both, 0, new Uint32Array([4, 120, 0, 0]));
    device.queue.writeBuffer(both, 256, wordsOfKeys(keys));
    const given = { keys: { buffer: both, offset: 256 }, count: { buffer: both, offset: 4 } };
    using sort = await sorter.prepare({ type: "u32", capacity: 300, ...given });
    submit((encoder) => sort.encode(encoder));
    const found = await keysAt({ ...sort.keys, bytes: 480 }, "u32");
    expect(difference(keys.slice(0, 120), found, false)).toBeUndefined();
  });

  it("sorts fewer keys than the capacity, and does not change the others", async () => {
    const keys = distributions.uniform!(elementType("u32"), 1000);
    const buffer = upload(wordsOfKeys(keys));
    using sort = await sorter.prepare({
      type: "u32",
      capacity: 1000,
      count: 600,
      keys: buffer,
      input: "keep",
    });
    submit((encoder) => sort.encode(encoder));
    expect(sort.keys.bytes).toBe(2400);
    expect(difference(keys.slice(0, 600), await keysAt(sort.keys, "u32"), false)).toBeUndefined();
  });

  it("frees its scratch and the prepared sorts when it is destroyed, but not the device", async () => {
    const another = await createSorter(device);
    const buffer = upload(new Uint32Array([3, 2, 1]));
    const sort = await another.prepare({ type: "u32", capacity: 3, keys: buffer });
    const pending = another.sort(distributions.uniform!(elementType("u32"), 100_000));
    another.destroy();
    await expect(pending).rejects.toThrow(InputError);
    expect(() => sort.encode(device.createCommandEncoder())).toThrow(InputError);
    await expect(another.sort(new Uint8Array(1))).rejects.toThrow("the sorter was destroyed");
    expect([...(await sorter.sort(new Uint8Array([2, 1])))]).toEqual([1, 2]);
  });
});
