import { execFileSync } from "node:child_process";

/** A Python that has NumPy; undefined, with a line on standard error, if there is none. */
export const numpy = ["/usr/bin/python3", "python3"].find((python) => {
  try {
    execFileSync(python, ["-c", "import numpy"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
if (!numpy) process.stderr.write("SKIPPED: the comparison with NumPy's order: it is not installed\n");
