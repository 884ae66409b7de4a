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
import type { RunContext, Source } from "../../../sources/source.ts";
import type { AskingCalls } from "../clients/client-questions.ts";
import type { SessionCore } from "../state/session-core.ts";
import { type Json, numberOf, recordOf, textOf, textsOf } from "../wire/wire-values.ts";

/** What built-in tools of a session need to know. */
interface DialectParts {
  readonly core: SessionCore;
  readonly asking: AskingCalls;
}

/** One call: its arguments as the model wrote them. */
interface Called extends DialectParts {
  readonly args: Json;
  readonly context: RunContext;
}

/** How one built-in tool differs for these clients from ours. */
interface Difference {
  /** Arguments of ours that are called otherwise: theirs by ours. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Further or other arguments, as JSON Schema. */
  readonly properties?: Json;
  readonly required?: readonly string[];
  /** Arguments of ours that they do not have. */
  readonly without?: readonly string[];
  readonly toArgs?: (args: Json, called: Called) => Json;
  readonly toResult?: (result: BuiltinResult, called: Called) => ToolResult | Promise<ToolResult>;
}

const FILE_DIFFERENCES: Readonly<Record<string, Difference>> = {
  bash: {
    properties: { mode: { type: "string", enum: ["sync", "async", "detached"], description: "sync waits" } },
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

const choices = { type: "array", items: { type: "string" } } as const;

/** Tools about the conversation itself, and those with which a model has other agents work for it. */
const SESSION_DIFFERENCES: Readonly<Record<string, Difference>> = {
  skill: { renamed: { name: "skill" }, toResult: toSkill },
  ask_user: {
    properties: { choices, allow_freeform: { type: "boolean", description: "Whether other answers are fine" } },
    toArgs({ allow_freeform, ...args }, { asking, context }) {
      asking.set(context.toolCallId, { allowFreeform: allow_freeform !== false });
      return args;
    },
    toResult(result, { asking, context }) {
      const { outcome } = result;
      if (outcome?.what !== "answered" || outcome.answer.trim() === "") return result;
      const isFree = asking.get(context.toolCallId)?.wasFreeform === true;
      return reword(result, `${isFree ? "User responded: " : "User selected: "}${outcome.answer}`);
    },
  },
  exit_plan_mode: {
    renamed: { plan: "summary" },
    properties: { actions: choices, recommendedAction: { type: "string" } },
    required: ["summary"],
    toArgs({ actions, recommendedAction, ...args }, { asking, context }) {
      asking.set(context.toolCallId, { actions: textsOf(actions), recommendedAction: textOf(recommendedAction) });
      return args;
    },
    async toResult(result, { core, asking, context }) {
      if (result.outcome?.what !== "plan-approved") return result;
      if (core.mode === "autopilot") await core.session.updateOptions({ mode: "autopilot" });
      const isLast = asking.get(context.toolCallId)?.selectedAction === "exit_only";
      return reword(result, `Plan approved! Exited plan mode.\n\n${isLast ? WAIT : toGoSignal(core.mode)}`);
    },
  },
  task: {
    renamed: { agent: "agent_type" },
    properties: { mode: { type: "string", enum: ["sync", "background"], description: "sync waits for its answer" } },
    toArgs: ({ mode, ...args }) => ({ ...args, mode: mode === "background" ? "background" : "wait" }),
    toResult: toTask,
  },
  read_agent: { renamed: { id: "agent_id" }, toResult: toReport },
  send_to_agent: { renamed: { id: "agent_id" } },
  stop_agent: { renamed: { id: "agent_id" } },
};

const DIFFERENCES: ReadonlyMap<string, Difference> = new Map(
  Object.entries({ ...FILE_DIFFERENCES, ...SESSION_DIFFERENCES }),
);

/** Our built-in tools as these clients' models know them: a table of differences, and the same code behind it. */
export function createDialect(parts: DialectParts): (builtins: BuiltinSource) => Source {
  return (source) => {
    let seen: { readonly own: readonly Tool[]; readonly tools: readonly Tool[] } | null = null;
    return derive<Source>(source, {
      async list(signal) {
        const own = await source.list(signal);
        if (seen?.own !== own) seen = { own, tools: own.map(toTheirs) };
        return seen.tools;
      },
      async foresee(tool, args, context) {
        const difference = DIFFERENCES.get(tool.name);
        const called = { ...parts, args, context };
        const failure = (await source.foresee?.(tool, toOurs(difference, called), context)) ?? null;
        return failure === null ? null : withoutOutcome((await difference?.toResult?.(failure, called)) ?? failure);
      },
      async run(tool, args, context) {
        const difference = DIFFERENCES.get(tool.name);
        const called = { ...parts, args, context };
        try {
          const result = await source.run(tool, toOurs(difference, called), context);
          return withoutOutcome((await difference?.toResult?.(result, called)) ?? result);
        } finally {
          parts.asking.delete(context.toolCallId);
        }
      },
    });
  };
}

/** A built-in tool as these clients' models know it. */
export function toTheirs(tool: Tool): Tool {
  const difference = DIFFERENCES.get(tool.name);
  if (difference === undefined) return tool;
  const { renamed = {}, properties, required, without = [] } = difference;
  const schema = recordOf(tool.inputSchema);
  const own = Object.entries(recordOf(schema.properties)).filter(([name]) => !without.includes(name));
  const names = textsOf(schema.required).map((name) => renamed[name] ?? name);
  const inputSchema = {
    ...schema,
    properties: {
      ...Object.fromEntries(own.map(([name, value]) => [renamed[name] ?? name, value])),
      ...properties,
    },
    required: required ?? names,
  };
  return { ...tool, inputSchema };
}

function toOurs(difference: Difference | undefined, called: Called): Json {
  const { args } = called;
  if (difference === undefined) return args;
  const back = new Map(Object.entries(difference.renamed ?? {}).map(([own, theirs]) => [theirs, own]));
  const named = Object.fromEntries(Object.entries(args).map(([name, value]) => [back.get(name) ?? name, value]));
  return difference.toArgs?.(named, called) ?? named;
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

async function toView(result: BuiltinResult, { args, core }: Called): Promise<ToolResult> {
  const { outcome } = result;
  const file = resolve(core.cwd, path(args));
  switch (outcome?.what) {
    case "image":
      return viewImage(outcome.mimeType, args, file, core);
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
async function viewImage(mimeType: string, args: Json, file: string, core: SessionCore): Promise<ToolResult> {
  const data = (await readFile(file)).toString("base64");
  core.session.send(`Image file at path ${path(args)}`, {
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
function toGrep(result: BuiltinResult, { args, core }: Called): ToolResult {
  if (!path(args).startsWith("/")) return result;
  return eachPlace(result, (place) => (place.startsWith("/") ? place : join(core.cwd, "/") + place));
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

const WAIT = "The user does not want it implemented now. End your response and wait for their next message.";

function toGoSignal(mode: string): string {
  return `You are now in ${mode} mode. Start implementing the plan now, in this same response. Approving the plan is your go-signal, so do not stop to ask whether to proceed or wait for another message.`;
}

/** What a skill says goes into a message of its own, behind the results. */
function toSkill(result: BuiltinResult, { args, core }: Called): ToolResult {
  const { outcome } = result;
  if (outcome?.what !== "skill-loaded") return reword(result, `Skill not found: ${textOf(args.skill) ?? ""}`);
  const { name, folder } = outcome;
  const content = `Base directory for this skill: ${folder}\n\n${outcome.prompt.trim()}`;
  core.session.send(`<skill-context name="${name}">\n${content}\n\n</skill-context>`, {
    mode: "immediate",
    source: "notification",
  });
  return reword(result, `Skill "${name}" loaded successfully. Follow the instructions in the skill context.`);
}

/** Of what our own tools say about an agent, as data. */
function reportOf({ structured }: ToolResult): (Json & { readonly id: string }) | null {
  const report = recordOf(structured);
  return typeof report.id === "string" ? { ...report, id: report.id } : null;
}

function toTask(result: ToolResult): ToolResult {
  const report = reportOf(result);
  if (report === null) return result;
  return reword(
    result,
    `Agent started in background with agent_id: ${report.id}. You'll be notified when it completes. Tell the user you're waiting and end your response, or continue unrelated work until notified.`,
  );
}

function toReport(result: ToolResult): ToolResult {
  const report = reportOf(result);
  if (report === null) return result;
  const { id, agent, status, elapsed, turns, description, text } = report;
  const seconds = Math.round((numberOf(elapsed) ?? 0) / 1_000);
  return reword(
    result,
    `Agent ${String(status)}. agent_id: ${id}, agent_type: ${String(agent)}, status: ${String(status)}, description: ${String(description)}, elapsed: ${seconds}s, total_turns: ${String(turns)}\n\n${textOf(text) ?? ""}`,
  );
}
