#if chunk_place/scanned
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

#elif chunk_place/summed
// Each workgroup adds up what was found of the other chunks itself, without a scan; one window has all chunks.
// The workgroup of the last chunk writes how many keys are kept in all.

#import compact_keys
#import subgroup_reduction/all
#constant WORKGROUP_SIZE
#constant TOTAL  // number of the binding

// For each chunk: the keys that it keeps, and the index of the first of them among all keys, or NONE.
@group(0) @binding(2) var<storage, read> chunks: array<vec2u>;
@group(0) @binding(TOTAL) var<storage, read_write> total: array<u32>;   // its first word is the number

var<workgroup> kept_before: atomic<u32>;
var<workgroup> first_after: atomic<u32>;

// The keys that a chunk keeps, and the index of the first of them among all keys.
fn counts_of_chunk(chunk: u32) -> vec2u {
  return chunks[chunk];
}

// The place of the first key that a chunk keeps, and the index of the first key that is kept of later chunks,
// or a large number. All invocations of a workgroup must call it.
fn place_of_chunk(chunk: u32, invocation: u32) -> vec2u {
  let all_chunks = max(1u, (params.key_count + params.chunk - 1u) / params.chunk);
  let here = chunks[chunk];
  // Nobody asks for the place of a chunk that keeps no key.
  if here.x == 0u && chunk + 1u < all_chunks { return vec2u(0u, NONE); }
  if invocation == 0u {
    atomicStore(&kept_before, 0u);
    atomicStore(&first_after, NONE);
  }
  workgroupBarrier();
  var before = 0u;
  var next = NONE;
  for (var i = invocation; i < all_chunks; i += WORKGROUP_SIZE) {
    let other = chunks[i];
    before += select(0u, other.x, i < chunk);
    next = min(next, select(NONE, other.y, i > chunk));
  }
  let kept = sum_of_subgroup(before);
  let least = least_of_subgroup(next);
  if speaks_for_subgroup() {
    atomicAdd(&kept_before, kept);
    atomicMin(&first_after, least);
  }
  workgroupBarrier();
  let begin = atomicLoad(&kept_before);
  if chunk + 1u == all_chunks && invocation == 0u { total[0] = begin + here.x; }
  return vec2u(begin, atomicLoad(&first_after));
}

#end
