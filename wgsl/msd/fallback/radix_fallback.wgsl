// All moves but the first of the fallback of a sort by the most significant digit first, in one dispatch: for
// devices on which the workgroups of a dispatch may wait for each other (grid_barrier.wgsl). A dispatch costs 2
// us even if it returns immediately. Where the segments fit, one is then idle, not one or two for each move. A
// participating workgroup has a chunk of neighbouring tiles. For each digit, it
// 1. counts the keys of its chunk in each subgroup, publishes the sums, and waits at the grid barrier;
// 2. adds up the counts of all chunks, and computes where its keys of each digit value start;
// 3. ranks the keys of each tile (rank_counters.wgsl), exchanges them through workgroup memory, writes them to
//    their places, and waits at the grid barrier, as other workgroups read them next.
// The counters are not needed any more when the keys are exchanged, so they share their memory. That makes room
// for 1,024 invocations, whose keys are counted once if the chunk is one tile. The first move has written to
// the odd keys.
//
// Digits in which no keys differ are skipped. To find them, each workgroup publishes with its first counts in
// which bits its keys differ from the first key of all. If signed keys then get a smaller bias (bias.wgsl), all
// are counted anew.

#import key
#import digit
#import compared
#import difference
#import bias
#import radix_output
#import subgroup
#import tile
#import rank_counters
#import sum_before
#import grid_barrier
#enable subgroups
#constant WORKGROUP_SIZE       // a multiple of DIGITS
#constant SUBGROUP_SIZE
#constant KEYS_PER_INVOCATION
#constant KEY_WORDS            // words per key
#constant LOADS                // counts that are loaded at once
#constant PARAMS               // number of the binding

#if fallback_values/word
// A value of one word moves with each key.

#constant VALUES  // number of the first of two bindings

const HAS_VALUES = true;

@group(0) @binding(VALUES) var<storage, read_write> odd_values: array<atomic<u32>>;
@group(0) @binding(VALUES + 1u) var<storage, read_write> even_values: array<atomic<u32>>;

fn value_at(at: u32, is_odd: bool) -> u32 {
  if is_odd { return atomicLoad(&odd_values[at]); }
  return atomicLoad(&even_values[at]);
}

// Writes a value and returns what it replaces.
fn exchange_value(at: u32, value: u32, is_odd: bool) -> u32 {
  if is_odd { return atomicExchange(&odd_values[at], value); }
  return atomicExchange(&even_values[at], value);
}

#else
// No values move with the keys.

const HAS_VALUES = false;

fn value_at(at: u32, is_odd: bool) -> u32 {
  return 0u;
}

fn exchange_value(at: u32, value: u32, is_odd: bool) -> u32 {
  return 0u;
}

#end

struct FallbackParams {
  key_count: u32,
  begin: u32,  // the lowest bit of the first digit
  end: u32,    // one past the highest bit of the last digit
  zero: u32,   // 0, which the compiler does not know
}

@group(0) @binding(0) var<storage, read_write> odd_keys: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> even_keys: array<atomic<u32>>;
// For each participating workgroup, its counts: two of 16 bits per word, DIGITS / 2 words with their lower
// halves, and as many with their upper halves if chunks may have more than 65,535 keys. After those of all
// workgroups, the bits in which the keys of each differ from the first key.
@group(0) @binding(2) var<storage, read_write> workgroup_counts: array<atomic<u32>>;
@group(0) @binding(PARAMS) var<uniform> params: FallbackParams;

// Words for the lower halves of a workgroup's counts, two digit values each.
const PAIRS = DIGITS / 2u;
// The workgroups are shared out among this many groups of PAIRS invocations, which add up their counts.
const GROUPS = WORKGROUP_SIZE / PAIRS;

// For each digit value: keys in the chunks of earlier workgroups, and keys in all chunks.
var<workgroup> within: array<atomic<u32>, DIGITS>;
var<workgroup> totals: array<atomic<u32>, DIGITS>;
// For each digit value: what to add to a key's slot in the tile to get its place, modulo 2^32.
var<workgroup> offsets: array<u32, DIGITS>;

// A bit for each digit by which keys move, and COUNTS_ANEW.
var<workgroup> moved_digits: u32;

// Another bit: whether what has been counted is of no use, as keys take another bias.
const COUNTS_ANEW = 1u << 31u;

