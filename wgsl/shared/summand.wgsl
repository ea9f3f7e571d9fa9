#if summand/f32
// Sums of f32.

alias Sum = f32;

fn summand(element: Sum) -> Sum {
  return element;
}

#elif summand/flag
// Numbers of flags that are not 0.

alias Sum = u32;

fn summand(element: Sum) -> Sum {
  return select(0u, 1u, element != 0u);
}

#elif summand/u32
// Sums of u32, modulo 2^32.

alias Sum = u32;

// What an element of a buffer adds to a sum.
fn summand(element: Sum) -> Sum {
  return element;
}

#end
