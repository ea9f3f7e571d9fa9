import type { BenchDocument } from "../bench/document.js";
import type { Way } from "../bench/way.js";
import { InputError } from "../errors.js";
import { inkDashes, plotSpec } from "./plot_spec.js";
import { type Colours, dark, darkWhereAsked, light } from "./plot_theme.js";

/** Of an SVG, "auto" follows the reader's own light or dark; a PNG is then light. */
export type PlotTheme = "auto" | "light" | "dark";

/** Draws some ways' results to the bytes of a file. */
export type Plotter = (
  document: BenchDocument,
  ways: ReadonlySet<Way>,
  theme: PlotTheme,
) => Promise<Uint8Array>;

/**
 * What draws to files of such a name. Its packages are loaded here, so that one that is missing is told before
 * anything is measured: Vega and Vega-Lite draw SVG, resvg turns that into PNG.
 *
 * @throws InputError for another ending, or if a package is not installed.
 */
export async function plotterFor(path: string): Promise<Plotter> {
  const ending = /\.(svg|png)$/i.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined) {
    throw new InputError(`--plot '${path}' ends in neither .svg nor .png`, {
      hint: "name it like bench.svg",
    });
  }
  const { View, parse } = await needed("vega", () => import("vega"));
  const { compile } = await needed("vega-lite", () => import("vega-lite"));
  const toSvg = async (document: BenchDocument, ways: ReadonlySet<Way>, colours: Colours) => {
    const { spec } = compile(plotSpec(document, ways, colours));
    return new View(parse(inkDashes(spec, colours)), { renderer: "none" }).toSVG();
  };
  if (ending === "svg") {
    return async (document, ways, theme) => {
      const svg = await toSvg(document, ways, theme === "dark" ? dark : light);
      return new TextEncoder().encode(theme === "auto" ? darkWhereAsked(svg) : svg);
    };
  }
  const { Resvg } = await needed("@resvg/resvg-js", () => import("@resvg/resvg-js"));
  const toPng = (svg: string) =>
    new Resvg(svg, { fitTo: { mode: "zoom", value: 2 }, font: { defaultFontFamily: FONT } });
  requireFont((svg) => toPng(svg).render().pixels);
  return async (document, ways, theme) =>
    toPng(await toSvg(document, ways, theme === "dark" ? dark : light))
      .render()
      .asPng();
}

/** Any that a machine is likely to have; resvg takes it where the drawing's own is missing. */
const FONT = "DejaVu Sans";

async function needed<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new InputError(`--plot needs the npm package ${name}, which is not installed`, {
      hint: "npm install vega@6 vega-lite@6.4 @resvg/resvg-js@2; or plot what --csv prints with a tool of yours",
      cause,
    });
  }
}

/** Without a font the drawing would come out without its words, and nobody be told. */
function requireFont(pixels: (svg: string) => Uint8Array): void {
  const text = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="15">M</text></svg>';
  if (pixels(text).some((value) => value !== 0)) return;
  throw new InputError("--plot to a .png needs a font, and this machine has none", {
    hint: "install one, such as Debian's fonts-dejavu-core, or plot to an .svg",
  });
}
