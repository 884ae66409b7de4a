import { readJson, withEntry, withoutEntry } from "./edit-json.ts";
import { readTomlFile, withoutTable, withTable } from "./edit-toml.ts";

type Plain = Readonly<Record<string, unknown>>;

/** Changes one entry of a map in another product's file; every other byte stays. Null where the text does not allow that. */
interface Editor {
  read(text: string): Promise<Plain | null>;
  withEntry(text: string, key: string, name: string, entry: Plain): Promise<string | null>;
  withoutEntry(text: string, key: string, name: string): Promise<string | null>;
  /** A file that says nothing. */
  readonly blank: string;
}

const JSON_FILE: Editor = { read: async (text) => readJson(text), withEntry, withoutEntry, blank: "{}\n" };
const TOML_FILE: Editor = { read: readTomlFile, withEntry: withTable, withoutEntry: withoutTable, blank: "" };

export function editorOf(path: string): Editor {
  return path.endsWith(".toml") ? TOML_FILE : JSON_FILE;
}
