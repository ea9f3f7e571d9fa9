/** The default of `--device`: GPUSORT_DEVICE, by which a worker gets a GPU of its own; else "auto". */
export const defaultDevice = process.env.GPUSORT_DEVICE || "auto";
