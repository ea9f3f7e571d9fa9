#if segments_lister/lists
// Lists the segments that segments_sort.wgsl or segments_serial_sort.wgsl leaves, as they are too long, while
// it looks for the others. Up to SMALL_KEYS keys and up to MEDIUM_KEYS keys, a segment's number is listed for
// segments_local.wgsl; there are two lists, because a tile that is not full takes as long as a full one. A
// longer segment is cut into chunks, which are listed one after the other for the kernels that count and move
// them. Segments get their places in a list by atomic operations, so their order there may be any. If the
// offsets do not ascend, a list may be too short: the rest is left out.

#import segments
#constant WORKGROUP_SIZE
#constant WINDOW_KEYS  // keys per window
#constant SMALL_KEYS   // at most this many keys are sorted in the smaller tile
#constant MEDIUM_KEYS  // and this many in the larger one
#constant SHORT_KEYS   // at most this many keys are sorted here
#constant LISTS        // number of the binding

const LISTS_SEGMENTS = true;

const CHUNKS = 0u;
const SMALL = 1u;
const MEDIUM = 2u;
// Words of a chunk: see segments_chunks.wgsl.
const CHUNK_WORDS = 4u;
// The chunks of a segment that one invocation lists.
const SERIAL_CHUNKS = 8u;

struct Lists {
  entries: array<atomic<u32>, 3>,  // of each list, also those that were left out
  chunks: atomic<u32>,             // chunks without those
  words: array<u32>,               // the chunks, then the numbers of the small segments and of the medium ones
}

@group(0) @binding(LISTS) var<storage, read_write> lists: Lists;

// The segment of many chunks that begins in the window, if there is one: where it begins and ends, and the
// number of its first chunk.
var<workgroup> many_chunks: vec3u;
var<workgroup> has_many_chunks: atomic<u32>;

// Must be called before the barrier that list_segment needs.
fn start_listing(invocation: u32) {
  if invocation == 0u {
    many_chunks = vec3u();
    atomicStore(&has_many_chunks, 0u);
  }
}

// Whether a window must list a segment: it is the one that the segment begins in.
fn is_listed(segment: Segment, window_begin: u32) -> bool {
  return segment.sorted && segment.end > segment.begin && segment.end - segment.begin > SHORT_KEYS &&
    segment.begin - window_begin < WINDOW_KEYS;
}

fn capacity_of(list: u32) -> u32 {
  return select(select(params.medium, params.small, list == SMALL), params.chunks, list == CHUNKS);
}

// Returns the number of the first of some new entries of a list.
fn extend_list(list: u32, count: u32) -> u32 {
  let capacity = capacity_of(list);
  // A list that is full is not extended, so that its counter does not wrap around.
  if atomicLoad(&lists.entries[list]) >= capacity { return capacity; }
  let base = atomicAdd(&lists.entries[list], min(count, capacity));
  if list == CHUNKS { atomicMax(&lists.chunks, min(base + count, capacity)); }
  return base;
}

// Lists every `step`-th chunk of a segment from chunk `j` on.
fn list_chunks(begin: u32, end: u32, first: u32, j: u32, step: u32) {
  let count = (end - begin + params.chunk - 1u) / params.chunk;
  let is_whole = first + count <= params.chunks;
  for (var i = j; i < count && first + i < params.chunks; i += step) {
    let chunk_begin = begin + i * params.chunk;
    let at = CHUNK_WORDS * (first + i);
    // A segment whose chunks are not all listed is not moved.
    lists.words[at] = chunk_begin;
    lists.words[at + 1u] = select(chunk_begin, min(chunk_begin + params.chunk, end), is_whole);
    lists.words[at + 2u] = select(first + i, first, is_whole);
    lists.words[at + 3u] = select(1u, count, is_whole);
  }
}

// Lists a segment. One invocation must call it.
fn list_segment(number: u32, begin: u32, end: u32) {
  let length = end - begin;
  if length <= MEDIUM_KEYS {
    let list = select(MEDIUM, SMALL, length <= SMALL_KEYS);
    let at = extend_list(list, 1u);
    let first = CHUNK_WORDS * params.chunks + select(0u, params.small, list == MEDIUM);
    if at < capacity_of(list) { lists.words[first + at] = number; }
    return;
  }
  let chunks = (length + params.chunk - 1u) / params.chunk;
  let first = extend_list(CHUNKS, chunks);
  // A second segment of many chunks begins in a window only if the offsets do not ascend.
  if chunks > SERIAL_CHUNKS && atomicExchange(&has_many_chunks, 1u) == 0u {
    many_chunks = vec3u(begin, end, first);
  } else {
    list_chunks(begin, end, first, 0u, 1u);
  }
}

// All invocations must call it, after a barrier that follows list_segment.
fn finish_listing(invocation: u32) {
  if atomicLoad(&has_many_chunks) != 0u {
    list_chunks(many_chunks.x, many_chunks.y, many_chunks.z, invocation, WORKGROUP_SIZE);
  }
}

#else
// No later pass sorts listed segments.

#import segments

const LISTS_SEGMENTS = false;

fn start_listing(invocation: u32) {}

fn is_listed(segment: Segment, window_begin: u32) -> bool {
  return false;
}

fn list_segment(number: u32, begin: u32, end: u32) {}

fn finish_listing(invocation: u32) {}

#end
