/** @typedef {{ page: string, frame: string, grid: string, text: string, dim: string, lines: readonly string[] }} Scheme */

/** Colours for pages in both schemes. Those of lines differ in lightness too, and each line has its name beside it. */
export const SCHEMES = /** @type {const} */ ({
  light: {
    ...{ page: "#ffffff", frame: "#d1d9e0", grid: "#e6eaef", text: "#1f2328", dim: "#59636e" },
    lines: ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#6e5a00"],
  },
  dark: {
    ...{ page: "#0d1117", frame: "#3d444d", grid: "#21262d", text: "#e6edf3", dim: "#9198a1" },
    lines: ["#58a6ff", "#f0883e", "#3fb950", "#bc8cff", "#f778ba", "#d29922"],
  },
});

/** @typedef {keyof typeof SCHEMES} SchemeName */
export const SCHEME_NAMES = /** @type {const} */ (["light", "dark"]);
