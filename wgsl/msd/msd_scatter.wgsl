// The scatter step of the first move of a sort by the most significant digit first (MSD). One dispatch moves
// all keys by the topmost digit. Keys with the same digit value form a segment of the output. Their order
// within it does not matter, because a local sort follows (msd_local.wgsl). So one atomic operation ranks a
// key. What moves is the slot "element": a key, or a key and its index. Values are only copied. A workgroup
// processes one chunk, tile by tile: it ranks a tile's keys, exchanges them through workgroup memory, and
// writes keys with the same digit value to consecutive places. Meanwhile it loads the next tile. If some
// segment is too long for the local sort, `status` becomes FALLBACK, so that the fallback passes sort the keys.
// Workgroups then move no keys, or make the first of these moves ("first_fallback_move").
// src/core/sort/msd/msd.ts explains the order of the steps.

#import digit
#import radix_pass
#import normalization
#import values
#import subgroup
#import sum_before
#import status
#constant WORKGROUP_SIZE       // a multiple of DIGITS
#constant KEYS_PER_INVOCATION  // at least 2
#constant SHIFT                // the topmost digit's lowest bit; params.shift is that of the lowest digit
#constant MASK                 // the mask of both digits: see digit.wgsl

#if element/key
// What moves are keys alone.

#import key
#import radix_keys
#import written_keys/all

alias Element = Key;

// Reads element `at` of the input as it is stored.
fn element_at(at: u32) -> Element {
  return key_at(at);
}

// An element that `element_at` has read, with its key in the form in which it moves.
fn moved_element(element: Element) -> Element {
  return normalized(ordered_of(element));
}

// The same with its key in the ordered form.
fn ordered_element(element: Element) -> Element {
  return ordered_of(element);
}

fn key_in(element: Element) -> Key {
  return element;
}

fn put_element(place: u32, moved: Element) {
  write_key(place, moved);
}

// Stores a word in workgroup memory for elements; `element_as_word` reads it back.
fn word_as_element(word: u32) -> Element {
  return value_as_key(word);
}

fn element_as_word(element: Element) -> u32 {
  return key_as_value(element);
}

#elif element/numbered
// What moves are keys of one word and their indices in the input. Their local sort can put
// equal keys back in order.

#import key
#import radix_keys

// x: the key; y: its index.
alias Element = vec2u;

@group(0) @binding(1) var<storage, read_write> output: array<Element>;

// Reads element `at` of the input as it is stored.
fn element_at(at: u32) -> Element {
  return Element(key_at(at), at);
}

// An element that `element_at` has read, with its key in the form in which it moves.
fn moved_element(element: Element) -> Element {
  return Element(normalized(ordered_of(element.x)), element.y);
}

// The same with its key in the ordered form.
fn ordered_element(element: Element) -> Element {
  return Element(ordered_of(element.x), element.y);
}

fn key_in(element: Element) -> Key {
  return element.x;
}

fn put_element(place: u32, moved: Element) {
  output[place] = moved;
}

// Stores a word in workgroup memory for elements; `element_as_word` reads it back.
fn word_as_element(word: u32) -> Element {
  return Element(word, 0u);
}

fn element_as_word(element: Element) -> u32 {
  return element.x;
}

#end

@group(0) @binding(2) var<storage, read> counts: array<u32>;        // column by column, DIGITS per column
@group(0) @binding(3) var<storage, read_write> starts: array<u32>;  // of each segment; then the number of keys
// How the sort goes on (see status.wgsl), then three words that are 0, for the grid barrier of the fallback.
@group(0) @binding(4) var<storage, read_write> status: array<atomic<u32>>;

#if after/sample
#constant OUTLIERS             // number of the binding

@group(0) @binding(OUTLIERS) var<storage, read> outliers: array<u32>;  // see outliers.wgsl
#end

#if first_fallback_move/here
// It need not be stable, as no move has ordered the keys before.
#constant LOWEST               // number of the binding

@group(0) @binding(LOWEST) var<storage, read> lowest_counts: array<u32>;   // column by column, DIGITS per column

const MOVES_IN_FALLBACK = true;
#else
const MOVES_IN_FALLBACK = false;
#end

