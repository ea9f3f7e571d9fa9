import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** A package's default export is what it is in Node. */
const deps = { interopDefault: false };

/**
 * `unit` needs no adapter at all, `browser` a Chromium. The other projects run test/adapter on the adapter that
 * GPUSORT_TEST_DEVICE names, and say so if there is none: lavapipe with every access clamped, and once more with
 * subgroups of 16, unclamped. A process opens one device, so every file gets a process of its own. Device files
 * run one after the other, because a software adapter takes all cores.
 */
const onDevice = (name: string, device: string, env = {}, include = "test/adapter/*.test.ts") => ({
  extends: true as const,
  test: {
    name,
    include: [include],
    env: { GPUSORT_TEST_DEVICE: device, ...env },
    deps,
    fileParallelism: false,
    sequence: { groupOrder: 1 }, // after the unit tests
    testTimeout: 300_000,
    hookTimeout: 60_000,
  },
});

/** An adapter of this machine to test on besides, such as a GPU. */
const named = process.env.GPUSORT_TEST_DEVICE;

const clamped = { GPUSORT_ROBUSTNESS: "on" };
const wide = { LP_NATIVE_VECTOR_WIDTH: "512" };

/** Threads run the built code. */
const alias = [
  {
    find: /^\.\/worker_url\.js$/,
    replacement: fileURLToPath(new URL("test/support/worker_url.ts", import.meta.url)),
  },
];

export default defineConfig({
  resolve: { alias },
  test: {
    pool: "forks",
    coverage: {
      include: ["src/**/*.ts"],
      exclude: ["**/*.generated.ts"],
      reporter: ["text-summary", "html"],
    },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/*.test.ts", "test/!(adapter|browser|trials)/**/*.test.ts"],
          maxWorkers: "100%",
          testTimeout: 60_000,
          deps,
        },
      },
      {
        test: {
          name: "browser",
          include: ["test/browser/*.test.ts"],
          fileParallelism: false, // a software adapter takes all cores
          sequence: { groupOrder: 2 }, // after the others: it ends itself where it waits too long
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "trials",
          include: ["test/trials/*.test.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 3 }, // alone: they measure how long a sort takes, and kill it
          testTimeout: 600_000,
          deps,
        },
      },
      onDevice("swiftshader", "swiftshader"),
      onDevice("lavapipe", "llvmpipe", clamped),
      ...(named ? [onDevice("named", named)] : []),
      onDevice("lavapipe-16", "llvmpipe", wide, "test/adapter/radix.test.ts"),
    ],
  },
});
