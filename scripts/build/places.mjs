// Where things lie in a build: what lies in src lies at the same place in it, and packages in a folder of their own.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const SRC = join(ROOT, "src");

/** What every step wants of its bundler. */
export const FOR_NODE = /** @type {const} */ ({
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  logLevel: "warning",
  absWorkingDir: ROOT,
  tsconfig: join(ROOT, "tsconfig.build.json"),
});

/** Some packages ask for Node's modules in the older way, and find them behind these lines. */
export const REQUIRE = {
  js: 'import{createRequire as $createRequire}from"node:module";const require=$createRequire(import.meta.url);',
};

/** Packages that ship inside ours, by what the sources import. All others have to be installed beside Toolcrib. */
export const PACKAGES = [
  "@modelcontextprotocol/client",
  "ajv",
  "ajv/dist/2020.js",
  "htmlparser2",
  "jose",
  "re2js",
  "smol-toml",
  "web-tree-sitter",
  "yaml",
];

/** @param {string} specifier */
export function packageFile(specifier) {
  return specifier.replace(/\.js$/, "").replace(/\W+/g, "-").replace(/^-/, "");
}

/**
 * Leaves packages out of a file: those that ship are found in their folder, as seen from where the file will lie.
 * @param {string} out the build
 * @param {(importer: string) => string} folderOf the folder in which what is made of a source will lie
 */
export function packagesApart(out, folderOf) {
  return {
    name: "packages-apart",
    /** @param {import("esbuild").PluginBuild} bundler */
    setup(bundler) {
      bundler.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
        if (kind === "entry-point") return null;
        if (!PACKAGES.includes(path)) return { path, external: true };
        const file = join(out, "packages", `${packageFile(path)}.js`);
        return { path: toImport(relative(folderOf(importer), file)), external: true };
      });
    },
  };
}

/**
 * A source that looks for others beside itself goes on looking beside the place that it has in the build.
 * @param {string} out the build
 * @param {string} folder where the bundle lies
 * @param {(path: string, text: string) => string} [change] what else becomes of a source
 */
export function keepPlaces(out, folder, change = (_, text) => text) {
  return {
    name: "keep-places",
    /** @param {import("esbuild").PluginBuild} bundler */
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const place = JSON.stringify(relative(folder, builtFile(out, path)).replaceAll(sep, "/"));
        const text = await readFile(path, "utf8");
        const contents = text.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`);
        return { contents: change(path, contents), loader: "ts" };
      });
    },
  };
}

/**
 * @param {string} out
 * @param {string} source a file in src
 */
function builtFile(out, source) {
  return join(out, relative(SRC, source)).replace(/\.ts$/, ".js");
}

/** @param {string} path */
function toImport(path) {
  const forward = path.replaceAll(sep, "/");
  return forward.startsWith(".") ? forward : `./${forward}`;
}

/**
 * @param {string} out
 * @param {string} source
 */
export function builtFolder(out, source) {
  return dirname(builtFile(out, source));
}

/**
 * The same program in ASCII, as who loads it reads it: the bundler leaves regular expressions and templates as they were written.
 * @param {string} text
 */
export function toAscii(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * A program with a mark of its own at the end, by which what V8 has compiled of it is found again: to hash all of it whenever it is
 * loaded takes longer.
 * @param {string} text
 */
export function withMark(text) {
  return `${text}//${createHash("sha256").update(text).digest("hex")}`;
}
