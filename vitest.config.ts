import { defineConfig } from "vitest/config";

/**
 * Three projects: `unit` needs no adapter at all; `swiftshader` and `lavapipe` run test/device on the adapter
 * that GPUSORT_TEST_DEVICE names, and say so where there is none. A process opens one device, so every file gets
 * a process of its own, and device files run one after the other: a software adapter takes all cores.
 */
const onDevice = (name: string, device: string) => ({
  test: {
    name,
    include: ["test/device/*.test.ts"],
    env: { GPUSORT_TEST_DEVICE: device },
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});

export default defineConfig({
  test: {
    pool: "forks",
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/*.test.ts", "test/!(device)/**/*.test.ts"],
          testTimeout: 60_000,
        },
      },
      onDevice("swiftshader", "swiftshader"),
      onDevice("lavapipe", "llvmpipe"),
    ],
  },
});
