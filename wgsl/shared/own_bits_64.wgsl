// The topmost bits of keys of two words that the sample of a count pass shares: see first_look/taken_32.wgsl.

#import shared_bits/64

var<private> own_bits: SharedBits;
