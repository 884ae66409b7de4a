import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { isApprovedHash, readDefinition, toApprovedText } from "./approved-text.ts";
import type { LaunchSpec, Lock, PinnedServer, PinnedTool } from "./lock.ts";
import { toStableJson } from "./stable-json.ts";

const VERSION = 2;
/** Held the definitions themselves. */
const WITH_DEFINITIONS = 1;

/** Signatures alone: what was approved lies beside it, by hash. */
export function toLockText({ servers, tools }: Lock): string {
  const document = {
    version: VERSION,
    servers: toObject(servers, (server) => server),
    tools: toObject(tools, ({ signature, approved, signals, text }) => ({
      signature,
      ...(approved ? {} : { approved }),
      ...(signals.length === 0 ? {} : { signals }),
      ...(text === null ? {} : { text }),
    })),
  };
  return toStableJson(document, ["version", "servers", "tools"]);
}

/** Names of strangers are keys here, so nothing may be inherited. */
function toObject<T>(map: ReadonlyMap<string, T>, write: (value: T) => unknown): object {
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, value] of map) object[key] = write(value);
  return object;
}

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
  if (root.version !== VERSION && root.version !== WITH_DEFINITIONS)
    throw wrong(
      `its version is ${JSON.stringify(root.version)?.slice(0, 40)}, and this Toolcrib reads ${WITH_DEFINITIONS} and ${VERSION}`,
    );
  const read = root.version === WITH_DEFINITIONS ? readWholeTool : readTool;
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
          read(value) ??
            raise(
              wrong(
                `tool ${JSON.stringify(name)} needs "signature", and "text" is the hash of a definition`,
                `tools ${name}`,
              ),
            ),
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
  if (value.text !== undefined && !isApprovedHash(value.text)) return null;
  return {
    signature: value.signature,
    approved: value.approved ?? true,
    signals: Array.isArray(value.signals) ? value.signals.filter((name) => typeof name === "string") : [],
    text: value.text ?? null,
    definition: null,
  };
}

function readWholeTool(value: unknown): PinnedTool | null {
  const tool = isRecord(value) ? readTool({ ...value, text: undefined }) : null;
  if (tool === null || !isRecord(value)) return null;
  const definition = readDefinition(value.definition);
  return { ...tool, text: toApprovedText(definition).hash, definition };
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
