#!/usr/bin/env node
// This file is CommonJS on purpose: libuv fixes the size of its thread pool when the pool is first used, and
// loading an ES module already uses it. Sixteen threads read a cached file into mapped GPU memory about twice
// as fast as the default four.
process.env.UV_THREADPOOL_SIZE ??= "16";
import("../dist/command/cli.js").then(
  ({ main }) => main(process.argv),
  (error) => {
    const hint = error.syscall ? "check what this system allows a process (ulimit -a)" : "install it again";
    process.stderr.write(`gpusort: cannot load its own code: ${error.message}\n  ${hint}\n`);
    process.exit(2); // an exit code of 1 means "not in order"
  },
);
