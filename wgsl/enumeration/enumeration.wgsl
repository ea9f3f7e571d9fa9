// An enumeration sort of few keys: one invocation per key counts the keys that come before it, which is its
// place in the order. It takes n * n comparisons, but it is one small kernel for keys of any type in either
// direction, so it compiles in a fraction of the time of other sorts. The caller has turned the keys into pairs
// of words whose order is that of the keys.

#constant WORKGROUP_SIZE

// The number of keys in the low word of the first element, then the keys: their low words and their high words.
@group(0) @binding(0) var<storage, read> keys: array<vec2u>;
// The indices of the keys in their order. Equal keys stay in the order of the input.
@group(0) @binding(1) var<storage, read_write> order: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(global_invocation_id) global: vec3u) {
  let count = keys[0].x;
  let own = global.x;
  if own >= count { return; }
  let key = keys[own + 1u];
  var place = 0u;
  for (var i = 0u; i < count; i++) {
    let other = keys[i + 1u];
    // These operators do not branch, as || and && may.
    let is_less = (other.y < key.y) | ((other.y == key.y) & (other.x < key.x));
    let is_earlier = (other.y == key.y) & (other.x == key.x) & (i < own);
    place += select(0u, 1u, is_less | is_earlier);
  }
  order[place] = own;
}
