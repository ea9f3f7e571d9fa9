/** The byte that encloses a field: a double quote. */
export const QUOTE = 34;
