import type { Metric } from "../../bench/metric.js";
import type { BenchDocument } from "../../bench/schema.js";
import { InputError } from "../../core/errors.js";
import { optionalPackages } from "../../optional_packages.js";
import { inkDashes, plotSpec } from "./spec.js";
import { type Colours, dark, followSystemTheme, light } from "./theme.js";
import { svgRenderer } from "./vega.js";

/** With "auto", an SVG follows the light or dark theme of its reader, and a PNG is light. */
export type PlotTheme = "auto" | "light" | "dark";

/** Draws the results of some metrics. @returns the bytes of the file. */
export type Plotter = (
  document: BenchDocument,
  metrics: ReadonlySet<Metric>,
  theme: PlotTheme,
) => Promise<Uint8Array>;

/**
 * Loads the packages that draw to a file of this name: Vega and Vega-Lite draw SVG, and resvg turns it into
 * PNG. Call this before anything is measured, so that a missing package is reported immediately.
 *
 * @throws InputError if the extension is neither .svg nor .png, or if a package or, for PNG, a font is
 * missing.
 */
export async function plotterFor(path: string): Promise<Plotter> {
  const ending = /\.(svg|png)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined) {
    throw new InputError(`--plot '${path}' ends in neither .svg nor .png`, {
      hint: "use a name like bench.svg",
    });
  }
  const purpose = `--plot to ${ending.toUpperCase()}`;
  const render = await svgRenderer(purpose, ...(ending === "png" ? [RESVG] : []));
  const toSvg = (document: BenchDocument, metrics: ReadonlySet<Metric>, colours: Colours) =>
    render(plotSpec(document, metrics, colours), (spec) => inkDashes(spec, colours));
  if (ending === "svg") {
    return async (document, metrics, theme) => {
      const svg = await toSvg(document, metrics, theme === "dark" ? dark : light);
      return new TextEncoder().encode(theme === "auto" ? followSystemTheme(svg) : svg);
    };
  }
  const { Resvg } = await optionalPackages([RESVG], purpose, () => import("@resvg/resvg-js"));
  const toPng = (svg: string) =>
    new Resvg(svg, { fitTo: { mode: "zoom", value: 2 }, font: { defaultFontFamily: FONT } });
  requireFont((svg) => toPng(svg).render().pixels);
  return async (document, metrics, theme) =>
    toPng(await toSvg(document, metrics, theme === "dark" ? dark : light))
      .render()
      .asPng();
}

const RESVG = "@resvg/resvg-js" as const;

/** A font that most machines have. resvg uses it if the drawing's own fonts are missing. */
const FONT = "DejaVu Sans";

/** Throws if there is no font: resvg would draw no text and report no error. */
function requireFont(pixels: (svg: string) => Uint8Array): void {
  const text = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">M</text></svg>';
  if (pixels(text).some((value) => value !== 0)) return;
  throw new InputError("--plot to a .png needs a font, and this machine has none", {
    hint: "install one, such as Debian's fonts-dejavu-core, or plot to an .svg",
  });
}
