import type { Spec } from "vega";
import type { TopLevelSpec } from "vega-lite";
import { optionalPackage } from "./optional_package.js";

/** Draws a Vega-Lite specification as SVG text. `finish` may change the compiled Vega specification. */
export type SvgRenderer = (spec: TopLevelSpec, finish?: (spec: Spec) => Spec) => Promise<string>;

/**
 * Loads Vega and Vega-Lite.
 *
 * @param purpose what needs them, as the beginning of a sentence.
 * @throws InputError if one of them is not installed.
 */
export async function svgRenderer(purpose: string): Promise<SvgRenderer> {
  const { View, parse } = await optionalPackage("vega", purpose, () => import("vega"));
  const { compile } = await optionalPackage("vega-lite", purpose, () => import("vega-lite"));
  return (spec, finish = (same) => same) => {
    return new View(parse(finish(compile(spec).spec)), { renderer: "none" }).toSVG();
  };
}
