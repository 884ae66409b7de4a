import { dirname } from "node:path";
import { parseEnv } from "node:util";
import { referencesIn } from "../../core/shape/expand-variables.ts";
import { type Places, showPath } from "../layers/find-files.ts";
import { isExposed, keysPath, parseKeys } from "../layers/keys-file.ts";
import type { Readers } from "../layers/readers.ts";
import type { Imported, KnownVariables } from "./import-foreign.ts";

/** The person's keys for a configuration file that is to be written. */
export interface KeysTarget extends KnownVariables {
  readonly path: string;
  /** As the user would write it. */
  readonly file: string;
  /** Null: it is not there yet. */
  readonly before: string | null;
  /** Whether keys may be written there: never where commands and clones write. */
  readonly isOutside: boolean;
}

/** `text` is what the configuration file holds now. */
export async function findKeysTarget(
  config: { readonly path: string; readonly text: string | null },
  places: Pick<Places, "cwd" | "home" | "env">,
  readers: Readers,
): Promise<KeysTarget> {
  const path = await keysPath(config.path, places, readers);
  const before = await readers.readText(path);
  return {
    ...{ path, before, file: showPath(path, places) },
    isOutside: !(await isExposed(path, dirname(config.path), places, readers)),
    referred: referencesIn(config.text ?? ""),
    keys: before === null ? new Map() : parseKeys(before),
  };
}

export interface PlannedKeys {
  /** The whole file with the new keys; null where there are none. */
  readonly after: string | null;
  readonly names: readonly string[];
}

/** Adds the secrets that these values refer to to the person's keys. What no such file can hold stays to be set by the person. */
export function planKeys(
  { secrets }: Pick<Imported, "secrets">,
  values: readonly unknown[],
  target: KeysTarget,
): PlannedKeys {
  const referred = new Set(referencesIn(JSON.stringify(values)));
  const wanted = [...secrets].filter(([name]) => target.isOutside && referred.has(name) && !target.keys.has(name));
  const lines = wanted.flatMap(([name, value]) => {
    const line = toLine(name, value);
    return line === null ? [] : [{ name, line }];
  });
  if (lines.length === 0) return { after: null, names: [] };
  const before = target.before ?? HEADING;
  const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
  return { after: start + lines.map(({ line }) => `${line}\n`).join(""), names: lines.map(({ name }) => name) };
}

const HEADING = `# Keys that servers got from the files of other products. They are for you alone: do not share or commit this file.
# A configuration refers to them as \${NAME}; they precede variables of your environment.
`;

/** In the first quotes that give back the same text; null where none do. */
function toLine(name: string, value: string): string | null {
  const lines = ["'", '"', "`"].map((quote) => `${name}=${quote}${value}${quote}`);
  return lines.find((line) => parseEnv(line)[name] === value && Object.keys(parseEnv(line)).length === 1) ?? null;
}
