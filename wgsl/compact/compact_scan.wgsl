// The scan step of a compaction: one dispatch of one workgroup turns the count of each chunk into the
// place of its first key that is kept, and finds the first key that is kept from its begin on. It also
// writes how many keys are kept in all. An invocation scans a piece of the chunks from the first on, for
// places, and one from the last on, for indices.

#constant WORKGROUP_SIZE

struct ScanParams {
  chunks: u32,
}

// For each chunk: its place and its index; after the last, the number of all keys that are kept, and NONE.
@group(0) @binding(0) var<storage, read_write> chunks: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> total: array<u32>;   // one word
@group(0) @binding(2) var<uniform> params: ScanParams;

// There is no such key.
const NONE = 0xffffffffu;

// The sum of the counts, and the least index, of an invocation's pieces and those of all before it.
var<workgroup> scanned: array<vec2u, WORKGROUP_SIZE>;

// Chunk `i`, from the last on.
fn from_last(i: u32) -> u32 {
  return params.chunks - 1u - i;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(local_invocation_index) invocation: u32) {
  let piece = (params.chunks + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
  let begin = min(invocation * piece, params.chunks);
  let end = min(begin + piece, params.chunks);
  var all = vec2u(0u, NONE);
  for (var i = begin; i < end; i++) {
    all = vec2u(all.x + chunks[i].x, min(all.y, chunks[from_last(i)].y));
  }
  scanned[invocation] = all;
  workgroupBarrier();
  for (var distance = 1u; distance < WORKGROUP_SIZE; distance *= 2u) {
    if invocation >= distance {
      let earlier = scanned[invocation - distance];
      all = vec2u(all.x + earlier.x, min(all.y, earlier.y));
    }
    workgroupBarrier();
    scanned[invocation] = all;
    workgroupBarrier();
  }
  var before = vec2u(0u, NONE);
  if invocation > 0u { before = scanned[invocation - 1u]; }
  for (var i = begin; i < end; i++) {
    let count = chunks[i].x;
    chunks[i].x = before.x;
    before.x += count;
    before.y = min(before.y, chunks[from_last(i)].y);
    chunks[from_last(i)].y = before.y;
  }
  if invocation == WORKGROUP_SIZE - 1u {
    chunks[params.chunks] = vec2u(all.x, NONE);
    total[0] = all.x;
  }
}
