// Numbers of flags that are not 0.

alias Sum = u32;

fn summand(element: Sum) -> Sum {
  return select(0u, 1u, element != 0u);
}
