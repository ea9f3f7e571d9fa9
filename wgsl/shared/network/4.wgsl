// A sorting network for 4 keys, with the fewest comparators (D. E. Knuth, "The Art of Computer Programming",
// volume 3, 2nd edition, section 5.3.4).

// The comparators in order. Each puts the keys at two places in order.
const NETWORK = array<vec2u, 5>(
  vec2u(0u, 2u), vec2u(1u, 3u), vec2u(0u, 1u), vec2u(2u, 3u), vec2u(1u, 2u),
);
