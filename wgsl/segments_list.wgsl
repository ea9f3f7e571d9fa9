// Lists the segments that segments_sort.wgsl leaves, as they are too long. A workgroup goes through ROUNDS times
// as many neighbouring segments as it has invocations, after a look at all whether any must be listed.
// Up to SMALL_KEYS keys and up to MEDIUM_KEYS keys, its number is listed for segments_local.wgsl; there are two
// lists, because a tile that is not full takes as long as a full one. A longer segment is cut into chunks,
// which are listed one after the other for radix_count.wgsl and radix_scatter.wgsl. A workgroup gets its place
// in each list by one atomic operation, so the order of the segments in a list may be any. If the offsets do
// not ascend, a list may be too short: the rest is left out.

#import grid
#import segments
#constant WORKGROUP_SIZE
#constant ROUNDS
#constant SMALL_KEYS   // at most this many keys are sorted in the smaller tile
#constant MEDIUM_KEYS  // and this many in the larger one
#constant INSIDE       // 1 to list all that are not short, 0 to list those of them that no window holds

const CHUNKS = 0u;
const SMALL = 1u;
const MEDIUM = 2u;
const NO_LIST = 3u;
// Words of a chunk: see segments_chunks.wgsl.
const CHUNK_WORDS = 4u;
// The chunks of a segment that one invocation lists.
const FEW_CHUNKS = 8u;

struct Lists {
  wanted: array<atomic<u32>, 3>,  // entries of each list, also those that were left out
  chunks: atomic<u32>,            // chunks without those
  words: array<u32>,              // the chunks, then the numbers of the small segments and of the medium ones
}

@group(0) @binding(1) var<storage, read_write> lists: Lists;

// Whether this workgroup lists any segment.
var<workgroup> any_listed: u32;
// The entries that this workgroup adds to each list, and the number of the first one.
var<workgroup> added: array<atomic<u32>, 3>;
var<workgroup> bases: array<u32, 3>;
// The longest segments of this workgroup: where each begins and ends, and its first chunk among those added here.
var<workgroup> long_count: atomic<u32>;
var<workgroup> long_segments: array<vec3u, WORKGROUP_SIZE>;

fn capacity_of(list: u32) -> u32 {
  return select(select(params.medium, params.small, list == SMALL), params.chunks, list == CHUNKS);
}

// Makes room for the entries of this workgroup in a list.
fn extend_list(list: u32) {
  let capacity = capacity_of(list);
  // A list that is full is not extended, so that its counter does not wrap around.
  let count = min(atomicLoad(&added[list]), capacity);
  bases[list] = capacity;
  if count == 0u || atomicLoad(&lists.wanted[list]) >= capacity { return; }
  let base = atomicAdd(&lists.wanted[list], count);
  bases[list] = base;
  if list == CHUNKS { atomicMax(&lists.chunks, min(base + count, capacity)); }
}

// Which list a segment goes to.
fn list_of(number: u32) -> u32 {
  if number >= params.segments { return NO_LIST; }
  let segment = Segment(offset_at(number), offset_at(number + 1u), true);
  if segment.end <= segment.begin || is_short(segment) { return NO_LIST; }
  if INSIDE == 0u && levels_of(segment) == 0u { return NO_LIST; }
  let length = segment.end - segment.begin;
  return select(select(CHUNKS, MEDIUM, length <= MEDIUM_KEYS), SMALL, length <= SMALL_KEYS);
}

// Lists every `step`-th chunk of a segment from chunk `j` on.
fn list_chunks(segment: vec3u, j: u32, step: u32) {
  let first = bases[CHUNKS] + segment.z;
  let count = (segment.y - segment.x + params.chunk - 1u) / params.chunk;
  let is_listed = first + count <= params.chunks;
  for (var i = j; i < count && first + i < params.chunks; i += step) {
    let begin = segment.x + i * params.chunk;
    let end = min(begin + params.chunk, segment.y);
    let at = CHUNK_WORDS * (first + i);
    // A segment whose chunks are not all listed is not moved.
    lists.words[at] = begin;
    lists.words[at + 1u] = select(begin, end, is_listed);
    lists.words[at + 2u] = select(first + i, first, is_listed);
    lists.words[at + 3u] = select(1u, count, is_listed);
  }
}

// Lists a segment of each invocation. Between two calls there must be a barrier.
fn list_segments(number: u32, invocation: u32) {
  if invocation < 3u { atomicStore(&added[invocation], 0u); }
  if invocation == 0u { atomicStore(&long_count, 0u); }
  workgroupBarrier();

  let list = list_of(number);
  var place = 0u;
  var own = vec3u();
  if list != NO_LIST {
    let begin = offset_at(number);
    let end = offset_at(number + 1u);
    let chunks = (end - begin + params.chunk - 1u) / params.chunk;
    place = atomicAdd(&added[list], select(1u, chunks, list == CHUNKS));
    own = vec3u(begin, end, place);
    if list == CHUNKS && chunks > FEW_CHUNKS {
      long_segments[atomicAdd(&long_count, 1u)] = own;
      own = vec3u();
    }
  }
  workgroupBarrier();
  if invocation < 3u { extend_list(invocation); }
  workgroupBarrier();

  if list == SMALL || list == MEDIUM {
    let at = bases[list] + place;
    let begin = CHUNK_WORDS * params.chunks + select(0u, params.small, list == MEDIUM);
    if at < capacity_of(list) { lists.words[begin + at] = number; }
  } else if list == CHUNKS {
    list_chunks(own, 0u, 1u);
  }
  let segments = atomicLoad(&long_count);
  for (var i = 0u; i < segments; i++) { list_chunks(long_segments[i], invocation, WORKGROUP_SIZE); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) grid: vec3u,
  @builtin(local_invocation_index) invocation: u32,
) {
  let first = linear_workgroup(workgroup, grid) * ROUNDS * WORKGROUP_SIZE + invocation;
  if invocation == 0u { any_listed = 0u; }
  workgroupBarrier();
  var is_any = false;
  for (var i = 0u; i < ROUNDS; i++) { // unroll
    is_any |= list_of(first + i * WORKGROUP_SIZE) != NO_LIST;
  }
  if is_any { any_listed = 1u; }
  if workgroupUniformLoad(&any_listed) == 0u { return; }
  for (var i = 0u; i < ROUNDS; i++) {
    list_segments(first + i * WORKGROUP_SIZE, invocation);
    workgroupBarrier();
  }
}
