/** Finds an element of the page. @throws Error if the page has none of that id and kind: a bug. */
export function element<E extends Element>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} #${id}`);
}

/** Sets the text of an element by its id. */
export function say(id: string, text: string): void {
  element(id, HTMLElement).textContent = text;
}

/** Says in the section of the shaders what does not work there. */
export function sayOfShaders(text: string): void {
  say("shaders-missing", text);
  element("shaders-missing", HTMLElement).hidden = false;
}

/** Fills a select with options. */
export function fill(id: string, names: readonly string[], chosen: string): HTMLSelectElement {
  const select = element(id, HTMLSelectElement);
  select.replaceChildren(...names.map((name) => new Option(name, name, name === chosen, name === chosen)));
  return select;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
