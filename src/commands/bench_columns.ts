/** The benchmark's default columns. They are apart so that --help can name them without loading the rest. */
export const columnsWithGpu = "typed,cpu,gpu,round-trip,cpu/gpu,cpu/round-trip";

/** The default with `--device cpu`. */
export const columnsOnCpu = "array,typed,cpu,array/cpu,typed/cpu";