fn odd_key(at: u32) -> Key {
  if KEY_WORDS == 1u { return key_of(atomicLoad(&odd_keys[at]), 0u); }
  return key_of(atomicLoad(&odd_keys[2u * at]), atomicLoad(&odd_keys[2u * at + 1u]));
}

fn even_key(at: u32) -> Key {
  if KEY_WORDS == 1u { return key_of(atomicLoad(&even_keys[at]), 0u); }
  return key_of(atomicLoad(&even_keys[2u * at]), atomicLoad(&even_keys[2u * at + 1u]));
}

// Writes a key and returns some of what it replaces, of each word that is written.
fn exchange_key(at: u32, key: Key, is_odd: bool) -> u32 {
  if KEY_WORDS == 1u {
    if is_odd { return atomicExchange(&odd_keys[at], word_at(key, 0u)); }
    return atomicExchange(&even_keys[at], word_at(key, 0u));
  }
  if is_odd {
    return atomicExchange(&odd_keys[2u * at], word_at(key, 0u))
      | atomicExchange(&odd_keys[2u * at + 1u], word_at(key, 1u));
  }
  return atomicExchange(&even_keys[2u * at], word_at(key, 0u))
    | atomicExchange(&even_keys[2u * at + 1u], word_at(key, 1u));
}

// Loads an invocation's keys of a tile, of which `at` is the first. Slots past the end get the largest key,
// which stays behind all others.
fn load_keys(keys: ptr<function, TileKeys>, is_odd: bool, at: u32, end: u32) {
  if is_odd {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      (*keys)[i] = MAX_ORDERED;
      if at + i * SUBGROUP_SIZE < end { (*keys)[i] = odd_key(at + i * SUBGROUP_SIZE); }
    }
  } else {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      (*keys)[i] = MAX_ORDERED;
      if at + i * SUBGROUP_SIZE < end { (*keys)[i] = even_key(at + i * SUBGROUP_SIZE); }
    }
  }
  if must_rebias() {
    #unroll
    for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
      if at + i * SUBGROUP_SIZE < end { (*keys)[i] = moved_form((*keys)[i]); }
    }
  }
}

// Loads the values of an invocation's keys of a tile.
fn load_values(values: ptr<function, TileWords>, is_odd: bool, at: u32, end: u32) {
  #unroll
  for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
    if at + i * SUBGROUP_SIZE < end { (*values)[i] = value_at(at + i * SUBGROUP_SIZE, is_odd); }
  }
}

// A key in the memory of the counters.
fn stage_key(slot: u32, key: Key) {
  atomicStore(&counters[slot], word_at(key, 0u));
  if KEY_WORDS == 2u { atomicStore(&counters[TILE + slot], word_at(key, 1u)); }
}

fn staged_key(slot: u32) -> Key {
  if KEY_WORDS == 1u { return key_of(atomicLoad(&counters[slot]), 0u); }
  return key_of(atomicLoad(&counters[slot]), atomicLoad(&counters[TILE + slot]));
}

// Publishes the keys that the subgroups have counted, without those past the end, and returns some of what
// this replaces.
fn publish_counts(number: u32, planes: u32, padding: u32, padding_digit: u32, invocation: u32) -> u32 {
  var replaced = 0u;
  if invocation < PAIRS {
    let low = counted_keys(2u * invocation) - select(0u, padding, padding_digit == 2u * invocation);
    let high = counted_keys(2u * invocation + 1u) - select(0u, padding, padding_digit == 2u * invocation + 1u);
    for (var plane = 0u; plane < planes; plane++) {
      let word = ((low >> (16u * plane)) & 0xffffu) | ((high >> (16u * plane)) << 16u);
      replaced |= atomicExchange(&workgroup_counts[number * DIGITS + plane * PAIRS + invocation], word);
    }
  }
  return replaced;
}

// Returns a bit for each digit of the bits from `begin` to `end`, lowest digit first: those in which keys
// differ. Moves alternate between two buffers, so that an odd or even number of them is left as the plan has
// it: the lowest digit in which no keys differ may be one of them.
fn digits_to_move(difference: Key, begin: u32, end: u32) -> u32 {
  var moved = 0u;
  var constant = 0u;
  var number = 0u;
  for (var shift = begin; shift < end; number++) {
    let after = digit_end(shift, end);
    let bits = (word_at(difference, shift >> 5u) >> (shift & 31u)) & ((1u << (after - shift)) - 1u);
    if bits != 0u {
      moved |= 1u << number;
    } else if constant == 0u {
      constant = 1u << number;
    }
    shift = after;
  }
  return moved | select(0u, constant, ((countOneBits(moved) ^ number) & 1u) == 1u);
}