const TILE = WORKGROUP_SIZE * KEYS_PER_INVOCATION;
// The columns are shared out among this many groups of DIGITS invocations, which add up their counts.
const GROUPS = WORKGROUP_SIZE / DIGITS;

// The keys of the tile with each digit value.
var<workgroup> counters: array<atomic<u32>, DIGITS>;
// The slot of the tile's first key with each digit value.
var<workgroup> first_slots: array<u32, DIGITS>;
// For each digit value: what to add to a key's slot to get its place in the output, modulo 2^32.
var<workgroup> offsets: array<u32, DIGITS>;
// The keys of the tile in their order by the digit.
var<workgroup> slots: array<Element, TILE>;
var<workgroup> longest: atomic<u32>;
var<workgroup> all_fit: u32;

// For the digit value that is the invocation's number; 0 in the invocations past the last digit value.
struct DigitSum {
  before: u32,  // keys with the digit value in earlier columns
  total: u32,   // keys with the digit value in all columns
}

// The number of keys of a column with a value of the topmost digit or of the lowest one.
fn count_of(at: u32, is_lowest: bool) -> u32 {
#if first_fallback_move/here
  if is_lowest { return lowest_counts[at]; }
#end
  return counts[at];
}

// All invocations must call it. Uses `slots`, which may be written after the next barrier.
fn sum_columns(column: u32, invocation: u32, is_lowest: bool) -> DigitSum {
  let digit = invocation % DIGITS;
  let piece = (params.columns + GROUPS - 1u) / GROUPS;
  let begin = (invocation / DIGITS) * piece;
  let end = min(begin + piece, params.columns);
  var sum = DigitSum(0u, 0u);
  var i = begin;
  // Eight loads in flight hide the memory's latency. More take longer here: see docs/notes/kernels.md.
  for (; i + 8u <= end; i += 8u) {
    let c0 = count_of(i * DIGITS + digit, is_lowest);
    let c1 = count_of((i + 1u) * DIGITS + digit, is_lowest);
    let c2 = count_of((i + 2u) * DIGITS + digit, is_lowest);
    let c3 = count_of((i + 3u) * DIGITS + digit, is_lowest);
    let c4 = count_of((i + 4u) * DIGITS + digit, is_lowest);
    let c5 = count_of((i + 5u) * DIGITS + digit, is_lowest);
    let c6 = count_of((i + 6u) * DIGITS + digit, is_lowest);
    let c7 = count_of((i + 7u) * DIGITS + digit, is_lowest);
    sum.total += c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
    sum.before += select(0u, c0, i < column) + select(0u, c1, i + 1u < column) +
      select(0u, c2, i + 2u < column) + select(0u, c3, i + 3u < column) +
      select(0u, c4, i + 4u < column) + select(0u, c5, i + 5u < column) +
      select(0u, c6, i + 6u < column) + select(0u, c7, i + 7u < column);
  }
  for (; i < end; i++) {
    let count = count_of(i * DIGITS + digit, is_lowest);
    sum.total += count;
    sum.before += select(0u, count, i < column);
  }
  slots[invocation] = word_as_element(sum.before);
  slots[WORKGROUP_SIZE + invocation] = word_as_element(sum.total);
  workgroupBarrier();
  sum = DigitSum(0u, 0u);
  if invocation < DIGITS {
    for (var group = 0u; group < GROUPS; group++) {
      sum.before += element_as_word(slots[group * DIGITS + invocation]);
      sum.total += element_as_word(slots[WORKGROUP_SIZE + group * DIGITS + invocation]);
    }
  }
  return sum;
}

// Returns whether the local sort can sort every segment. `total` is the length of the segment whose number is
// the invocation's. All invocations must call it, after a barrier that follows the clearing of `longest`.
fn segments_fit(total: u32, invocation: u32) -> bool {
  if total > params.segment_keys { atomicMax(&longest, total); }
  workgroupBarrier();
  if invocation == 0u { all_fit = select(1u, 0u, atomicLoad(&longest) > params.segment_keys); }
  return workgroupUniformLoad(&all_fit) == 1u;
}

fn digit_of(element: Element, shift: u32, stretch: u32) -> u32 {
  return digit_at(stretched(key_in(element), stretch), shift, MASK);
}

