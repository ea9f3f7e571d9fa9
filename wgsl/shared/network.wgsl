// Sorting networks with the fewest comparators that are known (D. E. Knuth, "The Art of Computer Programming",
// volume 3, 2nd edition, section 5.3.4). The comparators are in order. Each puts the keys at two places in
// order.

#if network/16
// As many comparators as M. W. Green's, in ten layers.
const NETWORK = array<vec2u, 60>(
  vec2u(0u, 13u), vec2u(1u, 12u), vec2u(2u, 15u), vec2u(3u, 14u), vec2u(4u, 8u), vec2u(5u, 6u),
  vec2u(7u, 11u), vec2u(9u, 10u), vec2u(0u, 5u), vec2u(1u, 7u), vec2u(2u, 9u), vec2u(3u, 4u),
  vec2u(6u, 13u), vec2u(8u, 14u), vec2u(10u, 15u), vec2u(11u, 12u), vec2u(0u, 1u), vec2u(2u, 3u),
  vec2u(4u, 5u), vec2u(6u, 8u), vec2u(7u, 9u), vec2u(10u, 11u), vec2u(12u, 13u), vec2u(14u, 15u),
  vec2u(0u, 2u), vec2u(1u, 3u), vec2u(4u, 10u), vec2u(5u, 11u), vec2u(6u, 7u), vec2u(8u, 9u),
  vec2u(12u, 14u), vec2u(13u, 15u), vec2u(1u, 2u), vec2u(3u, 12u), vec2u(4u, 6u), vec2u(5u, 7u),
  vec2u(8u, 10u), vec2u(9u, 11u), vec2u(13u, 14u), vec2u(1u, 4u), vec2u(2u, 6u), vec2u(5u, 8u),
  vec2u(7u, 10u), vec2u(9u, 13u), vec2u(11u, 14u), vec2u(2u, 4u), vec2u(3u, 6u), vec2u(9u, 12u),
  vec2u(11u, 13u), vec2u(3u, 5u), vec2u(6u, 8u), vec2u(7u, 9u), vec2u(10u, 12u), vec2u(3u, 4u),
  vec2u(5u, 6u), vec2u(7u, 8u), vec2u(9u, 10u), vec2u(11u, 12u), vec2u(6u, 7u), vec2u(8u, 9u),
);
#elif network/3
const NETWORK = array<vec2u, 3>(
  vec2u(0u, 2u), vec2u(0u, 1u), vec2u(1u, 2u),
);
#elif network/5
const NETWORK = array<vec2u, 9>(
  vec2u(0u, 3u), vec2u(1u, 4u), vec2u(0u, 2u), vec2u(1u, 3u), vec2u(0u, 1u), vec2u(2u, 4u),
  vec2u(1u, 2u), vec2u(3u, 4u), vec2u(2u, 3u),
);
#elif network/8
const NETWORK = array<vec2u, 19>(
  vec2u(0u, 2u), vec2u(1u, 3u), vec2u(4u, 6u), vec2u(5u, 7u), vec2u(0u, 4u), vec2u(1u, 5u),
  vec2u(2u, 6u), vec2u(3u, 7u), vec2u(0u, 1u), vec2u(2u, 3u), vec2u(4u, 5u), vec2u(6u, 7u),
  vec2u(2u, 4u), vec2u(3u, 5u), vec2u(1u, 4u), vec2u(3u, 6u), vec2u(1u, 2u), vec2u(3u, 4u),
  vec2u(5u, 6u),
);
#elif network/9
const NETWORK = array<vec2u, 25>(
  vec2u(0u, 3u), vec2u(1u, 7u), vec2u(2u, 5u), vec2u(4u, 8u), vec2u(0u, 7u), vec2u(2u, 4u),
  vec2u(3u, 8u), vec2u(5u, 6u), vec2u(0u, 2u), vec2u(1u, 3u), vec2u(4u, 5u), vec2u(7u, 8u),
  vec2u(1u, 4u), vec2u(3u, 6u), vec2u(5u, 7u), vec2u(0u, 1u), vec2u(2u, 4u), vec2u(3u, 5u),
  vec2u(6u, 8u), vec2u(2u, 3u), vec2u(4u, 5u), vec2u(6u, 7u), vec2u(1u, 2u), vec2u(3u, 4u),
  vec2u(5u, 6u),
);
#end
