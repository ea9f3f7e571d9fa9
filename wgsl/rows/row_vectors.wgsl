// How kernels look through a text: vectors of 16 bytes, in chunks of a workgroup.

#import bytes
#constant WORKGROUP_SIZE
#constant VECTORS  // vectors per invocation
#constant PARAMS   // number of the binding

struct RowTextParams {
  bytes: u32,       // of the text; what follows in the buffer may be anything
  terminator: u32,  // the byte that ends a row
  separator: u32,   // the byte between two fields that may be in quotes; unused if quotes are bytes like others
  chunks: u32,      // one per workgroup
}

@group(0) @binding(0) var<storage, read> text: array<vec4u>;
@group(0) @binding(PARAMS) var<uniform> params: RowTextParams;

const CHUNK_VECTORS = WORKGROUP_SIZE * VECTORS;

// 0x80 in each byte of a vector that is `byte` and belongs to the text.
fn vector_marks(number: u32, byte: u32) -> vec4u {
  let at = number << 4u;
  if at >= params.bytes { return vec4u(); }
  let vector = text[number];
  var marks = vec4u(
    marks_of(vector.x, byte), marks_of(vector.y, byte), marks_of(vector.z, byte), marks_of(vector.w, byte),
  );
  let left = params.bytes - at;
  if left < 16u {
    for (var word = 0u; word < 4u; word++) {
      let own = min(4u, max(left, 4u * word) - 4u * word);
      if own < 4u { marks[word] &= (1u << (8u * own)) - 1u; }
    }
  }
  return marks;
}

// The marks of a vector, each as one bit.
fn count_marks(marks: vec4u) -> u32 {
  return countOneBits(marks.x | (marks.y >> 1u) | (marks.z >> 2u) | (marks.w >> 3u));
}

// What a vector says of rows.
struct RowEnds {
  marks: vec4u,     // 0x80 in each byte that ends a row
  inside: bool,     // whether the next vector begins within quotes
  misplaced: bool,  // whether a quote begins quoted text within a field, or text follows a closing one
}
