import { type JsonPath, readJson, withEntry, withoutEntry, withoutValue, withValue } from "./edit-json.ts";
import { readTomlFile, withoutTable, withTable } from "./edit-toml.ts";
import { withoutTomlValue, withTomlValue } from "./edit-toml-value.ts";

type Plain = Readonly<Record<string, unknown>>;

/** Changes one thing in another product's file; every other byte stays. Null where the text does not allow that. */
interface Editor {
  read(text: string): Promise<Plain | null>;
  withEntry(text: string, key: string, name: string, entry: Plain): Promise<string | null>;
  withoutEntry(text: string, key: string, name: string): Promise<string | null>;
  /** The same for a value anywhere; the index behind the last item of a list adds one. */
  withValue(text: string, path: JsonPath, value: unknown): Promise<string | null>;
  /** And without what is left empty around it, but for the outer `kept` ones. */
  withoutValue(text: string, path: JsonPath, kept?: number): Promise<string | null>;
  /** A file that says nothing. */
  readonly blank: string;
}

const JSON_FILE: Editor = {
  read: async (text) => readJson(text),
  ...{ withEntry, withoutEntry, withValue, withoutValue, blank: "{}\n" },
};
const TOML_FILE: Editor = {
  read: readTomlFile,
  ...{ withEntry: withTable, withoutEntry: withoutTable },
  ...{ withValue: withTomlValue, withoutValue: withoutTomlValue, blank: "" },
};

export function editorOf(path: string): Editor {
  return path.endsWith(".toml") ? TOML_FILE : JSON_FILE;
}
