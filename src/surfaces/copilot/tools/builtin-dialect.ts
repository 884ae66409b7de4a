import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { reword, type ToolResult } from "../../../core/call/tool-result.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { derive } from "../../../runtime/session/sources/with-client.ts";
import type { BuiltinSource } from "../../../sources/builtin/builtin-source.ts";
import {
  type BuiltinResult,
  joinPlaces,
  lineText,
  noteLeft,
  type PlacedLine,
  withoutOutcome,
} from "../../../sources/builtin/parts/outcome.ts";
import type { Source } from "../../../sources/source.ts";
import type { Live } from "../state/live.ts";
import { type Json, recordOf, textOf } from "../wire/wire-values.ts";
import { AGENT_DIFFERENCES, agentNames } from "./agent-dialect.ts";
import { CONVERSATION_DIFFERENCES } from "./conversation-dialect.ts";
import type { Called, Difference } from "./difference.ts";

const FILE_DIFFERENCES: Readonly<Record<string, Difference>> = {
  bash: {
    properties: () => ({ mode: { type: "string", enum: ["sync", "async", "detached"], description: "sync waits" } }),
    without: ["tty"],
    toArgs: ({ mode, ...args }) => ({
      ...args,
      mode: mode === undefined || mode === "sync" ? "foreground" : "background",
    }),
    toResult: toExit,
  },
  view: { toResult: toView },
  create: {
    renamed: { content: "file_text" },
    without: ["overwrite"],
    toArgs: (args) => ({ ...args, overwrite: false }),
    toResult: (result, { args }) =>
      done(
        toExisting(result, args),
        `Created file ${path(args)} with ${textOf(args.file_text)?.length ?? 0} characters`,
      ),
  },
  edit: { toResult: (result, { args }) => done(result, `File ${path(args)} updated with changes.`) },
  grep: { toResult: toGrep },
  glob: { toResult: (result) => eachPlace(result, (place) => (place.startsWith("/") ? place : `./${place}`)) },
};

const DIFFERENCES: ReadonlyMap<string, Difference> = new Map(
  Object.entries({ ...FILE_DIFFERENCES, ...CONVERSATION_DIFFERENCES, ...AGENT_DIFFERENCES }),
);

/** Our built-in tools as these clients' models know them: a table of differences, and the same code behind it. */
export function createDialect(live: () => Live): (builtins: BuiltinSource) => Source {
  return (source) => {
    let seen: { readonly own: readonly Tool[]; readonly key: string; readonly tools: readonly Tool[] } | null = null;
    return derive<Source>(source, {
      async list(signal) {
        const own = await source.list(signal);
        const key = JSON.stringify(agentNames(live()));
        if (seen?.own !== own || seen.key !== key)
          seen = { own, key, tools: own.map((tool) => toTheirs(tool, live())) };
        return seen.tools;
      },
      async run(tool, args, context) {
        const difference = DIFFERENCES.get(tool.name);
        const given = toOurs(difference, args, live());
        const result = await source.run(tool, given, context);
        return withoutOutcome((await difference?.toResult?.(result, { args, live: live(), context })) ?? result);
      },
    });
  };
}

function toTheirs(tool: Tool, live: Live): Tool {
  const difference = DIFFERENCES.get(tool.name);
  if (difference === undefined) return tool;
  const { renamed = {}, properties, required, without = [] } = difference;
  const schema = recordOf(tool.inputSchema);
  const own = Object.entries(recordOf(schema.properties)).filter(([name]) => !without.includes(name));
  const names = (Array.isArray(schema.required) ? schema.required : []).map((name: string) => renamed[name] ?? name);
  const inputSchema = {
    ...schema,
    properties: {
      ...Object.fromEntries(own.map(([name, value]) => [renamed[name] ?? name, value])),
      ...properties?.(live),
    },
    required: required ?? names,
  };
  return { ...tool, inputSchema };
}

function toOurs(difference: Difference | undefined, args: Json, live: Live): Json {
  if (difference === undefined) return args;
  const back = new Map(Object.entries(difference.renamed ?? {}).map(([own, theirs]) => [theirs, own]));
  const named = Object.fromEntries(Object.entries(args).map(([name, value]) => [back.get(name) ?? name, value]));
  return difference.toArgs?.(named, live) ?? named;
}

function path({ path: given }: Json): string {
  return textOf(given) ?? "";
}

/** A command that ends with another status than 0 has run all the same. */
function toExit(result: BuiltinResult): ToolResult {
  const { outcome } = result;
  if (outcome?.what !== "exited") return result;
  const text = `${outcome.output}<exited with exit code ${outcome.code}>${outcome.notes}`;
  return { ...reword(result, text), resultType: "success" };
}

function done(result: ToolResult, text: string): ToolResult {
  return result.resultType === "success" ? reword(result, text) : result;
}

async function toView(result: BuiltinResult, { args, live }: Called): Promise<ToolResult> {
  const { outcome } = result;
  const file = resolve(live.cwd, path(args));
  switch (outcome?.what) {
    case "image":
      return viewImage(outcome.mimeType, args, file, live);
    case "missing":
      return failed(`Path ${path(args)} does not exist. Please provide a valid path.`);
    case "empty":
      return reword(result, "1. ");
    case "folder": {
      if (outcome.entries.length === 0) return result;
      const names = outcome.entries.flatMap((entry) => (entry.path.includes("/") ? [] : [entry.path]));
      return reword(result, [...names, ...noteLeft(outcome.left)].join("\n"));
    }
    case "lines": {
      const lines = outcome.lines.map((line) => `${line.number}. ${lineText(line)}`);
      const isWhole = args.view_range === undefined && outcome.next === null;
      if (isWhole && (await endsInNewline(file))) lines.push(`${lines.length + 1}. `);
      return reword(result, lines.join("\n"));
    }
    default:
      return result;
  }
}

async function endsInNewline(file: string): Promise<boolean> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  return bytes.at(-1) === 10;
}

/** Pictures are seen with the same tool: they follow in a message of their own. */
async function viewImage(mimeType: string, args: Json, file: string, live: Live): Promise<ToolResult> {
  const data = (await readFile(file)).toString("base64");
  live.session.send(`Image file at path ${path(args)}`, {
    mode: "immediate",
    source: "notification",
    attachments: [{ type: "file", mimeType, data, name: null }],
  });
  return { textResultForLlm: "Viewed image file successfully.", resultType: "success" };
}

function failed(text: string): ToolResult {
  return { textResultForLlm: text, resultType: "failure", error: text };
}

/** Found places in the words of the call: under a whole path, whole paths. */
function toGrep(result: BuiltinResult, { args, live }: Called): ToolResult {
  if (!path(args).startsWith("/")) return result;
  return eachPlace(result, (place) => (place.startsWith("/") ? place : join(live.cwd, "/") + place));
}

function eachPlace(result: BuiltinResult, change: (place: string) => string): ToolResult {
  const { outcome } = result;
  if (outcome?.what !== "places") return result;
  const write = ({ place, rest }: PlacedLine): string => (place === null ? rest : change(place) + rest);
  return reword(result, joinPlaces(outcome, write));
}

/** Nothing is said of an argument that these models do not know. */
function toExisting(result: BuiltinResult, args: Json): ToolResult {
  if (result.outcome?.what !== "exists") return result;
  return failed(`Path ${path(args)} already exists. Change it with edit, or choose another path.`);
}
