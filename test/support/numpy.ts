import { execFileSync } from "node:child_process";
import { needs } from "./needs.js";
import { pythonThat } from "./python.js";

/** A Python that has NumPy; undefined if there is none. */
export const numpy = pythonThat("import numpy");
/** How tests that need NumPy are declared. */
export const withNumpy = needs(numpy, "NumPy");

/** What `np.load` makes of a file: an array of one or more dimensions, or its error. */
export type Loaded = { dtype: string; shape: number[]; data: string } | { error: string };

// A header may state an array of any size, so the memory is limited.
const LOAD = `
import base64, io, json, resource, sys, warnings
import numpy as np
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
warnings.simplefilter("ignore")
def load(file):
    try:
        array = np.load(io.BytesIO(file), allow_pickle=False)
        return {"dtype": array.dtype.str, "shape": array.shape, "data": array.tobytes().hex()}
    except Exception as error:
        return {"error": type(error).__name__ + ": " + str(error)}
json.dump([load(base64.b64decode(file)) for file in json.load(sys.stdin)], sys.stdout)
`;

/** Loads files with NumPy, all in one process. */
export function loadWithNumpy(files: readonly Uint8Array[]): Loaded[] {
  const input = JSON.stringify(files.map((file) => Buffer.from(file).toString("base64")));
  const output = execFileSync(numpy!, ["-c", LOAD], { input, encoding: "utf8", maxBuffer: 1 << 28 });
  return JSON.parse(output);
}
