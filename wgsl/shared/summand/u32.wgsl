// Sums of u32, modulo 2^32.

alias Sum = u32;

// What an element of a buffer adds to a sum.
fn summand(element: Sum) -> Sum {
  return element;
}
