#!/usr/bin/env node
// libuv fixes the size of its thread pool when the pool is first used. Sixteen threads read a cached file into
// mapped GPU memory about twice as fast as the default four.
process.env.UV_THREADPOOL_SIZE ??= "16";

function fail(error) {
  const isRefused = error.syscall && error.code !== "ENOENT";
  const hint = isRefused ? "check what this system allows a process (ulimit -a)" : "install it again";
  const [problem] = error.message.split("\n");
  process.stderr.write(`gpusort: cannot load its own code: ${problem}\n  ${hint}\n`);
  process.exit(2); // an exit code of 1 means "not in order"
}

try {
  require("../dist/command/start.js")().then(({ main }) => main(process.argv), fail);
} catch (error) {
  fail(error);
}
