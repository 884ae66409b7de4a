import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type NameList, nameList, type Origin, type Sourced, sourced } from "../../../core/codes/origin.ts";
import { MODES } from "../../../core/scene/scene.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import { NO_OVERRIDES, type Overrides } from "../command-line/overrides.ts";
import type { Io } from "../terminal/io.ts";

/** One side of a comparison: a world file, a session at some point, or changes on top of the configuration or of `--world`. */
export type Side =
  | { readonly kind: "world"; readonly file: string }
  | { readonly kind: "session"; readonly id: string; readonly at: string | null }
  | { readonly kind: "scene"; readonly overrides: Overrides };

const KEYS = ["agent", "model", "mode", "include", "exclude", "client"] as const;
const UNCHANGED = "base";

/**
 * `base`, or `key=value` pairs with commas between them and `+` between the names of a list; else a file, or where there
 * is none of that name, a session.
 */
export function parseSide(text: string, io: Pick<Io, "cwd">): Side {
  if (text === UNCHANGED) return { kind: "scene", overrides: NO_OVERRIDES };
  const [, id, at = null] = /^([\w-]+)(?:@([\w:.+-]+))?$/.exec(text) ?? [];
  if (id !== undefined && !existsSync(resolve(io.cwd, text))) return { kind: "session", id, at };
  if (!/^\w+=/.test(text) || (!KEYS.some((key) => text.startsWith(`${key}=`)) && existsSync(resolve(io.cwd, text))))
    return { kind: "world", file: text };
  let overrides = NO_OVERRIDES;
  for (const pair of text.split(",")) overrides = withPair(overrides, pair.trim(), text);
  return { kind: "scene", overrides };
}

function withPair(overrides: Overrides, pair: string, whole: string): Overrides {
  const at = pair.indexOf("=");
  if (at === -1) throw usage(`${JSON.stringify(whole)}: write key=value, and "+" between names: exclude=web+bash`);
  const key = parseWord(`a key of ${JSON.stringify(whole)}`, pair.slice(0, at), KEYS);
  if (overrides[key] !== null) throw usage(`${JSON.stringify(whole)}: ${key} is given twice`);
  return { ...overrides, [key]: toOverride(key, pair.slice(at + 1), { kind: "flag", flag: pair }) };
}

function toOverride(key: (typeof KEYS)[number], value: string, origin: Origin): Sourced<string> | NameList {
  switch (key) {
    case "agent":
    case "model":
    case "client":
      return sourced(value, origin);
    case "mode":
      return sourced(parseWord("mode", value, MODES), origin);
    case "include":
    case "exclude":
      return nameList(
        value.split("+").filter((name) => name !== ""),
        origin,
      );
  }
}
