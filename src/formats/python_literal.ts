import { quote } from "../core/quote.js";

/** A value of the Python literals that .npy headers consist of. A list is an array, a dictionary a map. */
export type Literal = string | number | boolean | null | Literal[] | Tuple | Map<string, Literal>;

export class Tuple {
  readonly items: readonly Literal[];

  constructor(items: readonly Literal[]) {
    this.items = items;
  }
}

/** What is wrong with a literal: the end of a sentence whose subject is the file. */
export class LiteralError extends Error {}

/** Python 2 wrote long integers with the suffix L. No token is a part of a longer word or number. */
const STRING = /('[^'\\\n\r]*'|"[^"\\\n\r]*")/;
const NUMBER = /(-?(?:0+|[1-9]\d*))(L?)(?![\w.])/;
const WORD = /(True|False|None)(?!\w)/;
const BRACKET = /([{}()[\]:,])/;
const TOKEN = `[ \\t\\n]*(?:${[STRING, NUMBER, WORD, BRACKET].map(({ source }) => source).join("|")})`;

const words: Record<string, Literal> = { True: true, False: false, None: null };

const MAX_DEPTH = 20;

/**
 * Parses a literal of a subset of Python: whole numbers, strings without escapes, True, False, None, tuples,
 * lists, and dictionaries whose keys are different strings. Python reads the same value from everything that
 * this function accepts.
 *
 * @param python2 whether the text may come from Python 2: numbers may have its suffix L, and the last line
 *   may be indented.
 * @throws LiteralError if the text is anything else.
 */
export function parseLiteral(text: string, python2: boolean): Literal {
  const tokens = new RegExp(TOKEN, "y");
  let depth = 0;

  const match = (): RegExpExecArray => {
    const token = tokens.exec(text);
    if (!token) throw new LiteralError("its header is not a Python dictionary of strings and whole numbers");
    if (token[3] && !python2) throw new LiteralError("a number in its header has the suffix L of Python 2");
    return token;
  };
  const take = (): string => match()[0].trim();
  const peek = (): string => {
    const at = tokens.lastIndex;
    const next = take();
    tokens.lastIndex = at;
    return next;
  };
  const expect = (what: string) => {
    const next = take();
    if (next !== what) throw new LiteralError(`its header has '${next}' instead of '${what}'`);
  };

  const value = (): Literal => {
    const [, quoted, digits, , word, bracket] = match();
    if (quoted !== undefined) return quoted.slice(1, -1);
    if (digits !== undefined) return wholeNumber(digits);
    if (word !== undefined) return words[word]!;
    if (++depth > MAX_DEPTH) throw new LiteralError("its header is nested too deeply");
    const made =
      bracket === "{" ? dictionary() : bracket === "(" ? tuple() : bracket === "[" ? list() : undefined;
    depth--;
    if (made === undefined) throw new LiteralError(`its header has '${bracket}' in the wrong place`);
    return made;
  };
  const sequence = (end: string) => {
    const items: Literal[] = [];
    let commas = 0;
    while (peek() !== end) {
      items.push(value());
      if (peek() !== ",") break;
      take();
      commas++;
    }
    expect(end);
    return { items, commas };
  };
  const list = () => sequence("]").items;
  /** Parentheses around one value without a comma only group. */
  const tuple = (): Literal => {
    const { items, commas } = sequence(")");
    return items.length === 1 && commas === 0 ? items[0]! : new Tuple(items);
  };
  const dictionary = (): Map<string, Literal> => {
    const fields = new Map<string, Literal>();
    while (peek() !== "}") {
      const field = value();
      if (typeof field !== "string" || fields.has(field)) {
        throw new LiteralError("its header has a field twice, or a field whose name is not a string");
      }
      expect(":");
      fields.set(field, value());
      if (peek() !== ",") break;
      take();
    }
    expect("}");
    return fields;
  };

  if (/^[ \t]*\n/.test(text)) throw new LiteralError("its header begins with an empty line");
  const literal = value();
  // Python 3 refuses an indentation that ends the text; NumPy mends that only together with the suffix L.
  const rest = text.slice(tokens.lastIndex);
  if (!/^[ \t\n]*$/.test(rest) || (!python2 && /\n[ \t]+$/.test(rest))) {
    throw new LiteralError("its header has more text after its dictionary");
  }
  return literal;
}

function wholeNumber(digits: string): number {
  const number = Number(digits);
  if (Number.isSafeInteger(number)) return number + 0; // no negative zero
  throw new LiteralError(`the number ${quote(digits)} in its header is too large`);
}
