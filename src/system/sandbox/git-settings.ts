import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { toNamedPath } from "../host-programs/named-paths.ts";

/** One line of a git settings file. */
export interface GitSetting {
  /** Section and key in lower case, without the subsection: `core.hookspath`, `filter.clean`. */
  readonly name: string;
  readonly value: string;
  /** The folder of the file. */
  readonly folder: string;
}

const LARGEST = 2 ** 20;
const MOST_FILES = 64;

/** The settings of files and of the files they include, whether or not a condition holds. */
export function readGitSettings(files: readonly string[], home: string): readonly GitSetting[] {
  const waiting = [...files];
  const seen = new Set<string>();
  const found: GitSetting[] = [];
  for (let file = waiting.shift(); file !== undefined && seen.size < MOST_FILES; file = waiting.shift()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const folder = dirname(file);
    for (const { name, value } of parseSettings(readText(file))) {
      found.push({ name, value, folder });
      if (isInclude(name)) waiting.push(toNamedPath(value, folder, home));
    }
  }
  return found;
}

export function isInclude(name: string): boolean {
  return name === "include.path" || name === "includeif.path";
}

function readText(path: string): string {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= LARGEST ? readFileSync(path, "utf8") : "";
  } catch {
    return "";
  }
}

const HEADER = /^\s*\[\s*([^\]"\s.]*)[^\]"]*(?:"(?:\\.|[^"\\])*")?\s*\]/s;
const KEY = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/s;

function parseSettings(text: string): readonly Pick<GitSetting, "name" | "value">[] {
  let section = "";
  return text
    .replace(/\\\r?\n/g, "")
    .split(/\r?\n/)
    .flatMap((line) => {
      const [header = "", named] = HEADER.exec(line) ?? [];
      section = named?.toLowerCase() ?? section;
      const [, key, raw = ""] = KEY.exec(line.slice(header.length)) ?? [];
      return key === undefined ? [] : [{ name: `${section}.${key.toLowerCase()}`, value: unquote(raw) }];
    });
}

/** Without quotes, escapes and a trailing comment. */
function unquote(raw: string): string {
  const plain = raw.replace(/"((?:\\.|[^"\\])*)"|\\(.)|[#;].*$/gs, (_, quoted?: string, escaped?: string) =>
    quoted === undefined ? (escaped ?? "") : quoted.replace(/\\(.)/gs, "$1"),
  );
  return plain.trim();
}
