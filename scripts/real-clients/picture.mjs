// A picture of what a terminal shows: text with its colours, for light and dark pages.
/** @typedef {{ page: string, text: string, dim: string, frame: string, 31: string, 32: string, 33: string, 36: string }} Scheme */

/** @type {Readonly<Record<"light" | "dark", Scheme>>} */
const SCHEMES = {
  light: {
    ...{ page: "#ffffff", text: "#1f2328", dim: "#59636e", frame: "#d1d9e0" },
    ...{ 31: "#b3121d", 32: "#0f6a2c", 33: "#7a4b00", 36: "#0a5a70" },
  },
  dark: {
    ...{ page: "#0d1117", text: "#e6edf3", dim: "#9198a1", frame: "#3d444d" },
    ...{ 31: "#ff7b72", 32: "#4fc665", 33: "#e3b341", 36: "#56d4dd" },
  },
};

const SIZE = 14;
/** Of one letter, in a font of fixed width. */
const WIDTH = 8.43;
const HEIGHT = 20;
const MARGIN = 20;
const ESCAPE = String.fromCharCode(27);

/** @param {string} text with colours as a terminal gets them @param {"light" | "dark"} name */
export function toPicture(text, name) {
  const scheme = SCHEMES[name];
  const lines = text.trimEnd().split("\n");
  const longest = Math.max(...lines.map((line) => plain(line).length));
  const width = Math.ceil(longest * WIDTH + 2 * MARGIN);
  const height = lines.length * HEIGHT + 2 * MARGIN;
  const rows = lines.map((line, at) => {
    const y = MARGIN + at * HEIGHT + SIZE;
    return line === "" ? "" : `<text x="${MARGIN}" y="${y}">${toSpans(line, scheme)}</text>\n`;
  });
  const font = `font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${SIZE}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(plain(lines[0] ?? ""))}</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${scheme.page}" stroke="${scheme.frame}"/>
<g ${font} fill="${scheme.text}">
${rows.join("")}</g>
</svg>
`;
}

/** @param {string} line @param {Scheme} scheme */
function toSpans(line, scheme) {
  let [colour, isBold, at] = ["", false, 0];
  let spans = "";
  for (const piece of line.split(new RegExp(`(${ESCAPE}\\[\\d+m)`))) {
    const code = Number(new RegExp(`^${ESCAPE}\\[(\\d+)m$`).exec(piece)?.[1] ?? Number.NaN);
    if (Number.isNaN(code)) {
      if (piece === "") continue;
      const style = `${colour === "" ? "" : ` fill="${colour}"`}${isBold ? ' font-weight="bold"' : ""}`;
      // Each piece says where it begins, so that columns stay columns in any font.
      spans += `<tspan x="${(MARGIN + at * WIDTH).toFixed(1)}" textLength="${(piece.length * WIDTH).toFixed(1)}"${style}>${escapeXml(piece)}</tspan>`;
      at += piece.length;
    } else if (code === 1) isBold = true;
    else if (code === 22) [isBold, colour] = [false, ""];
    else if (code === 39) colour = "";
    else if (code === 2) colour = scheme.dim;
    else if (code === 31 || code === 32 || code === 33 || code === 36) colour = scheme[code];
  }
  return spans;
}

/** @param {string} line */
const plain = (line) => line.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, "g"), "");

/** Spaces that stay as many as they are. @param {string} text */
const escapeXml = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "&#160;");
