import type { Document, YAMLSeq } from "yaml";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { blankComments } from "../layers/blank-extras.ts";
import { parseDocument } from "../layers/parse-document.ts";

/** A permission rule for a list of a configuration file. */
export interface WrittenRule {
  readonly list: "deny" | "ask" | "allow";
  readonly rule: string;
  /** Where it is from, for people who read the file. */
  readonly comment: string;
}

type Yaml = typeof import("yaml");

const LISTS = ["deny", "ask", "allow"] as const;

/** All rules of the file. */
export async function rulesIn(text: string, file: string): Promise<readonly WrittenRule[]> {
  const { yaml, document } = await open(text, file);
  return LISTS.flatMap((list) =>
    (listOf(yaml, document, list, file)?.items ?? []).flatMap((item): readonly WrittenRule[] => {
      const rule = ruleOf(yaml, item);
      return rule === null ? [] : [{ list, rule, comment: "" }];
    }),
  );
}

/** The rules that the file does not have yet. */
export async function missingRules(
  text: string,
  file: string,
  rules: readonly WrittenRule[],
): Promise<readonly WrittenRule[]> {
  const { yaml, document } = await open(text, file);
  const seen = new Set<string>();
  return rules.filter(({ list, rule }) => {
    const key = `${list} ${rule}`;
    if (seen.has(key) || placeOf(yaml, listOf(yaml, document, list, file), rule) !== -1) return false;
    seen.add(key);
    return true;
  });
}

/** The text with these rules behind those that are there; comments stay. */
export async function withRules(text: string, file: string, rules: readonly WrittenRule[]): Promise<string> {
  if (rules.length === 0) return text;
  const { yaml, document } = await open(text, file);
  for (const { list, rule, comment } of rules) {
    const item = document.createNode(rule);
    if (!file.endsWith(".json")) item.comment = ` ${comment.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")}`;
    const found = listOf(yaml, document, list, file);
    if (found === null) document.setIn(["permissions", list], blockOf(document, [item]));
    else {
      found.flow = false;
      found.add(item);
    }
  }
  return print(document, file);
}

/** The text without these rules; null if none is there. */
export async function withoutRules(
  text: string,
  file: string,
  rules: readonly Pick<WrittenRule, "list" | "rule">[],
): Promise<string | null> {
  const { yaml, document } = await open(text, file);
  let taken = 0;
  for (const { list, rule } of rules) {
    const found = listOf(yaml, document, list, file);
    const at = placeOf(yaml, found, rule);
    if (found === null || at === -1) continue;
    found.delete(at);
    taken++;
    if (found.items.length === 0) document.deleteIn(["permissions", list]);
  }
  const permissions = document.get("permissions");
  if (yaml.isMap(permissions) && permissions.items.length === 0) document.delete("permissions");
  return taken === 0 ? null : print(document, file);
}

async function open(text: string, file: string): Promise<{ yaml: Yaml; document: Document }> {
  // Reports what is wrong with an unreadable file, and where.
  const parsed = await parseDocument(text, file);
  const yaml = await import("yaml");
  const document: Document = yaml.parseDocument(text);
  const hasComments = file.endsWith(".json") && blankComments(text) !== text;
  if ((parsed !== null && parsed.kind !== "map") || hasComments || document.errors.length > 0) throw refusal(file);
  if (document.contents === null) document.contents = document.createNode({});
  const permissions = document.get("permissions");
  if (permissions !== undefined && permissions !== null && !yaml.isMap(permissions)) throw refusal(file);
  if (permissions === null) document.delete("permissions");
  return { yaml, document };
}

function refusal(file: string): ToolcribError {
  const why = `${file}: its permissions cannot be changed here without losing something; edit the file by hand`;
  return new ToolcribError("config.syntax", why, { names: ["permissions"] });
}

function listOf(yaml: Yaml, document: Document, list: string, file: string): YAMLSeq | null {
  const permissions = document.get("permissions");
  const found: unknown = yaml.isMap(permissions) ? permissions.get(list) : undefined;
  if (found === undefined || found === null) return null;
  if (!yaml.isSeq(found)) throw refusal(file);
  return found;
}

function placeOf(yaml: Yaml, list: YAMLSeq | null, rule: string): number {
  return list?.items.findIndex((item) => ruleOf(yaml, item) === rule) ?? -1;
}

/** A rule is a text, or a map with examples. */
function ruleOf(yaml: Yaml, item: unknown): string | null {
  const value: unknown = yaml.isScalar(item) ? item.value : yaml.isMap(item) ? item.get("rule") : null;
  return typeof value === "string" ? value : null;
}

function blockOf(document: Document, items: readonly unknown[]): unknown {
  const list = document.createNode(items);
  list.flow = false;
  return list;
}

function print(document: Document, file: string): string {
  if (file.endsWith(".json")) return `${JSON.stringify(document.toJS() ?? {}, null, 2)}\n`;
  const text = document.toString({ lineWidth: 0 });
  return text.trim() === "{}" ? "" : text;
}
