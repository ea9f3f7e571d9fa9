import type { Spec } from "vega";
import type { TopLevelSpec } from "vega-lite";
import { type OptionalPackage, optionalPackages } from "../../optional_packages.js";

/** Draws a Vega-Lite specification as SVG text. `finish` may change the compiled Vega specification. */
export type SvgRenderer = (spec: TopLevelSpec, finish?: (spec: Spec) => Spec) => Promise<string>;

/**
 * Loads Vega and Vega-Lite.
 *
 * @param purpose what needs them, as the beginning of a sentence.
 * @param others packages that the purpose needs besides, for the hint.
 * @throws InputError if one of them is not installed.
 */
export async function svgRenderer(
  purpose: string,
  ...others: readonly OptionalPackage[]
): Promise<SvgRenderer> {
  const load = () => Promise.all([import("vega"), import("vega-lite")]);
  const [{ View, parse }, { compile }] = await optionalPackages(
    ["vega", "vega-lite", ...others],
    purpose,
    load,
  );
  return (spec, finish = (same) => same) => {
    return new View(parse(finish(compile(spec).spec)), { renderer: "none" }).toSVG();
  };
}
