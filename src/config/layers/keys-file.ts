import { createHash } from "node:crypto";
import { basename, dirname, join, sep } from "node:path";
import { parseEnv } from "node:util";
import type { Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { expandVariables } from "../../core/shape/expand-variables.ts";
import { isVariable } from "./env-names.ts";
import { type FoundFiles, type Places, showPath, userFolder } from "./find-files.ts";
import type { Readers } from "./readers.ts";

type KeyPlaces = Pick<Places, "cwd" | "home" | "env">;

/**
 * The person's file with the values of variables that a configuration file refers to. It follows from where the
 * configuration lies and from nothing that it says: no repository can name somebody's keys.
 */
export async function keysPath(config: string, places: KeyPlaces, readers: Pick<Readers, "realPath">): Promise<string> {
  const own = userFolder(places);
  if (config.startsWith(own + sep)) return join(own, OWN);
  const folder = await readers.realPath(dirname(config));
  const id = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  const name = basename(folder).replace(/[^\w.-]+/g, "_") || "root";
  return join(own, "keys", `${name}-${id}.env`);
}

/** For the person's own configuration, which counts in every project. */
const OWN = "keys.env";

/** Whether a project's keys lie in its workspace, where commands and clones read and write. */
export async function isExposed(
  path: string,
  workspace: string,
  places: KeyPlaces,
  readers: Pick<Readers, "realPath">,
) {
  if (path === join(userFolder(places), OWN)) return false;
  const [file, outer] = [await readers.realPath(path), await readers.realPath(workspace)];
  return file.startsWith(join(outer, sep)) || path.startsWith(join(workspace, sep));
}

/** The variables in the text of such a file, as written. */
export function parseKeys(text: string): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(parseEnv(text)).flatMap(([name, value]): [string, string][] =>
      value !== undefined && isVariable(name, value) ? [[name, value]] : [],
    ),
  );
}

interface Keys {
  /** The values that what is written there may refer to; they precede the environment. */
  readonly keysOf: (origin: Origin) => Readonly<Record<string, string>>;
  readonly notices: readonly Notice[];
}

/** Reads the keys of every configuration file. One that others may read, or that lies in the workspace, does not count. */
export async function readKeys({ files, workspace }: FoundFiles, places: KeyPlaces, readers: Readers): Promise<Keys> {
  const byFile = new Map<string, Readonly<Record<string, string>>>();
  const known = new Map<string, Readonly<Record<string, string>>>();
  const notices: Notice[] = [];
  for (const { path, file, layer } of files) {
    if (layer === "policy") continue;
    const keys = await keysPath(path, places, readers);
    const read = known.get(keys) ?? (await readOne(keys));
    known.set(keys, read);
    byFile.set(file, read);
  }
  return {
    keysOf: (origin) => (origin.kind === "file" ? byFile.get(origin.file) : undefined) ?? NONE,
    notices,
  };

  async function readOne(path: string): Promise<Readonly<Record<string, string>>> {
    const refuse = (why: string): Readonly<Record<string, string>> => {
      const shown = showPath(path, places);
      const origin: Origin = { kind: "file", file: shown, line: null };
      const text = `the keys in ${shown} are not used: ${why}`;
      notices.push({ level: "warning", code: "config.env-file", text, names: [shown], origin });
      return NONE;
    };
    try {
      const text = await readers.readText(path);
      if (text === null) return NONE;
      if (!(await readers.isPrivate(path))) return refuse(`others may read or change it; run "chmod 600 ${path}"`);
      if (await isExposed(path, workspace, places, readers)) return refuse("it lies in the workspace");
      return expandKeys(parseKeys(text), places.env);
    } catch (error) {
      return refuse(`it cannot be read (${error instanceof Error && "code" in error ? String(error.code) : error})`);
    }
  }
}

const NONE: Readonly<Record<string, string>> = Object.freeze({});

/** What stands behind a key may refer to the environment; where that has no such variable, there is no such key. */
function expandKeys(keys: ReadonlyMap<string, string>, env: Places["env"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...keys].flatMap(([name, text]) => {
      const expanded = expandVariables(text, env);
      return expanded.unset.length === 0 ? [[name, expanded.text]] : [];
    }),
  );
}