// Publishes in which bits the workgroup's keys differ from the first one, and returns what this replaces.
fn publish_difference(number: u32, workgroups: u32, invocation: u32) -> u32 {
  if invocation >= KEY_WORDS { return 0u; }
  let difference = atomicLoad(&differing[invocation]);
  return atomicExchange(&workgroup_counts[workgroups * DIGITS + number * KEY_WORDS + invocation], difference);
}

// Returns `moved_digits`, of the bits in which keys differ. All invocations must call it.
fn find_moved_digits(own: Participant, workgroups: u32, invocation: u32) -> u32 {
  for (var i = invocation; i < own.count * KEY_WORDS; i += WORKGROUP_SIZE) {
    atomicOr(&differing[i % KEY_WORDS], atomicLoad(&workgroup_counts[workgroups * DIGITS + i]));
  }
  workgroupBarrier();
  let published = key_of(atomicLoad(&differing[0]), atomicLoad(&differing[KEY_WORDS - 1u]));
  set_bias(published);
  if invocation == 0u {
    let counts_anew = select(0u, COUNTS_ANEW, has_own_bias());
    moved_digits = digits_to_move(bits_to_sort_by(published), params.begin, params.end) | counts_anew;
  }
  return workgroupUniformLoad(&moved_digits);
}

