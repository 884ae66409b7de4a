// The command line, in OUT/command: a process that reads a few large files starts a third sooner than one that reads six
// hundred small ones. Packages stay outside, and so does the library, which other programs bundle themselves.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { STUB, stubs } from "./bundle-packages.mjs";
import { joinParts, withImportsGiven } from "./join-parts.mjs";
import { FOR_NODE, keepPlaces, PACKAGES, packagesApart, ROOT, SRC, toAscii, withMark } from "./places.mjs";
import { programTables } from "./program-tables.mjs";

const CLI = join(SRC, "surfaces", "cli");
/** Files of one piece each, because they are read before every answer; CommonJS, because Node loads that ten milliseconds sooner. */
const FRONT = {
  main: join(CLI, "main.ts"),
  ask: join(CLI, "running", "ask-running.ts"),
  judge: join(CLI, "guard", "ask-judges.ts"),
  parts: join(CLI, "kept-parts.ts"),
};
/** The same, and larger, because it answers by itself: questions about a world file. V8 keeps what it has compiled of it. */
const WORLD = { world: join(CLI, "run-world.ts") };
/** What judges a client's call where no Toolcrib runs, with the packages that it needs. V8 keeps what it has compiled of it. */
const ALONE = { alone: join(CLI, "guard", "judge-alone.ts") };
/** Of these packages, only some rules and some clients' files need anything. */
const ALONE_LATER = ["re2js", "smol-toml"];
/** What keeps that, and the same of what serves clients of the Copilot SDK. */
const KEEPERS = new Map([
  ["alone", `import { requireKept as load } from ${JSON.stringify(join(CLI, "guard", "kept-code.ts"))};`],
  ["world", `import { requireWorld as load } from ${JSON.stringify(join(CLI, "kept-parts.ts"))};`],
  ["copilot", `import { requireRuntime as load } from ${JSON.stringify(join(CLI, "clients", "kept-runtime.ts"))};`],
]);
/** What is loaded where no Toolcrib runs that could answer: one file, with the packages that it needs. V8 keeps it too. */
const BEHIND = {
  run: join(CLI, "run.ts"),
  // What such questions never need, or only with an option.
  past: join(CLI, "ask", "past-question.ts"),
  configured: join(CLI, "ask", "load-configured.ts"),
  live: join(CLI, "ask", "live-question.ts"),
  client: join(CLI, "ask", "check-client.ts"),
  check: join(CLI, "ask", "check-command.ts"),
  person: join(CLI, "ask", "find-caller.ts"),
  foreign: join(CLI, "configuration", "foreign-servers.ts"),
  models: join(SRC, "config", "models.ts"),
  builtins: join(SRC, "sources", "builtin", "choose-builtins.ts"),
  gateway: join(SRC, "runtime", "crib", "gateway-builtins.ts"),
};
/** Bytes of one file of the front. */
const LARGEST_FRONT = 100_000;
/** Built by itself, in the same folder. */
const ELSEWHERE = {
  copilot: join(SRC, "surfaces", "copilot", "copilot-server.ts"),
  inspect: join(CLI, "clients", "inspect-apps.ts"),
};
const ENTRIES = { ...FRONT, ...WORLD, ...ALONE, ...BEHIND, ...ELSEWHERE };

/** @param {string} out */
export async function bundleCommand(out) {
  const folder = join(out, "command");
  const plugins = [programTables, packagesApart(out, () => folder), keepPlaces(out, folder)];
  const options = { ...FOR_NODE, outdir: folder, minifyWhitespace: true };
  const first = { ...options, ...AS_COMMONJS, plugins: [entriesApart, ...plugins] };
  const [front, world] = await Promise.all([
    build({ ...first, entryPoints: FRONT, metafile: true }),
    build({ ...first, entryPoints: WORLD, write: false }),
    build({
      ...{
        ...first,
        entryPoints: ALONE,
        plugins: [handlersApart, laterApart, programTables, wasmInPackages, keepPlaces(out, folder)],
      },
      // Code that V8 has kept cannot import.
      supported: { "dynamic-import": false },
    }),
    build({ ...options, ...AS_COMMONJS, entryPoints: [...ALONE_LATER] }),
    bundleBehind(out, folder),
  ]);
  for (const { path, text } of world.outputFiles)
    await writeFile(path, withMark(toAscii(IMPORT + withImportsGiven(text))));
  const alone = join(folder, "alone.cjs");
  await writeFile(alone, withMark(toAscii(await readFile(alone, "utf8"))));
  for (const [file, { bytes }] of Object.entries(front.metafile.outputs))
    if (bytes > LARGEST_FRONT)
      throw new Error(`${file} has ${bytes} bytes: something that is loaded later has to stand in BEHIND`);
}

