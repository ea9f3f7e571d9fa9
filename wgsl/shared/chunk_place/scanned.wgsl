// A scan has turned what was found of the chunks into places.

// For each chunk, and once more after the last: the keys that are kept of earlier chunks, and the index of the
// first key that is kept from its begin on, or NONE.
@group(0) @binding(2) var<storage, read> chunks: array<vec2u>;

// The keys that a chunk keeps, and the index of the first of them among all keys.
fn counts_of_chunk(chunk: u32) -> vec2u {
  return vec2u(chunks[chunk + 1u].x - chunks[chunk].x, chunks[chunk].y);
}

// The place of the first key that a chunk keeps, and the index of the first key that is kept of later chunks,
// or a large number. All invocations of a workgroup must call it.
fn place_of_chunk(chunk: u32, invocation: u32) -> vec2u {
  return vec2u(chunks[chunk].x, chunks[chunk + 1u].y);
}
