// The runtime behind clients of the Copilot SDK, in OUT/command: one file with the server and all that an ordinary session loads.
// Cut as a bundler cuts, by who imports what, a session would read two hundred files, and to find and link them was half of what
// the first one cost. It is CommonJS, of which V8 can keep what it has compiled, and that was half of the rest.
import { rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { build } from "esbuild";
import { AS_COMMONJS, IMPORT } from "./bundle-command.mjs";
import { FOR_NODE, keepPlaces, packageFile, packagesApart, ROOT, SRC, toAscii, withMark } from "./places.mjs";
import { programTables } from "./program-tables.mjs";

const METHODS = join(SRC, "surfaces", "copilot", "methods.ts");
const ENTRIES = {
  copilot: join(SRC, "surfaces", "copilot", "copilot-server.ts"),
  inspect: join(SRC, "surfaces", "cli", "clients", "inspect-apps.ts"),
};

/** An import that the bundler keeps, since others could use it. */
const BEHIND_SESSION = `export { findMethod as $session } from ${JSON.stringify(METHODS)};`;

/** What every session loads later than its methods, or with its first turn; `test/copilot/first-session.test.ts` finds what is missing. */
const SESSION = [
  "runtime/agents/sidekick.ts",
  "runtime/loop/conversation-history.ts",
  "runtime/loop/run-queue.ts",
  "runtime/models/prices.ts",
  "runtime/session/calls/denied-covers.ts",
  "runtime/session/calls/session-calls.ts",
  "runtime/store/first-answer.ts",
  "runtime/store/hide-in-store.ts",
  "runtime/store/open-store.ts",
  "runtime/store/prune-daily.ts",
  "runtime/store/recorder.ts",
  "runtime/store/sqlite/open-sqlite.ts",
  "sources/builtin/agent-source.ts",
  "sources/builtin/builtin-source.ts",
  "sources/extension/find-extensions.ts",
  "surfaces/copilot/begin-early.ts",
  "system/sandbox/create-sandbox.ts",
].map((file) => join(SRC, ...file.split("/")));

/** @param {string} out */
export async function bundleCopilot(out) {
  const folder = join(out, "command");
  const plugins = [programTables, packagesApart(out, () => folder)];
  const options = { ...FOR_NODE, outdir: folder, minifyWhitespace: true, entryPoints: ENTRIES };
  const { metafile } = await build({ ...options, plugins, write: false, metafile: true });
  const cut = createCut(metafile.inputs);
  // Parts that other commands have too must not be taken for theirs, which would bring them this whole file.
  const chunkNames = "apps-[name]-[hash]";
  const parts = { ...options, chunkNames, plugins: [...plugins, keepPlaces(out, folder, cut)], splitting: true };
  const { metafile: built } = await build({ ...parts, metafile: true });
  await joinParts(folder, built.outputs);
}

/**
 * Puts the server and all that an ordinary session loads into one file of CommonJS, so that V8 can keep what it has compiled of it.
 * What is imported from its parts elsewhere is then that of this file.
 * @param {string} folder
 * @param {import("esbuild").Metafile["outputs"]} outputs
 */
async function joinParts(folder, outputs) {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const roots = [...byName].flatMap(([name, { entryPoint }]) =>
    entryPoint !== undefined && [ENTRIES.copilot, METHODS, ...SESSION].includes(join(ROOT, entryPoint)) ? [name] : [],
  );
  const names = new Set(roots);
  for (const name of names)
    for (const { path, kind } of byName.get(name)?.imports ?? [])
      if (kind === "import-statement" && byName.has(basename(path))) names.add(basename(path));
  // What is imported later, and only names what is in here.
  for (const [name, { inputs, imports }] of byName)
    if (Object.keys(inputs).length === 0 && imports.every(({ path }) => names.has(basename(path)))) names.add(name);
  const parts = [...names];
  const { outputFiles } = await build({
    ...FOR_NODE,
    ...AS_COMMONJS,
    stdin: { contents: ['export * from "./copilot.js";', ...parts.map(toNamespace)].join("\n"), resolveDir: folder },
    outfile: join(folder, JOINED),
    outExtension: {},
    minifyWhitespace: true,
    ignoreAnnotations: true,
    plugins: [partsTogether(names)],
    supported: { "dynamic-import": false },
    write: false,
  });
  const [joined = ""] = outputFiles.map(({ text }) => text);
  await writeFile(join(folder, JOINED), withMark(toAscii(IMPORT + withImports(joined, parts))));
  const apart = [...byName].filter(([name]) => !names.has(name));
  const wanted = new Set(apart.flatMap(([, { imports }]) => imports.map(({ path }) => basename(path))));
  for (const [at, name] of parts.entries()) {
    // What only others in that file use has no place of its own.
    if (name !== "copilot.js" && !wanted.has(name)) {
      await rm(join(folder, name), { force: true });
      continue;
    }
    const listed = (byName.get(name)?.exports ?? []).map((one) => `${one}=$.${one}`);
    const wrapped = `import{createRequire}from"node:module";const{$${at}:$}=createRequire(import.meta.url)("./${JOINED}");`;
    await writeFile(
      join(folder, name),
      listed.length === 0 ? wrapped : `${wrapped}export const ${listed.join(",")};\n`,
    );
  }
}

const JOINED = "copilot.cjs";

/** A package whose code every session loads. */
const PACKAGE = "re2js";

/** Marks what is imported later. */
const LATER = "$later:";

/**
 * @param {string} text in which imports have become calls of `require`
 * @param {readonly string[]} parts
 */
function withImports(text, parts) {
  const changed = text.replace(/__toESM\(require\("\$later:([^"]+)"\)(?:,1)?\)/g, (_, to) => {
    const at = parts.indexOf(to.slice("./".length));
    return at === -1 ? `$import(${JSON.stringify(to)})` : `module.exports.$${at}`;
  });
  const left = /.{0,60}(?:\$later:|__toESM\(require\((?!")).{0,60}/.exec(changed);
  if (left !== null) throw new Error(`${JOINED}: an import in a form that the build does not know: ${left[0]}`);
  return changed;
}

/** @param {string} name @param {number} at */
function toNamespace(name, at) {
  return `export * as $${at} from "./${name}";`;
}

/** @param {ReadonlySet<string>} names */
function partsTogether(names) {
  return {
    name: "parts-together",
    /** @param {import("esbuild").PluginBuild} bundler */
    setup(bundler) {
      bundler.onResolve({ filter: /./, namespace: "file" }, ({ path, kind, importer }) => {
        if (kind === "dynamic-import") return { path: LATER + path, external: true };
        if (path.endsWith(`/packages/${packageFile(PACKAGE)}.js`))
          return bundler.resolve(PACKAGE, { kind, resolveDir: ROOT });
        const isPart = path.startsWith("./") && names.has(path.slice(2));
        return isPart || path === PACKAGE || importer.includes("node_modules") ? null : { path, external: true };
      });
    },
  };
}

/** @typedef {import("esbuild").Metafile["inputs"]} Inputs */

/**
 * Sources as the bundler has to see them to put a session into one file.
 * @param {Inputs} inputs
 * @returns {(path: string, text: string) => string}
 */
function createCut(inputs) {
  const first = closureOf(inputs, [ENTRIES.copilot]);
  const session = closureOf(inputs, [METHODS, ...SESSION]);
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  const wanted = imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => join(ROOT, path));
  const later = new Set([ENTRIES.inspect, ...wanted]);
  return (path, text) => {
    // Importers of a part find what was exported when it was loaded.
    if (/^export (?:let|var) /m.test(text)) throw new Error(`${path} exports a variable that may change`);
    // What is imported later, and is in the file already, is imported with it: a function around it would be read twice.
    const joined = first.has(path) ? text : importNow(text, (to) => session.has(join(dirname(path), to)));
    // Where all of the session is loaded before, the bundler cuts nothing off for the sake of this file.
    return later.has(path) && !session.has(path) ? `${joined}\n${BEHIND_SESSION}` : joined;
  };
}

/**
 * @param {string} text
 * @param {(to: string) => boolean} isWanted
 */
function importNow(text, isWanted) {
  /** @type {string[]} */
  const wanted = [];
  const changed = text.replace(/(?<!typeof )\bimport\("(\.[^"]+\.ts)"\)/g, (whole, to) => {
    if (!isWanted(to)) return whole;
    if (!wanted.includes(to)) wanted.push(to);
    return `Promise.resolve($now${wanted.indexOf(to)})`;
  });
  return [...wanted.map((to, at) => `import * as $now${at} from "${to}";`), changed].join("\n");
}

/**
 * These files, and all that is loaded with them.
 * @param {Inputs} inputs
 * @param {readonly string[]} roots
 */
function closureOf(inputs, roots) {
  const found = new Set(roots);
  for (const file of found)
    for (const { path, kind, external } of inputs[relative(ROOT, file).replaceAll(sep, "/")]?.imports ?? [])
      if (kind !== "dynamic-import" && !external) found.add(join(ROOT, path));
  return found;
}
