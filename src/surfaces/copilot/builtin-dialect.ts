import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { reword, type ToolResult } from "../../core/call/tool-result.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { derive } from "../../runtime/session/with-client.ts";
import type { Source } from "../../sources/source.ts";
import { AGENT_DIFFERENCES, agentNames } from "./agent-dialect.ts";
import { CONVERSATION_DIFFERENCES } from "./conversation-dialect.ts";
import type { Called, Difference } from "./difference.ts";
import type { Live } from "./live.ts";
import { type Json, recordOf, textOf } from "./wire-values.ts";

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
export function createDialect(live: () => Live): (builtins: Source) => Source {
  return (source) => {
    let seen: { readonly own: readonly Tool[]; readonly key: string; readonly tools: readonly Tool[] } | null = null;
    return derive(source, {
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
        return (await difference?.toResult?.(result, { args, live: live(), context })) ?? result;
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
function toExit(result: ToolResult): ToolResult {
  const { state, exitCode } = recordOf(result.structured);
  const mark = `[exit code ${String(exitCode)}]`;
  const at = result.textResultForLlm.lastIndexOf(mark);
  if (state !== "ended" || typeof exitCode !== "number" || at < 0) return result;
  const [before, after] = [result.textResultForLlm.slice(0, at), result.textResultForLlm.slice(at + mark.length)];
  const { error: _, ...rest } = reword(result, `${before}<exited with exit code ${exitCode}>${after}`);
  return { ...rest, resultType: "success" };
}

function done(result: ToolResult, text: string): ToolResult {
  return result.resultType === "success" ? reword(result, text) : result;
}

async function toView(result: ToolResult, { args, live }: Called): Promise<ToolResult> {
  const text = result.textResultForLlm;
  const whole = resolve(live.cwd, path(args));
  if (result.resultType !== "success") return viewFailure(result, args, whole, live);
  if (/^[^\n]* is empty\.$/.test(text)) return reword(result, "1. ");
  const folder = /^(?:The workspace|.*), 2 levels deep:\n/.exec(text);
  if (folder !== null) {
    const entries = text.slice(folder[0].length).split("\n");
    const names = entries.map((line) => line.replace(/ {2}[\d.]+ \w+$| ->$|\/$/, ""));
    return reword(result, names.filter((name) => !name.includes("/")).join("\n"));
  }
  const lines = text.replace(/\n\[Lines \d+ to \d+ of [^\]]*\]$/, "").replace(/^(\d+)\t/gm, "$1. ");
  const isWhole = args.view_range === undefined && !text.includes("Go on with view_range");
  const tail = isWhole && (await endsInNewline(whole)) ? `\n${lines.split("\n").length + 1}. ` : "";
  return reword(result, lines + tail);
}

async function endsInNewline(file: string): Promise<boolean> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  return bytes.at(-1) === 10;
}

const IMAGE = / is an image \(([\w/+.-]+), \d+ bytes\); see it with view_image\.$/;

/** Pictures are seen with the same tool: they follow in a message of their own. */
async function viewFailure(result: ToolResult, args: Json, file: string, live: Live): Promise<ToolResult> {
  const [, mimeType] = IMAGE.exec(result.textResultForLlm) ?? [];
  if (mimeType !== undefined) {
    const data = (await readFile(file)).toString("base64");
    live.session.send(`Image file at path ${path(args)}`, {
      mode: "immediate",
      source: "notification",
      attachments: [{ type: "file", mimeType, data, name: null }],
    });
    return { textResultForLlm: "Viewed image file successfully.", resultType: "success" };
  }
  if (!/ does not exist\./.test(result.textResultForLlm)) return result;
  const text = `Path ${path(args)} does not exist. Please provide a valid path.`;
  return { textResultForLlm: text, resultType: "failure", error: text };
}

/** Found places in the words of the call: under a whole path, whole paths. What a line says stays as it is. */
function toGrep(result: ToolResult, { args, live }: Called): ToolResult {
  if (!path(args).startsWith("/")) return result;
  return eachPlace(result, (line) => (/^[/-]/.test(line) ? line : join(live.cwd, "/") + line));
}

/** Changes the lines that name a place; notes stand in brackets, and that there is nothing in words. */
function eachPlace(result: ToolResult, change: (line: string) => string): ToolResult {
  const text = result.textResultForLlm;
  if (/^No (?:matches|files match)\.(?:\n|$)/.test(text)) return result;
  return done(result, text.replace(/^[^[\n].*/gm, change));
}

/** Nothing is said of an argument that these models do not know. */
function toExisting(result: ToolResult, args: Json): ToolResult {
  if (!/ exists already\. /.test(result.textResultForLlm)) return result;
  const text = `Path ${path(args)} already exists. Change it with edit, or choose another path.`;
  return { textResultForLlm: text, resultType: "failure", error: text };
}