/**
 * @param {string} out
 * @param {string} folder
 */
async function bundleBehind(out, folder) {
  const { outputFiles } = await build({
    ...{ ...FOR_NODE, outdir: folder, minifyWhitespace: true, legalComments: "none" },
    ...{ entryPoints: BEHIND, splitting: true, write: false },
    plugins: [elsewhere, programTables, packagesInside, stubs, wasmInPackages, keepPlaces(out, folder)],
  });
  await writeFile(join(folder, "commands.cjs"), joinParts(outputFiles));
}

/** Code that V8 has kept cannot import: who runs it does, and says how. */
export const IMPORT = "const $import=module.import??(to=>import(to));";

/** @satisfies {import("esbuild").BuildOptions} */
export const AS_COMMONJS = {
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  define: { "import.meta.url": "$url" },
  banner: { js: 'const $url=require("node:url").pathToFileURL(__filename).href;' },
};

/** Another build has it, with all that belongs to it. */
const elsewhere = {
  name: "elsewhere",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      const found = Object.entries(ELSEWHERE).find(([, file]) => file === join(resolveDir, path));
      if (found === undefined || kind !== "dynamic-import") return;
      return { path: `./${found[0]}.js`, external: true };
    });
  },
};

/** What the front loads later is another entry. */
const entriesApart = {
  name: "entries-apart",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
      if (kind !== "dynamic-import") return;
      const found = Object.entries(ENTRIES).find(([, file]) => file === join(resolveDir, path));
      if (found === undefined) return;
      const [name] = found;
      if (KEEPERS.has(name)) return { path: name, namespace: "kept" };
      if (name in BEHIND) return { path: name, namespace: "behind" };
      if (name in ELSEWHERE) return { path: `./${name}.js`, external: true };
      return { path: name, namespace: "front" };
    });
    // Of what is imported, Node would want its loader of modules.
    bundler.onLoad({ filter: /./, namespace: "front" }, ({ path }) => ({
      contents: `module.exports = require("./${path}.cjs")`,
    }));
    bundler.onResolve({ filter: /./, namespace: "front" }, ({ path }) => ({ path, external: true }));
    bundler.onLoad({ filter: /./, namespace: "behind" }, ({ path }) => ({
      contents: `const file = require("node:path").join(__dirname, "commands.cjs");
module.exports = require("./parts.cjs").requirePart(file, "${path}.js")`,
    }));
    bundler.onResolve({ filter: /./, namespace: "behind" }, ({ path }) => ({ path, external: true }));
    bundler.onLoad({ filter: /./, namespace: "kept" }, ({ path }) => ({
      contents: `${KEEPERS.get(path)}
module.exports = load(require("node:path").join(__dirname, "${path}.cjs"))`,
      resolveDir: CLI,
    }));
  },
};

/** What runs built-in tools: nothing of it runs in a hook. */
const handlersApart = {
  name: "handlers-apart",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    const definitions = join(SRC, "sources", "builtin", "definitions");
    bundler.onResolve({ filter: /^\.\.\// }, ({ path, resolveDir, kind }) =>
      kind === "dynamic-import" && resolveDir === definitions ? { path, namespace: "handlers" } : null,
    );
    bundler.onLoad({ filter: /./, namespace: "handlers" }, ({ path }) => ({
      contents: `throw new Error("a hook runs no tools, and has not ${path}")`,
    }));
  },
};

const laterApart = {
  name: "later-apart",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: new RegExp(`^(?:${ALONE_LATER.join("|")})$`) }, ({ path }) => ({
      path: `./${path}.cjs`,
      external: true,
    }));
  },
};

/** All packages but those that have to be installed beside Toolcrib, in the file that imports them. */
const packagesInside = {
  name: "packages-inside",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ path, importer, namespace, kind }) => {
      if (kind === "entry-point" || path.startsWith(STUB) || importer.includes("node_modules")) return null;
      if (!PACKAGES.includes(path)) return { path, external: true };
      return namespace === "file" ? bundler.resolve(`${STUB}${path}`, { kind, resolveDir: ROOT }) : null;
    });
  },
};

/** A package that looks for its file beside itself finds it in the folder of packages. */
const wasmInPackages = {
  name: "wasm-in-packages",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onLoad({ filter: /web-tree-sitter[\\/]web-tree-sitter\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const place = 'new URL("../packages/web-tree-sitter.js", import.meta.url).href';
      // It names one of its own variables `require`.
      const contents = text.replace(/await import\("(\w[\w/]*)"\)/g, 'process.getBuiltinModule("node:$1")');
      return { contents: contents.replaceAll("import.meta.url", place), loader: "js" };
    });
  },
};
