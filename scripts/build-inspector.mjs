// Builds the inspector's page: `node scripts/build-inspector.mjs [OUT]`, into dist/inspector unless told otherwise.
// Everything is a file with a hash in its name, nothing stands inside the page: its content policy allows no inline code.
import { fileURLToPath } from "node:url";
import { build } from "vite";

const PAGE = fileURLToPath(new URL("../src/surfaces/inspector", import.meta.url));
const OUT = fileURLToPath(new URL("../dist/inspector", import.meta.url));

// Whoever starts this may have another one; the page is the same whoever builds it.
process.env.NODE_ENV = "production";

await build({
  configFile: false,
  root: PAGE,
  // Relative, so that the page also works behind a proxy that puts it under a path.
  base: "./",
  publicDir: false,
  logLevel: "warn",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    outDir: process.argv[2] ?? OUT,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
