export const RECORD_BYTES: usize = 100;
