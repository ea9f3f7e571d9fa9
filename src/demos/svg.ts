/** A complete SVG file on a white background, in one font. The title also serves screen readers. */
export function svg(title: string, width: number, height: number, elements: readonly string[]): string {
  const size = `width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}"`,
    ' font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222">\n',
    `<title>${escapeXml(title)}</title>\n<rect ${size} fill="white"/>\n`,
    ...elements.map((element) => `${element}\n`),
    "</svg>\n",
  ].join("");
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
