// The topmost bits of keys of one word that the sample of a count pass shares: see first_look/taken_32.wgsl.

#import shared_bits/32

var<private> own_bits: SharedBits;
