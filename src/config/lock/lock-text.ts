import type { Origin } from "../../core/codes/origin.ts";
import { errorAt, type ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { ConfigNode } from "../../core/shape/node.ts";
import { plainNode } from "../../core/shape/plain-node.ts";
import { readData } from "../../core/shape/read.ts";
import { any, type Flaw, flag, list, map, partial, record, type Shape, text, to } from "../../core/shape/shape.ts";
import { writeShape } from "../../core/shape/write.ts";
import { isApprovedHash, readApproved, toApprovedText } from "./approved-text.ts";
import type { LaunchSpec, Lock, PinnedTool } from "./lock.ts";
import { toStableJson } from "./stable-json.ts";

const VERSION = 2;
/** The version that contained the definitions themselves. */
const WITH_DEFINITIONS = 1;

const names = list(text());

const specFields = { type: text(), command: text(), args: names, env: names, url: text(), headers: names };
const server = record({
  launch: text({ required: true }),
  spec: to(
    partial(record(specFields, { default: {} })),
    (spec): LaunchSpec => ({ ...spec, type: spec.type ?? "stdio" }),
    (spec) => spec,
  ),
});

const fields = {
  signature: text({ required: true }),
  approved: flag({ default: true }),
  signals: list(text(), { default: [] }),
};

const tool = to(
  record({ ...fields, text: text({ valid: checkHash }) }, { brief: true }),
  (said): PinnedTool => ({ ...said, definition: null }),
  (pinned) => pinned,
);

const wholeTool = to(record({ ...fields, definition: any() }), ({ definition: given, ...said }): PinnedTool => {
  const definition = readApproved(given);
  return { ...said, text: toApprovedText(definition).hash, definition };
});

/** Signatures only: the approved definitions are stored beside it, by hash. */
export function toLockText({ servers, tools }: Lock): string {
  const document = { version: VERSION, servers: writeShape(servers, map(server)), tools: writeShape(tools, map(tool)) };
  return toStableJson(document, ["version", "servers", "tools"]);
}

/** Throws `lock.invalid` with file and line. */
export function fromLockText(
  content: string,
  file: string,
): { readonly lock: Lock; readonly lines: ReadonlyMap<string, number> } {
  const lines = findLines(content);
  const at = (line: number): Origin => ({ kind: "file", file, line });
  const wrong = (what: string, line = 1): ToolcribError =>
    errorAt("lock.invalid", at(line), `${what}. ${ADVICE}`, [file]);
  const root = parse(content, wrong);
  if (!isRecord(root)) throw wrong("it must be a JSON object");
  if (root.version !== VERSION && root.version !== WITH_DEFINITIONS)
    throw wrong(
      `its version is ${JSON.stringify(root.version)?.slice(0, 40)}, and this Toolcrib reads ${WITH_DEFINITIONS} and ${VERSION}`,
    );
  if (!isRecord(root.servers) || !isRecord(root.tools)) throw wrong('it needs "servers" and "tools"');
  return {
    lock: {
      servers: readEach(root.servers, server, "server"),
      tools: readEach(root.tools, root.version === WITH_DEFINITIONS ? wholeTool : tool, "tool"),
    },
    lines,
  };

  function readEach<T>(entries: object, shape: Shape<T>, what: string): ReadonlyMap<string, T> {
    const read = Object.entries(entries).map(([name, entry]): [string, T] => {
      const line = lines.get(`${what}s ${name}`) ?? 1;
      const { value, problems } = readData(
        plainNode(entry, () => at(line)),
        shape,
      );
      const [first] = problems.reported;
      if (first !== undefined) throw wrong(`${what} ${JSON.stringify(name)}: ${first.what}`, line);
      return [name, value];
    });
    return new Map(read);
  }
}

const ADVICE =
  "Nothing is started while it cannot be read; restore it, or delete it and run `toolcrib pin` after a look at every server";

function parse(content: string, wrong: (what: string, line: number) => ToolcribError): unknown {
  try {
    return JSON.parse(content.replace(/^\ufeff/, ""));
  } catch (error) {
    throw wrong("it is not valid JSON", toErrorLine(content, error));
  }
}

function checkHash(node: ConfigNode): Flaw | null {
  return node.kind === "scalar" && isApprovedHash(node.value) ? null : { text: "must be the hash of a definition" };
}

/** Where the entries of both sections begin, as `toLockText` writes them; other formats have no lines to name. */
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
  // For a token V8 names no position: it shows the token, and the text around it.
  const [, token, gap, around] = /^Unexpected token '(.+?)', (\.\.\.)?"(.*?)"(?:\.\.\.)? is not/s.exec(message) ?? [];
  if (token === undefined || around === undefined) return lineAt(text, text.length);
  return lineAt(text, text.indexOf(token, gap === undefined ? 0 : Math.max(0, text.indexOf(around))));
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}
