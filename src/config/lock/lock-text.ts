import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { LaunchSpec, Lock, PinnedDefinition, PinnedServer, PinnedTool } from "./lock.ts";

const VERSION = 1;
const UNSEEN = /[\u007f-\u009f\u00ad\u2028\u2029]|(?![\n\t])[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Sorted at every level and one value a line, so that a review shows what changed and nothing else. */
export function toLockText({ servers, tools }: Lock): string {
  const document = {
    version: VERSION,
    servers: toSortedObject(servers, (server) => server),
    tools: toSortedObject(tools, ({ signature, approved, signals, definition }) => ({
      signature,
      ...(approved ? {} : { approved }),
      ...(signals.length === 0 ? {} : { signals }),
      definition,
    })),
  };
  const text = JSON.stringify(sorted(document), null, 2);
  return `${text.replace(UNSEEN, (character) => [...Array(character.length).keys()].map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""))}\n`;
}

/** Names of strangers are keys here, so nothing may be inherited. */
function toSortedObject<T>(map: ReadonlyMap<string, T>, write: (value: T) => unknown): object {
  const object: Record<string, unknown> = Object.create(null);
  for (const key of [...map.keys()].sort()) {
    const value = map.get(key);
    if (value !== undefined) object[key] = write(value);
  }
  return object;
}

/** `version` stays first; everything else is in order, so that the order a server sends keys in changes nothing. */
function sorted(value: unknown, level = 0): unknown {
  if (Array.isArray(value)) return level > MAX_DEPTH ? null : value.map((member) => sorted(member, level + 1));
  if (typeof value !== "object" || value === null) return value;
  if (level > MAX_DEPTH) return null;
  const object: Record<string, unknown> = Object.create(null);
  const keys = level === 0 ? ["version", "servers", "tools"] : Object.keys(value).sort();
  for (const key of keys) object[key] = sorted(Reflect.get(value, key), level + 1);
  return object;
}

/** Definitions beyond this are refused for their depth, and their pins only need their signature. */
const MAX_DEPTH = 80;

/** Throws `lock.invalid` with file and line. */
export function fromLockText(
  text: string,
  file: string,
): { readonly lock: Lock; readonly lines: ReadonlyMap<string, number> } {
  const lines = findLines(text);
  const wrong = (what: string, key = ""): ToolcribError => {
    const line = lines.get(key) ?? 1;
    return new ToolcribError(
      "lock.invalid",
      `${file}:${line}: ${what}. Nothing is started while it cannot be read; restore it, or delete it and run \`toolcrib pin\` after a look at every server`,
      {
        names: [file],
        origin: { kind: "file", file, line },
      },
    );
  };
  let root: unknown;
  try {
    root = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (error) {
    const line = toErrorLine(text, error);
    throw new ToolcribError(
      "lock.invalid",
      `${file}:${line}: it is not valid JSON. Nothing is started while it cannot be read; restore it, or delete it and run \`toolcrib pin\` after a look at every server`,
      {
        names: [file],
        origin: { kind: "file", file, line },
      },
    );
  }
  if (!isRecord(root)) throw wrong("it must be a JSON object");
  if (root.version !== VERSION)
    throw wrong(`its version is ${JSON.stringify(root.version)?.slice(0, 40)}, and this Toolcrib reads ${VERSION}`);
  if (!isRecord(root.servers) || !isRecord(root.tools)) throw wrong('it needs "servers" and "tools"');
  return {
    lock: {
      servers: new Map(
        Object.entries(root.servers).map(([name, value]) => [
          name,
          readServer(value) ?? raise(wrong(`server ${JSON.stringify(name)} needs "launch"`, `servers ${name}`)),
        ]),
      ),
      tools: new Map(
        Object.entries(root.tools).map(([name, value]) => [
          name,
          readTool(value) ?? raise(wrong(`tool ${JSON.stringify(name)} needs "signature"`, `tools ${name}`)),
        ]),
      ),
    },
    lines,
  };
}

function raise(error: ToolcribError): never {
  throw error;
}

function readServer(value: unknown): PinnedServer | null {
  if (!isRecord(value) || typeof value.launch !== "string") return null;
  const spec = isRecord(value.spec) ? value.spec : {};
  const texts = (list: unknown): readonly string[] | undefined =>
    Array.isArray(list) ? list.filter((item) => typeof item === "string") : undefined;
  const [args, env, headers] = [texts(spec.args), texts(spec.env), texts(spec.headers)];
  const read: LaunchSpec = {
    type: typeof spec.type === "string" ? spec.type : "stdio",
    ...(typeof spec.command === "string" ? { command: spec.command } : {}),
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(typeof spec.url === "string" ? { url: spec.url } : {}),
    ...(headers === undefined ? {} : { headers }),
  };
  return { launch: value.launch, spec: read };
}

function readTool(value: unknown): PinnedTool | null {
  if (!isRecord(value) || typeof value.signature !== "string") return null;
  if (value.approved !== undefined && typeof value.approved !== "boolean") return null;
  const definition = isRecord(value.definition) ? value.definition : {};
  const read: PinnedDefinition = {
    ...(typeof definition.title === "string" ? { title: definition.title } : {}),
    description: typeof definition.description === "string" ? definition.description : "",
    ...(definition.inputSchema === undefined ? {} : { inputSchema: definition.inputSchema }),
    ...(definition.outputSchema === undefined ? {} : { outputSchema: definition.outputSchema }),
    ...(isRecord(definition.claims) ? { claims: definition.claims } : {}),
  };
  return {
    signature: value.signature,
    approved: value.approved ?? true,
    signals: Array.isArray(value.signals) ? value.signals.filter((name) => typeof name === "string") : [],
    definition: read,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Where the entries of both sections begin, as `toLockText` writes them; a file written otherwise has no lines to name. */
function findLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let section = "";
  text.split("\n").forEach((line, at) => {
    const opens = /^ {2}"(servers|tools)": \{/.exec(line);
    if (opens !== null) section = opens[1] ?? "";
    const entry = /^ {4}("(?:[^"\\]|\\.)*"): \{/.exec(line);
    if (entry !== null) lines.set(`${section} ${JSON.parse(entry[1] ?? '""')}`, at + 1);
  });
  return lines;
}

function toErrorLine(text: string, error: unknown): number {
  const message = error instanceof Error ? error.message : "";
  const line = /\bline (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const position = /\bposition (\d+)/.exec(message)?.[1];
  if (position !== undefined) return lineAt(text, Number(position));
  // Of a token V8 names no place: it shows the token, and the text around it.
  const [, token, gap, around] = /^Unexpected token '(.+?)', (\.\.\.)?"(.*?)"(?:\.\.\.)? is not/s.exec(message) ?? [];
  if (token === undefined || around === undefined) return lineAt(text, text.length);
  return lineAt(text, text.indexOf(token, gap === undefined ? 0 : Math.max(0, text.indexOf(around))));
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
