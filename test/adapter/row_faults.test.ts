import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { CallingThread } from "../../src/core/cpu/runner.js";
import { DeviceSteps } from "../../src/core/engines/device_steps.js";
import { GpuRows } from "../../src/core/engines/gpu_rows.js";
import { InputError, VerifyError } from "../../src/core/errors.js";
import type { RowKey, RowOrder } from "../../src/rows/order/row_order.js";
import { type RowKernel, rowKernels } from "../../src/rows/row_kernels.js";
import { sortRows } from "../../src/rows/sort_rows.js";
import { memoryFile } from "../support/memory_file.js";
import { sortPlainly, withoutMisfits } from "../support/plain_rows.js";
import { longNumbers, someTable } from "../support/row_cases.js";
import { rowInput } from "../support/row_inputs.js";
import { column, csv, dateOrder, long, rowsOn, rowTexts, whole } from "../support/rows_on_device.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`rows that cannot be sorted on ${selector}`, ({ gpu }) => {
  const { sorted } = rowsOn(gpu, selector);

  it("are in error, or not, as on the CPU, which names the same row", async () => {
    const runner = new CallingThread<RowKernel>(false, rowKernels);
    const named = (message: string) => Number(/row (\d+)/.exec(message)?.[1]);
    let wrong = 0;
    await fc.assert(
      fc.asyncProperty(someTable(), dateOrder, fc.nat(3), async (given, some, flags) => {
        const keys = some.keys.map((key, i): RowKey => {
          const required = (flags >> i) % 2 === 1 || undefined;
          return { ...key, required, ...(required && key.invalid && { invalid: "error" }) };
        });
        const order = { ...some, keys };
        const placed = keys.filter(({ invalid }) => invalid !== "error");
        const text = withoutMisfits(given, { ...some, keys: placed });
        if (text.length === 0) return;
        const job = {
          inputs: [rowInput(text)],
          order,
          header: false,
          unique: false,
          head: 1e9,
          verify: true,
        };
        const memory = { memoryBytes: 1 << 28, createStore: async () => memoryFile() };
        const error = await sortRows(runner, { ...job, ...memory }, async () => {}).catch(
          (failure) => failure,
        );
        const { result, text: output } = await sorted([text], order);
        if (error instanceof InputError) {
          wrong++;
          expect("fallback" in result && named(result.fallback)).toBe(named(error.message));
        } else expect(output.equals(sortPlainly([text], order))).toBe(true);
      }),
      { numRuns: 40 },
    );
    expect(wrong).toBeGreaterThan(5);
  });

  it("are given up before anything is written, where the CPU does better", async () => {
    const fallbackOf = async (text: string, order: RowOrder) => {
      const { result, text: written } = await sorted([Buffer.from(text)], order);
      expect(written.length).toBe(0);
      return "fallback" in result && result.fallback;
    };
    const table = { ...csv, keys: [column(0)] };
    expect(await fallbackOf('a\nb"c"\n', table)).toMatch("RFC 4180");
    expect(await fallbackOf('a\nb"c\n', table)).toMatch("RFC 4180");
    expect(await fallbackOf('a\n"b"c\n', table)).toMatch("RFC 4180");
    expect(await fallbackOf(`"${"b".repeat(14)}" \n`, table)).toMatch("RFC 4180");
    expect(await fallbackOf('a\n"b\n', table)).toMatch("not closed");
    expect(await fallbackOf(`a\n${long("b", 1 << 20)}\n`, whole)).toMatch("very long");
    const number = column(0, { compare: "decimal", invalid: "error" });
    expect(await fallbackOf("1\nx\n", { ...csv, keys: [number] })).toMatch(
      "row 2, not counting headers, has a key that only the CPU reads",
    );
    const placed = column(0, { compare: "number", invalid: "last" });
    for (const other of ["x", "1e5", "+1", "nan"]) {
      expect(await fallbackOf(`1\n\n${other}\n`, { ...csv, keys: [column(1), placed] })).toMatch("row 3");
    }
    const floats = { ...csv, keys: [column(0, { compare: "float" })] };
    expect(await fallbackOf("1\n0x1\n", floats)).toMatch("hexadecimal");
    const digits = { begin: { field: 0, offset: 0 }, compare: "decimal" } as const;
    expect(await fallbackOf(longNumbers.toString(), { ...whole, keys: [digits] })).toMatch("in common");
  });

  it("are not written if the device changed one, or left them in the wrong order", async () => {
    const rows = Buffer.from("c\nb\na\nb\n");
    for (const [harm, move] of [
      ["text", 1],
      ["permutation", 1],
      ["text", 2],
      ["permutation", 2],
    ] as const) {
      let moves = 0;
      const broken = new GpuRows(gpu, selector);
      const step = DeviceSteps.prototype.run;
      const spy = vi.spyOn(DeviceSteps.prototype, "run").mockImplementation(async function (
        this: DeviceSteps,
        plan,
        around,
      ) {
        if (plan.result === "output" && ++moves === move) {
          const words = harm === "text" ? Uint32Array.of(0x0a640a63) : Uint32Array.of(0, 1, 2);
          gpu.device.queue.writeBuffer(this.buffer(harm), 0, words);
        }
        return step.call(this, plan, around);
      });
      try {
        await expect(sorted([rows], whole, { engine: broken, unique: true })).rejects.toThrow(VerifyError);
      } finally {
        spy.mockRestore();
      }
    }
  });

  it.each([undefined, 2])("are not written if they change after the inspection; of head %s", async (head) => {
    const rows = Buffer.from("cc\nbb\na\n");
    const output = vi.spyOn(DeviceSteps.prototype, "buffer");
    onTestFinished(() => output.mockRestore());
    const onSorted = () => {
      const steps = output.mock.contexts.at(-1) as DeviceSteps;
      gpu.device.queue.writeBuffer(steps.buffer("output"), 0, Buffer.from("a\nzz"));
    };
    await expect(sorted([rows], whole, { onSorted, head })).rejects.toThrow("changed during the readback");
  });

  it.each([
    ["what was found is changed", "next_permutation", "is_distinct", Uint32Array.of(1, 1, 1, 0)],
    ["rows become equal once they are inspected", "distinct_total", "output", Buffer.from("a\na\na\nc\n")],
    ["as many others are found", "distinct_total", "output", Buffer.from("b\na\nb\nb\n")],
  ])(
    "are not written if one is left out that differs from the one before: %s",
    async (_, at, buffer, words) => {
      const step = DeviceSteps.prototype.run;
      const spy = vi.spyOn(DeviceSteps.prototype, "run").mockImplementation(async function (
        this: DeviceSteps,
        plan,
        around,
      ) {
        if (plan.result === at) gpu.device.queue.writeBuffer(this.buffer(buffer), 0, words);
        return step.call(this, plan, around);
      });
      onTestFinished(() => spy.mockRestore());
      await expect(sorted([Buffer.from("c\nb\na\nb\n")], whole, { unique: true })).rejects.toThrow(
        VerifyError,
      );
    },
  );

  it("end with the reason of a signal that aborts", async () => {
    const reason = new Error("enough");
    await expect(
      sorted([rowTexts["rows that are equal"]!], whole, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });
});
