#if item_bins/digit
// The parameters name the bits of a key that choose its bin.

#import msd_tile
#import msd_local_params

fn item_bins() -> BinBits {
  return BinBits(params.shift, params.mask);
}

#elif item_bins/position
// The topmost bits of what is sorted of a key choose its bin: see local_item.wgsl.

#import normalization
#import msd_tile
#import msd_local_params
#constant BIN_BITS
#constant POSITION_BITS  // enough for any position in a tile

fn item_bins() -> BinBits {
  let at_bottom = unused_bits();
  let compared_bits = countOneBits(params.mask_low) + countOneBits(params.mask_high);
  let differing_bits = max(compared_bits, at_bottom) - at_bottom;
  return BinBits(max(differing_bits + POSITION_BITS, BIN_BITS) - BIN_BITS, (1u << BIN_BITS) - 1u);
}

#end
