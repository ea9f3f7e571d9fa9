import { describe, expect, it } from "vitest";
import { sortKernels } from "../../src/core/cpu/kernels.js";
import { instantiate } from "../../src/core/cpu/program.js";
import { compileForLongRuns } from "../../src/threads/compile.js";
import { ownProcess } from "../../src/threads/own_process.js";

ownProcess();

describe("a module that is compiled to optimized code", () => {
  it.each([true, false])("does what the other one does, in memory that is shared: %s", (shared) => {
    const plain = sortKernels.module(shared);
    const optimized = sortKernels.module(shared, compileForLongRuns);
    expect(optimized).not.toBe(plain);
    expect(sortKernels.module(shared, compileForLongRuns)).toBe(optimized);
    const tables = [plain, optimized].map((module) => {
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared });
      new Uint32Array(memory.buffer, 1024, 100).forEach((_, i, words) => {
        words[i] = i * i;
      });
      instantiate(module, memory).count_4!(1024, 100, 4096, 0, 255);
      return new Uint32Array(memory.buffer, 4096, 256).slice();
    });
    expect(tables[1]).toEqual(tables[0]);
    expect(tables[0]!.reduce((sum, count) => sum + count)).toBe(100);
  });
});