// Writes the element in a slot to its place in the output.
fn put_slot(slot: u32, shift: u32, stretch: u32) {
  let moved = slots[slot];
  put_element(offsets[digit_of(moved, shift, stretch)] + slot, moved);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) invocation: u32) {
  start_subgroups(invocation);
  let column = workgroup.x;
  if column >= params.columns { return; }
#if after/sample
  // No keys move if the sample showed that segments will not fit, or that there are few distinct values, or if
  // some key is an outlier: then the fallback begins. Both loads are in flight at once.
  if invocation == 0u {
    all_fit = select(1u, 0u, (atomicLoad(&status[0]) != FITS) | (outliers[0] != 0u));
  }
  if workgroupUniformLoad(&all_fit) == 0u {
    if column == 0u && invocation == 0u {
      atomicStore(&status[0], select(FALLBACK, atomicLoad(&status[0]), outliers[0] == 0u));
    }
    return;
  }
#end
  let begin = column * params.chunk;
  let end = min(begin + params.chunk, params.key_count);

  // The first tile's keys are loaded while the counts are added up.
  var elements: array<Element, KEYS_PER_INVOCATION>;
  var ranks: array<u32, KEYS_PER_INVOCATION>;
  var values: array<u32, KEYS_PER_INVOCATION>;
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    let at = begin + invocation + i * WORKGROUP_SIZE;
    if at < end { elements[i] = element_at(at); }
  }
  if invocation < DIGITS { atomicStore(&counters[invocation], 0u); }
  if invocation == 0u { atomicStore(&longest, 0u); }
  let sum = sum_columns(column, invocation, false);
  let segment_start = sum_before(sum.total, invocation);
  let fit = segments_fit(sum.total, invocation);
  if column == 0u {
    if invocation < DIGITS { starts[invocation] = segment_start; }
    if invocation == 0u {
      starts[DIGITS] = params.key_count;
      atomicStore(&status[0], select(FALLBACK, FITS, fit));
      for (var i = 1u; i < 4u; i++) { atomicStore(&status[i], 0u); }
    }
  }
  if !fit && !MOVES_IN_FALLBACK { return; }

  // Invocation d < DIGITS keeps the place of the chunk's next key with digit value d.
  var next = segment_start + sum.before;
  var shift = SHIFT;
  var stretch_by = stretch();
  let is_fallback = MOVES_IN_FALLBACK && !fit;
  if is_fallback {
    let lowest = sum_columns(column, invocation, true);
    next = sum_before(lowest.total, invocation) + lowest.before;
    shift = params.shift;
    stretch_by = 0u;
  }
  for (var tile = begin; tile < end; tile += TILE) {
    let next_tile = tile + TILE;
    let is_whole = next_tile <= end;
    // All loads of values are in flight while the keys are ranked.
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let at = tile + invocation + i * WORKGROUP_SIZE;
      if HAS_VALUES && (is_whole || at < end) { values[i] = value_at(at); }
    }
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      if is_whole || tile + invocation + i * WORKGROUP_SIZE < end {
        if is_fallback {
          elements[i] = ordered_element(elements[i]);
        } else {
          elements[i] = moved_element(elements[i]);
        }
        ranks[i] = atomicAdd(&counters[digit_of(elements[i], shift, stretch_by)], 1u);
      }
    }
    workgroupBarrier();

    var count = 0u;
    if invocation < DIGITS { count = atomicLoad(&counters[invocation]); }
    let before = sum_before(count, invocation);
    if invocation < DIGITS {
      first_slots[invocation] = before;
      offsets[invocation] = next - before;
      atomicStore(&counters[invocation], 0u);
    }
    next += count;
    workgroupBarrier();

    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      if is_whole || tile + invocation + i * WORKGROUP_SIZE < end {
        slots[first_slots[digit_of(elements[i], shift, stretch_by)] + ranks[i]] = elements[i];
      }
    }
    if next_tile < end {
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        let at = next_tile + invocation + i * WORKGROUP_SIZE;
        if at < end { elements[i] = element_at(at); }
      }
    }
    workgroupBarrier();

    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      let slot = invocation + i * WORKGROUP_SIZE;
      if is_whole || tile + slot < end {
        put_slot(slot, shift, stretch_by);
        put_value(tile + slot, values[i]);
      }
    }
  }
}