// Adds up the counts of all workgroups in `within` and `totals`, which must have been cleared.
fn sum_workgroups(own: Participant, planes: u32, invocation: u32) {
  let pair = invocation % PAIRS;
  let piece = (own.count + GROUPS - 1u) / GROUPS;
  let begin = (invocation / PAIRS) * piece;
  let end = min(begin + piece, own.count);
  var before = vec2u(0u);
  var all = vec2u(0u);
  for (var plane = 0u; plane < planes; plane++) {
    // All loads of a turn are in flight at once, to hide the memory's latency. Those past the end count
    // nothing.
    for (var i = begin; i < end; i += LOADS) {
      var words: array<u32, LOADS>;
      #unroll
      for (var j = 0u; j < LOADS; j++) {
        words[j] = atomicLoad(&workgroup_counts[min(i + j, end - 1u) * DIGITS + plane * PAIRS + pair]);
      }
      #unroll
      for (var j = 0u; j < LOADS; j++) {
        let counts = vec2u(words[j] & 0xffffu, words[j] >> 16u) << vec2u(16u * plane);
        before += select(vec2u(0u), counts, i + j < min(end, own.number));
        all += select(vec2u(0u), counts, i + j < end);
      }
    }
  }
  atomicAdd(&within[2u * pair], before.x);
  atomicAdd(&within[2u * pair + 1u], before.y);
  atomicAdd(&totals[2u * pair], all.x);
  atomicAdd(&totals[2u * pair + 1u], all.y);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(@builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) invocation: u32) {
  let own = enter_grid_barrier(grid.x, invocation);
  if own.count == 0u { return; }
  let turns = start_subgroups(invocation);
  let tiles = (params.key_count + TILE - 1u) / TILE;
  let share = (tiles + own.count - 1u) / own.count;
  let begin = min(own.number * share * TILE, params.key_count);
  let end = min(begin + share * TILE, params.key_count);
  let is_single = begin + TILE >= end;
  let planes = select(1u, 2u, share * TILE > 0xffffu);
  let first = first_slot(invocation);
  let last_tile = begin + (max(end, begin + 1u) - 1u - begin) / TILE * TILE;

  var keys: TileKeys;
  var values: TileWords;
  var ranks: TileWords;
  var places: TileWords;
  var arrivals = 0u;
  var is_odd = true;
  var number = 0u;
  var moved = 1u;
  var is_known = false;
  let first_key = compared(odd_key(0u));
  for (var shift = params.begin; shift < params.end;) {
    let after = digit_end(shift, params.end);
    let mask = (1u << (after - shift)) - 1u;
    if ((moved >> number) & 1u) == 0u {
      shift = after;
      number++;
      continue;
    }

    clear_difference(invocation);
    if invocation < DIGITS {
      atomicStore(&within[invocation], 0u);
      atomicStore(&totals[invocation], 0u);
    }
    clear_counters(invocation);
    // The first tile comes last, so its keys need not be loaded again.
    var difference = first_key ^ first_key;
    for (var tile = last_tile + TILE; tile > begin;) {
      tile -= TILE;
      load_keys(&keys, is_odd, tile + first, end);
      count_keys(&keys, shift, mask, invocation);
      if !is_known {
        #unroll
        for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
          if tile + first + i * SUBGROUP_SIZE < end { difference |= difference_of(keys[i], first_key); }
        }
      }
    }
    if !is_known { add_difference(with_first_distance(difference, first_key)); }
    // The loads are in flight while the workgroup waits for others.
    load_values(&values, is_odd, begin + first, end);
    workgroupBarrier();
    let padding_digit = digit_at(MAX_ORDERED, shift, mask);
    var counts = publish_counts(own.number, planes, last_tile + TILE - end, padding_digit, invocation);
    if !is_known { counts |= publish_difference(own.number, grid.x, invocation); }
    arrivals += own.count;
    grid_barrier(arrivals, counts, params.zero, invocation);

    if !is_known {
      let found = find_moved_digits(own, grid.x, invocation);
      moved = found & ~COUNTS_ANEW;
      is_known = true;
      // Nobody reads these counts then, so the next ones may replace them without a barrier.
      if (moved & 1u) == 0u || moved != found { continue; }
    }
    let is_last = (moved >> number) <= 1u;
    sum_workgroups(own, planes, invocation);
    workgroupBarrier();
    // Invocation d < DIGITS keeps the place of the chunk's next key with digit value d.
    var next = 0u;
    var total = 0u;
    if invocation < DIGITS {
      next = atomicLoad(&within[invocation]);
      total = atomicLoad(&totals[invocation]);
    }
    next += sum_before(total, invocation);
    workgroupBarrier();

    var replaced = 0u;
    for (var tile = begin; tile < end; tile += TILE) {
      if !is_single {
        clear_counters(invocation);
        count_keys(&keys, shift, mask, invocation);
        workgroupBarrier();
      }
      var count = 0u;
      if invocation < DIGITS { count = counted_keys(invocation); }
      let before = sum_before(count, invocation);
      if invocation < DIGITS {
        place_counters(invocation, before);
        offsets[invocation] = next - before;
        next += count;
      }
      workgroupBarrier();
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        ranks[i] = next_slot(digit_at(keys[i], shift, mask), invocation, turns);
      }
      workgroupBarrier();
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        stage_key(ranks[i], keys[i]);
      }
      let next_tile = tile + TILE;
      if next_tile < end { load_keys(&keys, is_odd, next_tile + first, end); }
      workgroupBarrier();

      // What these exchanges return arrives while the values are moved.
      var replaced_keys: TileWords;
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        let slot = invocation + i * WORKGROUP_SIZE;
        if tile + slot < end {
          let key = staged_key(slot);
          places[i] = offsets[digit_at(key, shift, mask)] + slot;
          // Where workgroups have waited in vain, places may be wrong.
          places[i] = min(places[i], params.key_count - 1u);
          if is_last {
            replaced_keys[i] = exchange_key(places[i], output_of(key), !is_odd);
          } else {
            replaced_keys[i] = exchange_key(places[i], key, !is_odd);
          }
        }
      }
      workgroupBarrier();
      if HAS_VALUES {
        #unroll
        for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
          atomicStore(&counters[ranks[i]], values[i]);
        }
        if next_tile < end { load_values(&values, is_odd, next_tile + first, end); }
        workgroupBarrier();
        #unroll
        for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
          let slot = invocation + i * WORKGROUP_SIZE;
          if tile + slot < end {
            replaced |= exchange_value(places[i], atomicLoad(&counters[slot]), !is_odd);
          }
        }
        workgroupBarrier();
      }
      #unroll
      for (var i = 0u; i < KEYS_PER_INVOCATION; i++) {
        replaced |= replaced_keys[i];
      }
    }
    if !is_last {
      arrivals += own.count;
      grid_barrier(arrivals, replaced, params.zero, invocation);
    }
    note_stored_bias();
    shift = after;
    number++;
    is_odd = !is_odd;
  }
}
