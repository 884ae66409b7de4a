import type { GuardCall } from "../../runtime/guard/guard-call.ts";
import type { GuardedTool, HookClient } from "./hook-clients.ts";
import type { GuardEvent } from "./hook-event.ts";

/**
 * What a client's call is in our terms. Several calls where its name or its text has several meanings: the strictest answer
 * about them counts. A text says what of it cannot be read.
 */
export function toGuardCalls(
  event: GuardEvent,
  client: HookClient,
  servers: Iterable<string>,
): readonly GuardCall[] | string {
  const { tool, input, served } = event;
  if (served !== null) return [{ tool: { kind: "served", ...served }, args: input }];
  const row = client.tools.get(tool);
  if (row !== undefined) {
    const all = argumentsOf(row, input);
    const { needs } = row;
    if (needs !== undefined && all.some((args) => typeof args[needs] !== "string"))
      return `${tool} has no argument ${row.args[needs]?.join(" or ")}`;
    return all.map((args) => ({ tool: { kind: "builtin", name: row.tool }, args }));
  }
  const meanings = meaningsOf(tool, client.served, new Set(servers));
  if (meanings.length === 0) return [{ tool: { kind: "own", name: tool }, args: input }, ...commandsIn(input)];
  return meanings.map((meant) => ({ tool: { kind: "served", ...meant }, args: input }));
}

/** A tool that nobody here knows, in a later version of the client, runs what it calls a command. */
function commandsIn(input: GuardEvent["input"]): readonly GuardCall[] {
  const commands = ["command", "cmd"].map((field) => input[field]).filter((value) => typeof value === "string");
  return commands.map((command) => ({ tool: { kind: "builtin", name: "bash" }, args: { command } }));
}

/** One of several spellings of an argument counts at the client, and we do not know which: each is a call. */
function argumentsOf(
  { args, addressesIn, folder = [] }: GuardedTool,
  input: GuardEvent["input"],
): readonly GuardCall["args"][] {
  let all: readonly GuardCall["args"][] = [{}];
  for (const [ours, theirs] of Object.entries(args)) {
    const values = valuesOf(theirs, input, ours === "path");
    if (values.length > 0) all = all.flatMap((known) => values.map((value) => ({ ...known, [ours]: value })));
  }
  const folders = valuesOf(folder, input, false).filter((value) => typeof value === "string");
  all = [...all, ...all.flatMap((known) => folders.map((cwd) => ({ ...known, cwd })))];
  const text = addressesIn === undefined ? undefined : input[addressesIn];
  const urls = typeof text === "string" ? (text.match(ADDRESS) ?? []) : [];
  return urls.length === 0 ? all : [...new Set(urls)].map((url) => ({ url }));
}

/** Where a tool takes several files or folders at once, each is a call. */
function valuesOf(fields: readonly string[], input: GuardEvent["input"], mayList: boolean): readonly unknown[] {
  return fields.flatMap((field): readonly unknown[] => {
    if (!Object.hasOwn(input, field)) return [];
    const value = input[field];
    return mayList && Array.isArray(value) ? value : [value];
  });
}

const ADDRESS = /https?:\/\/[^\s"'<>()]+/gi;

interface Meant {
  readonly server: string;
  readonly name: string;
}

/** Names may hold what stands between them. A server that is configured wins, the longest first; otherwise all count. */
function meaningsOf(tool: string, ways: HookClient["served"], servers: ReadonlySet<string>): readonly Meant[] {
  const found = ways.flatMap(({ before, between }) =>
    tool.startsWith(before) ? split(tool.slice(before.length), between) : [],
  );
  const known = found.filter(({ server }) => servers.has(server));
  return known.length > 0 ? known.toSorted((a, b) => b.server.length - a.server.length).slice(0, 1) : found;
}

function split(text: string, between: string): readonly Meant[] {
  const found: Meant[] = [];
  for (let at = text.indexOf(between, 1); at > 0 && found.length < MOST_MEANINGS; at = text.indexOf(between, at + 1)) {
    const name = text.slice(at + between.length);
    if (name !== "") found.push({ server: text.slice(0, at), name });
  }
  return found;
}

const MOST_MEANINGS = 8;
