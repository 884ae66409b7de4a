import type { NameList, Origin, Sourced } from "../../core/codes/origin.ts";
import type { LinedDocument } from "./lined-document.ts";

export type AllowedTools =
  | { readonly ok: true; readonly list: NameList | null }
  | { readonly ok: false; readonly line: number; readonly text: string };

const SPELLINGS = ["allowed-tools", "allowedTools"] as const;

/** The allowed tools of a skill: a list, or a text with commas or spaces between the names. Null if it has none. */
export function readAllowedTools({ value, lineOf }: LinedDocument, originAt: (line: number) => Origin): AllowedTools {
  const fields = typeof value === "object" && value !== null ? value : {};
  const key = SPELLINGS.find((spelling) => Object.hasOwn(fields, spelling));
  const stated: unknown = key === undefined ? null : Reflect.get(fields, key);
  if (key === undefined || stated === null || stated === undefined) return { ok: true, list: null };
  const origin = originAt(lineOf(key));
  if (typeof stated === "string") {
    return { ok: true, list: { value: splitNames(stated).map((name) => ({ value: name, origin })), origin } };
  }
  if (!Array.isArray(stated)) return { ok: false, line: lineOf(key), text: `${key} must be a list of names` };
  const names: Sourced<string>[] = [];
  for (const [at, name] of stated.entries()) {
    const line = lineOf(key, at);
    if (typeof name !== "string" || name.trim() === "") {
      return { ok: false, line, text: `entry ${at + 1} of ${key} is not a name` };
    }
    names.push({ value: name.trim(), origin: originAt(line) });
  }
  return { ok: true, list: { value: names, origin } };
}

/** Commas and spaces separate names, except in parentheses: `Bash(git add:*) Read, Grep` is three. */
export function splitNames(text: string): readonly string[] {
  const names = [""];
  let depth = 0;
  for (const letter of text) {
    if (letter === "(") depth += 1;
    if (letter === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && /[,\s]/.test(letter)) names.push("");
    else names.push((names.pop() ?? "") + letter);
  }
  return names.map((name) => name.trim()).filter((name) => name !== "");
}
