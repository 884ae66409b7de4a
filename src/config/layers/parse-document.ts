import type { Document, Node as YamlNode } from "yaml";
import type { Origin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { findJsonError } from "../../core/shape/find-json-error.ts";
import { type ConfigNode, listNode, mapNode, scalarNode } from "../../core/shape/node.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { blankExtras } from "./blank-extras.ts";

type Yaml = typeof import("yaml");

/** The maximum nesting of a document. The composer recurses, and a hostile file must not end the process. */
const MAX_DEPTH = 100;
/** How many values the aliases of one document may expand to. */
const MAX_ALIASED = 20_000;

/**
 * YAML or JSON text as a tree whose values know their lines; null if the text is empty. Comments and trailing commas
 * are fine in JSON too: read as YAML, a comment would become part of the next key.
 */
export async function parseDocument(written: string, file: string, firstLine = 1): Promise<ConfigNode | null> {
  const isJson = /\.jsonc?$/.test(file) && /^\ufeff?\s*[{/]/.test(written);
  const text = isJson ? blankExtras(written) : written;
  // Bundlers that split code provide only the default export of such a module.
  const { default: yaml } = await import("yaml");
  const lines = new yaml.LineCounter();
  const originAt = (offset: number): Origin => ({ kind: "file", file, line: lineAt(lines, offset) + firstLine - 1 });
  const document = compose(yaml, text, lines, originAt);
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) {
    if (isJson) checkJson(text, file);
    const { col } = lines.linePos(problem.pos[0]);
    throw syntaxError(toAdvice(problem.message), originAt(problem.pos[0]), Math.max(1, col));
  }
  if (document.contents === null) return null;
  return toConfigNode(yaml, document.contents, originAt);
}

/** A mistake in JSON is reported in JSON's words; throws `config.syntax`. */
export function checkJson(text: string, file: string): void {
  const json = text.replace(/^\ufeff/, " ");
  if (parseJson(json) !== undefined) return;
  const { line, column, text: problem } = findJsonError(json);
  throw syntaxError(`not valid JSON: ${problem}`, { kind: "file", file, line }, column);
}

function compose(
  yaml: Yaml,
  text: string,
  lines: InstanceType<Yaml["LineCounter"]>,
  originAt: (offset: number) => Origin,
): Document.Parsed {
  const parser = new yaml.Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens = [];
  for (const lexeme of new yaml.Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) {
      throw syntaxError(`nested more than ${MAX_DEPTH} levels deep`, originAt(parser.offset));
    }
  }
  tokens.push(...parser.end());
  // Its own check for equal keys takes quadratic time; `toConfigNode` checks them instead.
  const composer = new yaml.Composer({ uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  if (document === undefined) throw syntaxError("there is no document", originAt(0));
  if (second !== undefined) throw syntaxError("the file holds more than one document", originAt(second.range[0]));
  return document;
}

function toConfigNode(yaml: Yaml, contents: YamlNode, originAt: (offset: number) => Origin): ConfigNode {
  const anchors = new Map<string, { readonly node: ConfigNode; readonly size: number } | "open">();
  let aliased = 0;
  let size = 0;
  return convert(contents, originOf(contents));

  function originOf(node: unknown): Origin {
    return originAt(yaml.isNode(node) ? (node.range?.[0] ?? 0) : 0);
  }

  function convert(node: unknown, origin: Origin): ConfigNode {
    if (yaml.isAlias(node)) return follow(node.source, origin);
    const anchor = yaml.isCollection(node) || yaml.isScalar(node) ? node.anchor : undefined;
    const before = size;
    if (anchor !== undefined) anchors.set(anchor, "open");
    const converted = build(node, origin);
    size += 1;
    if (anchor !== undefined) anchors.set(anchor, { node: converted, size: size - before });
    return converted;
  }

  function follow(name: string, origin: Origin): ConfigNode {
    const target = anchors.get(name);
    if (target === undefined)
      throw syntaxError(`the alias *${name} has no anchor before it; a name needs quotes: "*${name}"`, origin);
    if (target === "open") throw syntaxError(`the alias *${name} is inside its own anchor`, origin);
    aliased += target.size;
    size += target.size;
    if (aliased > MAX_ALIASED) throw syntaxError(`aliases stand for more than ${MAX_ALIASED} values`, origin);
    return { ...target.node, origin };
  }

  function build(node: unknown, origin: Origin): ConfigNode {
    if (yaml.isMap(node)) {
      const entries = new Map<string, ConfigNode>();
      for (const pair of node.items) {
        const at = originOf(pair.key);
        const key = keyOf(pair.key, at);
        if (entries.has(key)) throw syntaxError(`the key ${JSON.stringify(key)} appears twice`, at);
        entries.set(key, convert(pair.value, at));
      }
      return mapNode(entries, origin);
    }
    if (yaml.isSeq(node)) {
      return listNode(
        node.items.map((item) => convert(item, originOf(item))),
        origin,
      );
    }
    const value = yaml.isScalar(node) ? node.value : node;
    if (value === null || value === undefined) return scalarNode(null, origin);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
      return scalarNode(value, origin);
    }
    throw syntaxError("the value is of a kind that configuration does not have", origin);
  }

  function keyOf(key: unknown, origin: Origin): string {
    const target = yaml.isAlias(key) ? undefined : key;
    if (yaml.isScalar(target) && target.anchor === undefined) {
      // `yes: 1` or `404: x`: the key is what was written, not what YAML would make of it.
      return typeof target.value === "string" ? target.value : (target.source ?? String(target.value));
    }
    throw syntaxError("a key must be plain text", origin);
  }
}

function lineAt(lines: { linePos(offset: number): { line: number } }, offset: number): number {
  return Math.max(1, lines.linePos(offset).line);
}

/** `tools: [*]` is the mistake that everybody makes once. */
function toAdvice(message: string): string {
  return message === "Alias cannot be an empty string"
    ? 'a bare * means nothing to YAML; write "*" in quotes'
    : message;
}

function syntaxError(message: string, origin: Origin, column: number | null = null): ToolcribError {
  const where =
    origin.kind === "file" ? [origin.file, origin.line, column].filter((part) => part !== null).join(":") : "";
  return new ToolcribError("config.syntax", `${where}: ${message}`, {
    origin,
    parts: [{ what: message, names: [], origin }],
  });
}
