// One dispatch reads a word of a key from each row, and adds what it finds to `found`. An invocation reads one
// row. It also says which row is in error, so that no other kernel has to read keys for that.

#import row_text
#import row_order
#import row_fields
#import row_bytes
#import row_values
#import row_list
#import grid
#constant WORKGROUP_SIZE

// A key as words of 64 bits: the order of the first words that differ is the order of the keys. The first word
// is that of assembly/rows/words.ts, which explains it; the others are found again from the begin of the key.

// A word of a key of the row from `begin` to `end`.
//
// `stage`: how many words of the key come before. `prefix`: bytes that all keys have in common; they are left
// out.
fn key_word(key: u32, stage: u32, prefix: u32, begin: u32, end: u32) -> KeyWord {
  let place = find_key(key, begin, end);
  var read: KeyWord;
  if of_key(key, COMPARISON) == COMPARES_BYTES {
    let word = bytes_word(key, place.begin, place.end, prefix + WORD_BYTES * stage);
    read = KeyWord(word ^ vec2u(flip_of(key)), (word.x & 0xffu) == MORE_BYTES, false, false);
  } else {
    read = value_word(key, stage, place.begin, place.end);
  }
  read.wrong = read.wrong || (place.is_missing && of_key(key, REQUIRED) != 0u);
  return read;
}

struct WordParams {
  count: u32,   // rows
  key: u32,     // the number of the key
  stage: u32,   // words of it that come before
  prefix: u32,  // bytes of the key that all rows have in common
  of_ties: u32, // 1 if the rows are those of `ties`
}

struct WordFindings {
  ones_low: atomic<u32>,    // bits that are set in some word
  ones_high: atomic<u32>,
  zeros_low: atomic<u32>,   // bits that are clear in some word
  zeros_high: atomic<u32>,
  more: atomic<u32>,        // 1 if some key goes on
  unread: atomic<u32>,      // 1 if some key is a number of a form that is not read here
  wrong: atomic<u32>,       // 0 if no row is in error, else 2^32 - 1 less the number of the first such one
}

@group(0) @binding(4) var<storage, read_write> words: array<vec2u>;
@group(0) @binding(5) var<storage, read_write> findings: WordFindings;
@group(0) @binding(6) var<uniform> params: WordParams;

var<workgroup> ones: array<atomic<u32>, 2>;
var<workgroup> zeros: array<atomic<u32>, 2>;
var<workgroup> more: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u {
    for (var k = 0u; k < 2u; k++) {
      atomicStore(&ones[k], 0u);
      atomicStore(&zeros[k], 0u);
    }
    atomicStore(&more, 0u);
  }
  workgroupBarrier();
  let i = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if i < params.count {
    let row = row_of(i, params.of_ties == 1u);
    let begin = starts[row];
    let end = content_end(begin, starts[row + 1u]);
    let read = key_word(params.key, params.stage, params.prefix, begin, end);
    words[i] = read.word;
    for (var k = 0u; k < 2u; k++) {
      atomicOr(&ones[k], read.word[k]);
      atomicOr(&zeros[k], ~read.word[k]);
    }
    if read.more { atomicStore(&more, 1u); }
    if read.unread { atomicStore(&findings.unread, 1u); }
    let wrong = 0xffffffffu - row;
    if read.wrong && wrong > atomicLoad(&findings.wrong) { atomicMax(&findings.wrong, wrong); }
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicOr(&findings.ones_low, atomicLoad(&ones[0]));
    atomicOr(&findings.ones_high, atomicLoad(&ones[1]));
    atomicOr(&findings.zeros_low, atomicLoad(&zeros[0]));
    atomicOr(&findings.zeros_high, atomicLoad(&zeros[1]));
    if atomicLoad(&more) == 1u { atomicStore(&findings.more, 1u); }
  }
}
