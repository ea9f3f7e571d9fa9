// A key of two 32-bit words, as raw bits: x is the less significant.

alias Key = vec2u;
