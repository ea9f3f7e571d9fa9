// Sums of f32.

alias Sum = f32;

fn summand(element: Sum) -> Sum {
  return element;
}
