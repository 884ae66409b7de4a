// The sources as JavaScript, one file each: the library, which other programs bundle themselves. Types are checked by
// `npm run check` and declared by scripts/declare.mjs.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { builtFolder, FOR_NODE, packagesApart, SRC } from "./places.mjs";
import { programTables } from "./program-tables.mjs";

/** @param {string} out */
export async function compile(out) {
  const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?<!\.test|\.test-d|\.d)\.ts$|\.programs$/.test(path) && !/^surfaces.inspector/.test(path))
    .map((path) => join(SRC, path));
  await build({
    ...FOR_NODE,
    entryPoints: sources,
    outdir: out,
    outbase: SRC,
    plugins: [filesApart, programTables, packagesApart(out, (importer) => builtFolder(out, importer))],
  });
}

/** Every import of a file stays one. */
const filesApart = {
  name: "files-apart",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ path }) => ({
      path: path.replace(/\.(?:ts|programs)$/, ".js"),
      external: true,
    }));
  },
};
