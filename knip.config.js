export default {
  entry: [
    "src/cli.ts",
    "src/commands/compiled_code.ts",
    "src/core/gpu.ts",
    "docs/site/main.ts",
    "bench/*.js",
    "scripts/*.js",
    "test/browser/{matrix_page,page,recipes_page,threads_page}.js",
    "test/package/{page*.js,consumer*.ts}",
    "test/support/samples/*.ts",
    "test/trials/{fuzz,kills}.js",
  ],
  ignore: ["scripts/peers/*.js"], // bundled with libraries that scripts/peers.js installs
  project: ["bench/**", "bin/**", "docs/site/**", "src/**", "scripts/**", "test/**"],
  ignoreDependencies: ["axe-core"], // a test loads it into a page
  ignoreUnresolved: ["../src/start.js"], // scripts/bundle.js makes it
  ignoreBinaries: ["cmp", "convert", "groff", "iconv", "mkfifo", "mount", "nvidia-smi", "script", "umount"],
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Scripts run what is built; what they import counts as an import of its source.
  compilers: { js: (text) => text.replaceAll(/\.\.\/dist\/(command\/)?/g, "../src/") },
};
