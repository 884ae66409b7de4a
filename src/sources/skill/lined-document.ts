/** A parsed file with the line of each value. */
export interface LinedDocument {
  readonly value: unknown;
  /** The line of a value, or of its nearest ancestor that exists. */
  lineOf(...path: readonly (string | number)[]): number;
}

export type DocumentReading =
  | { readonly ok: true; readonly document: LinedDocument }
  | { readonly ok: false; readonly line: number; readonly text: string };

/** More than any legitimate file needs; each use of an alias copies its value. */
const MOST_ALIASES = 100;
/** The composer is recursive, and a stack overflow can end the whole process. */
const MOST_LEVELS = 100;

/** YAML that starts at `firstLine` of its file. Never rejects. */
export async function parseYaml(text: string, firstLine = 1): Promise<DocumentReading> {
  // With bundlers that split code, only the default export of such a module is available.
  const { default: yaml } = await import("yaml");
  const lines = new yaml.LineCounter();
  try {
    const parser = new yaml.Parser(lines.addNewLine);
    lines.addNewLine(0);
    const tokens = [];
    for (const lexeme of new yaml.Lexer().lex(text)) {
      tokens.push(...parser.next(lexeme));
      if (parser.stack.length > MOST_LEVELS) return tooDeep(firstLine);
    }
    tokens.push(...parser.end());
    // The parser's own check for equal keys takes quadratic time.
    const composer = new yaml.Composer({ uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    const [document] = [...composer.compose(tokens, true, text.length)];
    if (document === undefined) return { ok: false, line: firstLine, text: "there is nothing in it" };
    const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line) + firstLine - 1;
    const problem = document.errors[0];
    if (problem !== undefined) return { ok: false, line: lineAt(problem.pos[0]), text: problem.message };
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    const lineOf = (...path: readonly (string | number)[]): number => {
      for (let size = path.length; size > 0; size -= 1) {
        const parent: unknown = size === 1 ? document.contents : document.getIn(path.slice(0, size - 1), true);
        const key = path[size - 1];
        // A value may start on a later line than its key, and people look for the key.
        const pair = yaml.isMap(parent)
          ? parent.items.find((item) => yaml.isScalar(item.key) && item.key.value === key)
          : null;
        const node: unknown = pair?.key ?? document.getIn(path.slice(0, size), true);
        if (yaml.isNode(node) && node.range) return lineAt(node.range[0]);
      }
      return firstLine;
    };
    return { ok: true, document: { value, lineOf } };
  } catch {
    return tooDeep(firstLine);
  }
}

function tooDeep(line: number): DocumentReading {
  return { ok: false, line, text: "it is nested too deeply, or has too many aliases" };
}

/** JSON, strictly; the lines come from parsing it as YAML, which includes JSON. */
export async function parseLinedJson(text: string): Promise<DocumentReading> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "is not JSON";
    const position = /position (\d+)/.exec(message)?.[1];
    const before = position === undefined ? text : text.slice(0, Number(position));
    return { ok: false, line: before.trimEnd().split("\n").length, text: `is not JSON: ${message}` };
  }
  const lined = await parseYaml(text);
  return { ok: true, document: { value, lineOf: lined.ok ? lined.document.lineOf : () => 1 } };
}
