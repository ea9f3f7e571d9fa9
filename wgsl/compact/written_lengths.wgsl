#if written_lengths/all
// With each key that is kept goes the number of keys in its run.

#constant LENGTHS  // number of the binding

const HAS_LENGTHS = true;

@group(0) @binding(LENGTHS) var<storage, read_write> lengths: array<u32>;

fn write_length(place: u32, length: u32) {
  lengths[place] = length;
}

#else
// Only keys are written, not how long their runs are.

const HAS_LENGTHS = false;

fn write_length(place: u32, length: u32) {}

#end
