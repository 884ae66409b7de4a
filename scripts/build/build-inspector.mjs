// The inspector's page, in OUT/inspector. Everything is a file with a hash in its name, nothing stands inside the page: its
// content policy allows no inline code.
import { join } from "node:path";
import { build } from "vite";
import { SRC } from "./places.mjs";

/** @param {string} out */
export async function buildInspector(out) {
  // The caller may have set another one; the page must not depend on that.
  process.env.NODE_ENV = "production";
  await build({
    configFile: false,
    root: join(SRC, "surfaces", "inspector"),
    // Relative, so that the page also works behind a proxy that puts it under a path.
    base: "./",
    publicDir: false,
    logLevel: "warn",
    esbuild: { jsx: "automatic", jsxImportSource: "preact" },
    build: {
      outDir: join(out, "inspector"),
      emptyOutDir: true,
      target: "es2022",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
}
