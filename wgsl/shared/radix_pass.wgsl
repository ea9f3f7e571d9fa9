// Binds the parameters of a move's passes.

#import radix_params
#constant PARAMS  // number of the binding

@group(0) @binding(PARAMS) var<uniform> params: RadixParams;
