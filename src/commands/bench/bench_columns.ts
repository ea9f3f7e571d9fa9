/** The benchmark's default columns. They are apart so that --help can name them without loading the rest. */
export const columnsWithGpu = "array,typed,cpu,gpu,round-trip,array/round-trip";

/** The default without an adapter. */
export const columnsOnCpu = "array,typed,cpu,array/cpu,typed/cpu";
