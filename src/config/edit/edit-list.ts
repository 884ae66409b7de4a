import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { blankComments } from "../layers/blank-extras.ts";
import { parseDocument } from "../layers/parse-document.ts";

/** A changed text, and the line that was added; null if a line was removed. */
export interface EditedList {
  readonly text: string;
  readonly line: number | null;
}

/** The text with `item` in the list under `key`; everything else stays, including comments. */
export async function withItem(text: string, file: string, key: string, item: string): Promise<EditedList> {
  const document = await openDocument(text, file, key);
  const { yaml, root, list } = document;
  if (list === undefined) root.set(key, root.createNode([item]));
  else if (!list.items.some((each) => yaml.isScalar(each) && each.value === item)) list.add(root.createNode(item));
  const changed = print(document.yaml, root, file);
  return { text: changed, line: await lineOf(changed, file, key, item) };
}

/** The text without `item` in the list under `key`, and without the list if it was the only one. Null if it is absent. */
export async function withoutItem(text: string, file: string, key: string, item: string): Promise<EditedList | null> {
  const { yaml, root, list } = await openDocument(text, file, key);
  const at = list?.items.findIndex((each) => yaml.isScalar(each) && each.value === item) ?? -1;
  if (list === undefined || at === -1) return null;
  if (list.items.length === 1) root.delete(key);
  else list.delete(at);
  return { text: print(yaml, root, file), line: null };
}

async function openDocument(text: string, file: string, key: string) {
  // Reports what is wrong with an unreadable file, and where.
  const parsed = await parseDocument(text, file);
  const yaml = await import("yaml");
  const root = yaml.parseDocument(text);
  const list = root.contents === null ? undefined : root.get(key);
  const isMap = parsed === null || parsed.kind === "map";
  // JSON has no comments of its own, and rewriting it would lose them.
  const hasComments = file.endsWith(".json") && blankComments(text) !== text;
  if (!isMap || hasComments || root.errors.length > 0 || (list !== undefined && !yaml.isSeq(list)))
    throw new ToolcribError("config.syntax", `${file}: "${key}" cannot be changed here; edit the file by hand`, {
      names: [key],
    });
  return { yaml, root, list: yaml.isSeq(list) ? list : undefined };
}

type Yaml = typeof import("yaml");

function print(yaml: Yaml, root: ReturnType<Yaml["parseDocument"]>, file: string): string {
  if (file.endsWith(".json")) return `${JSON.stringify(root.toJS() ?? {}, null, 2)}\n`;
  if (yaml.isMap(root.contents) && root.contents.items.length === 0) root.contents = null;
  const text = root.toString({ lineWidth: 0 });
  return text.trim() === "null" ? "" : text;
}

async function lineOf(text: string, file: string, key: string, item: string): Promise<number | null> {
  const parsed = await parseDocument(text, file);
  const list = parsed?.kind === "map" ? parsed.entries.get(key) : undefined;
  const found = list?.kind === "list" ? list.items.find((each) => each.kind === "scalar" && each.value === item) : null;
  return found?.origin.kind === "file" ? found.origin.line : null;
}
