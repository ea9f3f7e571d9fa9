/** The codes of assembly/rows/natural.ts. */
const TILDE_CODE = 3;
const DIGIT_CODE = 4;
const FIRST_CODE = 11;

const TILDE = 126;

/** For each byte its code in natural order: ~, then digits, which have one code, then letters, then others. */
export function naturalCodes(): Uint8Array {
  const codes = new Uint8Array(256).fill(DIGIT_CODE);
  codes[TILDE] = TILDE_CODE;
  const bytes = Array.from(codes, (_, byte) => byte).filter((byte) => byte !== TILDE && !isDigit(byte));
  const inOrder = [...bytes.filter(isLetter), ...bytes.filter((byte) => !isLetter(byte))];
  for (const [rank, byte] of inOrder.entries()) codes[byte] = FIRST_CODE + rank;
  return codes;
}

const isDigit = (byte: number) => /\d/.test(String.fromCharCode(byte));
const isLetter = (byte: number) => /[A-Za-z]/.test(String.fromCharCode(byte));
