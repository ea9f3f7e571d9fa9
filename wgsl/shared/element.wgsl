#if element/key
// What msd_scatter.wgsl moves are keys alone.

#import key
#import normalization
#import radix_keys
#import written_keys/all

alias Element = Key;

// Reads element `at` of the input as it is stored.
fn element_at(at: u32) -> Element {
  return key_at(at);
}

// An element that `element_at` has read, with its key in the form in which it moves.
fn moved_element(element: Element) -> Element {
  return normalized(ordered_of(element));
}

// The same with its key in the ordered form.
fn ordered_element(element: Element) -> Element {
  return ordered_of(element);
}

fn key_in(element: Element) -> Key {
  return element;
}

fn put_element(place: u32, moved: Element) {
  write_key(place, moved);
}

// Stores a word in workgroup memory for elements; `element_as_word` reads it back.
fn word_as_element(word: u32) -> Element {
  return value_as_key(word);
}

fn element_as_word(element: Element) -> u32 {
  return key_as_value(element);
}

#elif element/numbered
// What msd_scatter.wgsl moves are keys of one word and their indices in the input. Their local sort can put
// equal keys back in order.

#import key
#import normalization
#import radix_keys

// x: the key; y: its index.
alias Element = vec2u;

@group(0) @binding(1) var<storage, read_write> output: array<Element>;

// Reads element `at` of the input as it is stored.
fn element_at(at: u32) -> Element {
  return Element(key_at(at), at);
}

// An element that `element_at` has read, with its key in the form in which it moves.
fn moved_element(element: Element) -> Element {
  return Element(normalized(ordered_of(element.x)), element.y);
}

// The same with its key in the ordered form.
fn ordered_element(element: Element) -> Element {
  return Element(ordered_of(element.x), element.y);
}

fn key_in(element: Element) -> Key {
  return element.x;
}

fn put_element(place: u32, moved: Element) {
  output[place] = moved;
}

// Stores a word in workgroup memory for elements; `element_as_word` reads it back.
fn word_as_element(word: u32) -> Element {
  return Element(word, 0u);
}

fn element_as_word(element: Element) -> u32 {
  return element.x;
}

#end
