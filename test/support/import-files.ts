import { basename, dirname } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import { RULE_CLIENTS, type RuleClient, type RuleList } from "../../src/config/client-rules/client-rule.ts";
import { readClientRules } from "../../src/config/client-rules/read-client-rules.ts";
import { importForeign } from "../../src/config/import/import-foreign.ts";
import { writeConfig } from "../../src/config/import/write-config.ts";
import { parseDocument } from "../../src/config/layers/parse-document.ts";
import type { Readers } from "../../src/config/layers/readers.ts";
import { fileShape } from "../../src/config/shape/file-shape.ts";
import { formatOrigin } from "../../src/core/codes/origin.ts";
import { checkShape } from "../../src/core/shape/read.ts";

const HOME = "/home/me";
const CWD = "/home/me/app";

/** What `init` would make of other products' files: of the project by relative paths, of the home folder with `~`. */
export async function importFiles(files: Readonly<Record<string, unknown>>, platform: NodeJS.Platform = "linux") {
  const imported = await importForeign({ cwd: CWD, home: HOME, env: {}, platform }, readersOf(files));
  const text = await writeConfig(imported);
  const root = await parseDocument(text, "toolcrib.yaml");
  if (root !== null) expect(checkShape(root, fileShape).reported).toEqual([]);
  const left = imported.left.map(({ what, why, origin }) => `${what} (${formatOrigin(origin)}): ${why}`);
  return { ...imported, text, value: parse(text) ?? {}, left };
}

const CLIENTS = Object.keys(RULE_CLIENTS) as RuleClient[]; // Keys of the table.

/** The permissions that clients' files come to: of the project by relative paths, of the home folder with `~`. */
export async function importRules(files: Readonly<Record<string, unknown>>) {
  const read = await readClientRules({ cwd: CWD, home: HOME, env: {}, platform: "linux" }, readersOf(files), CLIENTS);
  const of = (list: RuleList) => read.rules.filter((rule) => rule.list === list).flatMap(({ rules }) => rules);
  const left = read.left.map(({ what, why, origin }) => `${what} (${formatOrigin(origin)}): ${why}`);
  return { ...read, left, allow: of("allow"), ask: of("ask"), deny: of("deny") };
}

function readersOf(files: Readonly<Record<string, unknown>>): Readers {
  const within = (folder: string) =>
    Object.keys(files).flatMap((name) => {
      const path = name.startsWith("~") ? name.replace("~", HOME) : `${CWD}/${name}`;
      return path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [];
    });
  const readers: Pick<Readers, "readText" | "listFolder" | "exists"> = {
    listFolder: async (folder) => [...new Set(within(folder).map((rest) => rest.split("/")[0] ?? ""))],
    exists: async (path) => within(dirname(path)).includes(basename(path)),
    readText: async (path) => {
      const found = files[path.replace(`${CWD}/`, "")] ?? files[path.replace(HOME, "~")];
      return found === undefined ? null : typeof found === "string" ? found : JSON.stringify(found, null, 2);
    },
  };
  return { ...NOTHING, ...readers };
}

const NOTHING: Readers = {
  readText: async () => null,
  listFolder: async () => [],
  exists: async () => false,
  realPath: async (path) => path,
  isPrivate: async () => true,
};
