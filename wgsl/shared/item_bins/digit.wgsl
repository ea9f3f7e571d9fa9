// The parameters name the bits of a key that choose its bin.

#import msd_tile
#import msd_local_params

fn item_bins() -> BinBits {
  return BinBits(params.shift, params.mask);
}
