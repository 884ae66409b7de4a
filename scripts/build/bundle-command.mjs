// The command line, in OUT/command: a process that reads a few large files starts a third sooner than one that reads six
// hundred small ones. Packages stay outside, and so does the library, which other programs bundle themselves.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { FOR_NODE, keepPlaces, packagesApart, SRC, toAscii } from "./places.mjs";
import { programTables } from "./program-tables.mjs";

const CLI = join(SRC, "surfaces", "cli");
/** Files of one piece each, because they are read before every answer; CommonJS, because Node loads that ten milliseconds sooner. */
const FRONT = {
  main: join(CLI, "main.ts"),
  ask: join(CLI, "running", "ask-running.ts"),
  judge: join(CLI, "guard", "ask-judges.ts"),
};
/** The same, and larger, because it answers by itself: questions about a world file. */
const WORLD = { world: join(CLI, "run-world.ts") };
/** What judges a client's call where no Toolcrib runs, with the packages that it needs. V8 keeps what it has compiled of it. */
const ALONE = { alone: join(CLI, "guard", "judge-alone.ts") };
/** Of these packages, only some rules and some clients' files need anything. */
const ALONE_LATER = ["re2js", "smol-toml"];
/** What keeps that, and the same of what serves clients of the Copilot SDK. */
const KEEPERS = new Map([
  ["alone", `import { requireKept as load } from ${JSON.stringify(join(CLI, "guard", "kept-code.ts"))};`],
  ["copilot", `import { requireRuntime as load } from ${JSON.stringify(join(CLI, "clients", "kept-runtime.ts"))};`],
]);
/** What is loaded where no Toolcrib runs that could answer. */
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
  const [front] = await Promise.all([
    build({ ...first, entryPoints: FRONT, metafile: true }),
    build({ ...first, entryPoints: WORLD }),
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
    build({ ...options, entryPoints: BEHIND, plugins: [elsewhere, ...plugins], splitting: true }),
  ]);
  const alone = join(folder, "alone.cjs");
  await writeFile(alone, toAscii(await readFile(alone, "utf8")));
  for (const [file, { bytes }] of Object.entries(front.metafile.outputs))
    if (bytes > LARGEST_FRONT)
      throw new Error(`${file} has ${bytes} bytes: something that is loaded later has to stand in BEHIND`);
}

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
      if (name in BEHIND || name in ELSEWHERE) return { path: `./${name}.js`, external: true };
      return { path: name, namespace: "front" };
    });
    // Of what is imported, Node would want its loader of modules.
    bundler.onLoad({ filter: /./, namespace: "front" }, ({ path }) => ({
      contents: `module.exports = require("./${path}.cjs")`,
    }));
    bundler.onResolve({ filter: /./, namespace: "front" }, ({ path }) => ({ path, external: true }));
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
