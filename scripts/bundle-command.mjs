// Bundles the command line: `node scripts/bundle-command.mjs [DIST]`, from what the compiler wrote into DIST to DIST/command.
// A process that reads a few large files starts a third sooner than one that reads six hundred small ones. Packages stay
// outside, and so does the library, which other programs bundle themselves.
import { readFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = resolve(process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url)));
const out = join(dist, "command");

/** A file that looks for others beside itself goes on looking beside the place it had before. */
const keepPlaces = {
  name: "keep-places",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const place = JSON.stringify(relative(out, path).replaceAll(sep, "/"));
      const text = await readFile(path, "utf8");
      return { contents: text.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`) };
    });
  },
};

await build({
  entryPoints: [join(dist, "surfaces", "cli", "main.js")],
  outdir: out,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  packages: "external",
  minifyWhitespace: true,
  logLevel: "warning",
  plugins: [keepPlaces],
});
