/**
 * The libraries that scripts/peers.js runs: what is installed of npm, the file of scripts/peers/ that sorts by
 * it, the module of a clone, the plugin of esbuild that it is built with. A `crate` is a folder of
 * scripts/peers/ that cargo builds for web pages.
 *
 * @typedef {object} Library
 * @property {string} name
 * @property {string} [title]
 * @property {string[]} [packages]
 * @property {string} file
 * @property {string} [module]
 * @property {string} [crate]
 * @property {string} [plugin]
 * @property {Record<string, string>} [pluginAlias]
 * @property {string} [note]
 */

/** @type {Library[]} */
export const libraries = [
  { name: "gpusort-core", title: "gpusort-core/standalone", file: "gpusort" },
  {
    name: "webgpu-radix-sort",
    packages: ["webgpu-radix-sort@1.0.7"],
    file: "webgpu_radix_sort",
    module: "dist/esm/radix-sort-esm.js",
  },
  {
    name: "playcanvas",
    title: "PlayCanvas `ComputeRadixSort`",
    packages: ["playcanvas@2.23.3"],
    file: "playcanvas",
  },
  {
    name: "@luma.gl/gpgpu",
    title: "luma.gl `GPUSort`",
    packages: ["gpgpu", "core", "engine", "shadertools", "webgpu"].map((name) => `@luma.gl/${name}@9.4.2`),
    file: "luma",
  },
  { name: "three", title: "three.js `BitonicSort`", packages: ["three@0.187.0"], file: "three" },
  {
    name: "gridwise",
    title: "gridwise `OneSweepSort`",
    packages: ["gridwise@0.1.0"],
    file: "gridwise",
    module: "onesweep.mjs",
    // What docs/subgroup-strategy.md of gridwise says, and what was seen.
    note: "its documents say that its loops can starve on SwiftShader; without subgroups it hung there",
  },
  {
    name: "@typegpu/sort",
    title: "TypeGPU `createBitonicSorter`",
    // unplugin-typegpu is built from the clone, of what it imports: npm's does not go with this typegpu.
    packages: [
      "typegpu@0.12.5",
      ...["unplugin@3.0.0", "@babel/parser@7.29.0", "@babel/traverse@7.29.0", "@babel/types@7.29.0"],
      ...["ast-kit@2.2.0", "defu@6.1.4", "magic-string@0.30.21", "pathe@2.0.3", "picomatch@4.0.3"],
    ],
    file: "typegpu",
    module: "packages/typegpu-sort/src/index.ts",
    plugin: "packages/unplugin-typegpu/src/esbuild.ts",
    pluginAlias: {
      tinyest: "packages/tinyest/src/index.ts",
      "tinyest-for-wgsl": "packages/tinyest-for-wgsl/src/index.ts",
    },
  },
  {
    name: "lampshade",
    title: "Lampshade (until 0.7 wgpu-primitives) `Sorter`",
    crate: "lampshade",
    file: "lampshade",
  },
];
