// The kernels that parse and print lines of numbers, for all types of keys.

export { parseFloats } from "./parse_floats";
export { parseIntegers } from "./parse_integers";
export { printFloats } from "./print_floats";
export { printIntegers } from "./print_integers";
