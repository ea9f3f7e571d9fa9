/** A plot's colours; those of the ways of sorting are readable on either ground. */
export interface Colours {
  readonly ground: string;
  readonly ink: string;
  readonly faint: string;
}

export const light: Colours = { ground: "#ffffff", ink: "#1f2328", faint: "#d1d9e0" };
export const dark: Colours = { ground: "#0d1117", ink: "#e6edf3", faint: "#373e47" };

/** A light drawing that turns dark where its reader's system is, by the colours' own values. */
export function darkWhereAsked(svg: string): string {
  const rules = (Object.keys(light) as (keyof Colours)[]).flatMap((key) =>
    (["fill", "stroke"] as const).map((what) => `[${what}="${light[key]}"]{${what}:${dark[key]}}`),
  );
  const style = `<style>@media (prefers-color-scheme:dark){${rules.join("")}}</style>`;
  return svg.replace(/(<svg[^>]*>)/, `$1${style}`);
}
