// What the kernels that read and print text know of characters and of doubles.

export const LINE_FEED: u8 = 10;
export const CARRIAGE_RETURN: u32 = 13;
export const SPACE: u32 = 32;
export const PLUS: u8 = 43;
export const MINUS: u8 = 45;
export const POINT: u8 = 46;
export const ZERO: u32 = 48;
export const LETTER_E: u8 = 101;

/** What makes a letter lower case. */
export const LOWER_CASE: u32 = 0x20;

/** Words as little-endian numbers. */
export const NAN_WORD: u32 = 0x6e616e;
export const INF_WORD: u32 = 0x666e69;

/** The bits of the double that is infinite. */
export const INFINITY_BITS: u64 = 0x7ff0000000000000;
