// What the parsers and the printers know of characters and of doubles.

export const LINE_FEED: u8 = 10;
export const PLUS: u8 = 43;
export const MINUS: u8 = 45;
export const POINT: u8 = 46;
export const LETTER_E: u8 = 101;

/** Words as little-endian numbers. */
export const NAN_WORD: u32 = 0x6e616e;
export const INF_WORD: u32 = 0x666e69;

/** The bits of the double that is infinite. */
export const INFINITY_BITS: u64 = 0x7ff0000000000000;
