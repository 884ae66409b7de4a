import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { isTooDeep } from "../../system/text/json-depth.ts";

/** One file that an API is described in. */
export interface ApiFile {
  /** Absolute path, or address. */
  readonly address: string;
  /** Its name for people. */
  readonly name: string;
  readonly text: string;
  readonly root: unknown;
}

/** A value of a file, and its location there. */
export interface Located {
  readonly file: ApiFile;
  /** JSON pointer, such as `/paths/~1pets/get`. */
  readonly pointer: string;
  readonly value: unknown;
}

/** What is wrong with a document, and where. */
export class DocumentFault extends Error {
  override readonly name = "DocumentFault";
  readonly at: Pick<Located, "file" | "pointer">;
  /** What to do about it; null if that is obvious. */
  readonly next: string | null;

  constructor(at: Pick<Located, "file" | "pointer">, text: string, next: string | null = null) {
    super(text);
    this.at = at;
    this.next = next;
  }
}

/** Values that all aliases of one YAML document may expand to. */
const MOST_ALIASES = 10_000;

/** JSON or YAML as plain values. Throws a fault with the line if it is neither. */
export async function parseApiFile(address: string, name: string, text: string): Promise<ApiFile> {
  const file = { address, name, text, root: null };
  const start = { file, pointer: "" };
  if (/^\ufeff?\s*\{/.test(text)) {
    if (isTooDeep(text)) throw new DocumentFault(start, "is nested too deep to be read");
    const json = parseJson(text);
    if (json !== undefined) return { ...file, root: json };
  }
  const { default: yaml } = await import("yaml");
  try {
    // The parser's own check for equal keys takes quadratic time.
    const document = yaml.parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    const [problem] = document.errors;
    if (problem !== undefined) throw new SyntaxFault(problem.message, text.slice(0, problem.pos[0]).split("\n").length);
    return { ...file, root: document.toJS({ maxAliasCount: MOST_ALIASES }) };
  } catch (error) {
    if (error instanceof SyntaxFault)
      throw new DocumentFault({ file: { ...file, name: `${name}:${error.line}` }, pointer: "" }, error.message);
    throw new DocumentFault(start, error instanceof RangeError ? "is nested too deep to be read" : "cannot be read");
  }
}

class SyntaxFault extends Error {
  readonly line: number;
  constructor(text: string, line: number) {
    super(text);
    this.line = line;
  }
}

/** `petstore.yaml:12 (#/paths/~1pets/get)`. The line is computed only when somebody reads it. */
export async function describePlace({ file, pointer }: Pick<Located, "file" | "pointer">): Promise<string> {
  if (pointer === "") return file.name;
  const line = await findLine(file.text, pointer).catch(() => null);
  return `${file.name}${line === null ? "" : `:${line}`} (#${pointer})`;
}

async function findLine(text: string, pointer: string): Promise<number | null> {
  const { default: yaml } = await import("yaml");
  const lines = new yaml.LineCounter();
  const options = { uniqueKeys: false, prettyErrors: false, logLevel: "silent", lineCounter: lines } as const;
  let node: unknown = yaml.parseDocument(text, options).contents;
  let offset: number | null = null;
  for (const key of toKeys(pointer)) {
    if (yaml.isMap(node)) {
      const pair = node.items.find((item) => yaml.isScalar(item.key) && String(item.key.value) === key);
      if (pair === undefined) break;
      offset = yaml.isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else if (yaml.isSeq(node)) {
      node = node.items[Number(key)];
      offset = yaml.isNode(node) ? (node.range?.[0] ?? offset) : offset;
    } else break;
  }
  return offset === null ? null : lines.linePos(offset).line;
}

function toKeys(pointer: string): readonly string[] {
  return pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function childOf({ file, pointer, value }: Located, key: string | number): Located {
  const inner: unknown =
    typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  return { file, pointer: `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`, value: inner };
}

/** The value at a pointer; undefined as a value if there is none. */
export function atPointer(file: ApiFile, pointer: string): Located {
  return toKeys(pointer).reduce<Located>(childOf, { file, pointer: "", value: file.root });
}

/** The members of an object, each with its location. */
export function membersOf(at: Located): readonly (readonly [string, Located])[] {
  return isRecord(at.value) ? Object.keys(at.value).map((key) => [key, childOf(at, key)] as const) : [];
}

export function itemsOf(at: Located): readonly Located[] {
  return Array.isArray(at.value) ? at.value.map((_, index) => childOf(at, index)) : [];
}

export function textAt(at: Located, key: string): string | null {
  const { value } = childOf(at, key);
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
