// The runtime behind clients of the Copilot SDK, in OUT/command: what answers before there is a session, and then one file with all
// that an ordinary session loads. Cut as a bundler cuts, by who imports what, a session would read two hundred files, and to
// find and link them was half of what the first one cost.
import { dirname, join, relative, sep } from "node:path";
import { build } from "esbuild";
import { FOR_NODE, keepPlaces, packagesApart, ROOT, SRC } from "./places.mjs";
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
  "system/sandbox/create-sandbox.ts",
].map((file) => join(SRC, ...file.split("/")));

/** @param {string} out */
export async function bundleCopilot(out) {
  const folder = join(out, "command");
  const plugins = [programTables, packagesApart(out, () => folder)];
  const options = { ...FOR_NODE, outdir: folder, minifyWhitespace: true, entryPoints: ENTRIES };
  const { metafile } = await build({ ...options, plugins, write: false, metafile: true });
  const cut = createCut(metafile.inputs);
  await build({ ...options, plugins: [...plugins, keepPlaces(out, folder, cut)], splitting: true });
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
