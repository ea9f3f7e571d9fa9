// A key of one 32-bit word, as raw bits.

alias Key = u32;
