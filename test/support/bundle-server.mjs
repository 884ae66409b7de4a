// Makes one file of a server and of all that it imports: `node bundle-server.mjs SERVER FILE`.
import { readFile, rename } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { FOR_NODE, REQUIRE } from "../../scripts/build/places.mjs";

const [server = "", file = ""] = process.argv.slice(2);

/** Modules look for their files beside themselves, where these still are. */
const keepUrls = {
  name: "keep-urls",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      if (!code.includes("import.meta.url")) return null;
      return { contents: code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)), loader: "js" };
    });
  },
};

const made = `${file}.${process.pid}`;
const options = { ...FOR_NODE, minifyWhitespace: true, minifySyntax: true, banner: REQUIRE, plugins: [keepUrls] };
await build({ ...options, entryPoints: [server], outfile: made });
// Who sees it sees all of it.
await rename(made, file);
