/** The colours of a plot that depend on its theme. Those of the metrics are readable on both backgrounds. */
export interface Colours {
  readonly ground: string;
  readonly ink: string;
  readonly faint: string;
}

export const light: Colours = { ground: "#ffffff", ink: "#1f2328", faint: "#d1d9e0" };
export const dark: Colours = { ground: "#0d1117", ink: "#e6edf3", faint: "#373e47" };

/** Adds a style sheet to a light drawing, which makes the drawing dark if the reader's system is dark. */
export function followSystemTheme(svg: string): string {
  const rules = (Object.keys(light) as (keyof Colours)[]).flatMap((key) =>
    (["fill", "stroke"] as const).map((what) => `[${what}="${light[key]}"]{${what}:${dark[key]}}`),
  );
  const style = `<style>@media (prefers-color-scheme:dark){${rules.join("")}}</style>`;
  return svg.replace(/(<svg[^>]*>)/, `$1${style}`);
}
