export default {
  entry: ["src/cli.ts", "scripts/*.js", "test/browser/{page,threads_page}.js"],
  project: ["bin/**", "src/**", "scripts/**", "test/**"],
  ignoreBinaries: ["cmp", "convert", "groff", "mkfifo", "mount", "script", "umount"],
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Scripts run what is built; what they import counts as an import of its source.
  compilers: { js: (text) => text.replaceAll(/\.\.\/dist\/(command\/)?/g, "../src/") },
};
