// One dispatch inspects rows where they are, before or after they are sorted, and adds what it finds to
// `totals`. An invocation inspects one row: it hashes it, and looks whether it ends where a row ends and
// nowhere else. The first row must begin where the text begins, and the last one end with it. Their order is
// the matter of rows_compare, which also finds distinct rows.

#import row_text
#import row_fields
#import row_totals
#import row_hash
#import bytes
#import grid
#constant WORKGROUP_SIZE

struct InspectRowParams {
  count: u32,        // rows
  bytes: u32,        // of the text
  terminator: u32,   // the byte that ends a row
  first_rows: u32,   // whose words are added up
}

@group(0) @binding(2) var<storage, read_write> totals: RowTotals;
@group(0) @binding(3) var<uniform> params: InspectRowParams;

var<workgroup> sum_a: atomic<u32>;
var<workgroup> sum_b: atomic<u32>;
var<workgroup> seen: atomic<u32>;
var<workgroup> word_sum: atomic<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(grid: Grid, @builtin(local_invocation_index) invocation: u32) {
  if invocation == 0u {
    atomicStore(&sum_a, 0u);
    atomicStore(&sum_b, 0u);
    atomicStore(&seen, 0u);
    atomicStore(&word_sum, 0u);
  }
  workgroupBarrier();
  let row = linear_workgroup(grid) * WORKGROUP_SIZE + invocation;
  if row < params.count {
    let begin = starts[row];
    let next = starts[row + 1u];
    var hash = begun_hash(next - begin);
    var words = 0u;
    var ends = 0u;
    var inside = false;
    for (var at = begin; at < next; at += 4u) {
      var bytes = bytes_at(at);
      let left = next - at;
      var marks = marks_of(bytes, params.terminator);
      if left < 4u {
        bytes &= first_bytes(left);
        marks &= first_bytes(left);
      }
      let quoted = quoted_marks(bytes, inside);
      marks &= ~quoted;
      inside = (quoted & 0x80u) != 0u;
      ends += countOneBits(marks);
      hash = hash_with(hash, bytes);
      // Rotated to where they are in a word: those past its end are the first ones of the next.
      let in_order = reversed_bytes(bytes);
      words += shifted_bytes(in_order, in_order, 0u - at);
    }
    let is_whole = next > begin && ends == 1u && !inside && byte_at(next - 1u) == params.terminator;
    let is_first = row == 0u;
    let is_last = row + 1u == params.count;
    if !is_whole || (is_first && begin != 0u) || (is_last && next != params.bytes) {
      atomicAdd(&totals.malformed, 1u);
    }
    atomicAdd(&sum_a, hash.x);
    atomicAdd(&sum_b, hash.y);
    atomicAdd(&seen, 1u);
    if row < params.first_rows { atomicAdd(&word_sum, words); }
  }
  workgroupBarrier();
  if invocation == 0u {
    atomicAdd(&totals.sum_a, atomicLoad(&sum_a));
    atomicAdd(&totals.sum_b, atomicLoad(&sum_b));
    atomicAdd(&totals.seen, atomicLoad(&seen));
    atomicAdd(&totals.word_sum, atomicLoad(&word_sum));
  }
}
