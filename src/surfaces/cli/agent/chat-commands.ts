import { sourced } from "../../../core/codes/origin.ts";
import type { StoredEvent } from "../../../core/events/envelope.ts";
import { foldJournal } from "../../../core/events/fold-journal.ts";
import type { RunLimits } from "../../../runtime/loop/run-types.ts";
import { toModelPlace } from "../../../runtime/models/model-place.ts";
import { findExplanations } from "../../../runtime/report/explanation-rows.ts";
import { toTimeline } from "../../../runtime/report/session-timeline.ts";
import type { AgentSession } from "../../../runtime/session/open-agent.ts";
import { PLAN_FILE } from "../../../sources/host.ts";
import { escapeLines, escapeText } from "../../../system/text/escape-text.ts";
import { formatToolset } from "../ask/toolset-text.ts";
import { formatExplanations } from "../ask/why-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { NO_OVERRIDES, readOverrides, stackOverrides } from "../command-line/overrides.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { reportOnce } from "../servers/source-reports.ts";
import { exportEvents } from "../stored/export-events.ts";
import { adviseName } from "../terminal/name-list.ts";
import { formatTable } from "../terminal/table.ts";

/** A conversation, and the line of it that is being worked on. */
export interface Chat {
  readonly input: CommandInput;
  readonly agent: AgentSession;
  /** What happened in it so far. */
  readonly events: () => Promise<readonly StoredEvent[]>;
  readonly limits: Partial<RunLimits>;
  /** Aborted when the line is given up. */
  readonly signal: AbortSignal;
  /** Servers are there, or are not waited for any longer. */
  readonly ready: Promise<void>;
}

interface ChatCommand {
  /** As help writes it; in brackets where it can be left out. */
  readonly operand: string;
  readonly text: string;
  /** It does not wait for its turn when it is said while the model works. */
  readonly isAtOnce?: true;
  /** What to print; null: the conversation ends. */
  run(chat: Chat, operand: string): string | null | Promise<string>;
}

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  help: { operand: "", text: "this list", run: formatHelp },
  tools: {
    operand: "",
    text: "the tools, and which of them the model sees",
    run: ({ input, agent: { session } }) => formatToolset(session.toolset, session.toolset.placements, input.io),
  },
  why: {
    operand: "TOOL",
    text: "why a tool is there or not, and what to change",
    run: ({ input, agent: { session } }, name) =>
      formatExplanations(name, findExplanations(session.toolset, name, reportOnce(session)), input.io),
  },
  agents: {
    operand: "[stop ID]",
    text: "the agents that can work for the model, and those that did; stop ends one, also while the model works",
    isAtOnce: true,
    run: lookAfterAgents,
  },
  skills: { operand: "", text: "the skills, and which of them are active", run: formatSkills },
  plan: {
    operand: "",
    text: "the plan that the model keeps",
    run: async ({ events }) => {
      const plan = foldJournal(await events()).files.get(PLAN_FILE);
      return plan === undefined
        ? "There is no plan. The model can keep one where the conversation is kept (--keep).\n"
        : `${escapeLines(plan.trimEnd())}\n`;
    },
  },
  agent: { operand: "[NAME]", text: "which agent works, another one from now on, or default", run: chooseAgent },
  model: { operand: "[ID]", text: "which model it is, or another one from now on", run: chooseModel },
  compact: {
    operand: "",
    text: "make the older part of the conversation shorter",
    run: async ({ agent, signal }) =>
      (await agent.compact(signal)) ? "The older part is shorter now.\n" : "There is nothing to shorten yet.\n",
  },
  now: {
    operand: "TEXT",
    text: "say it while the model works: calls that can be are cancelled, and the run goes on with it",
    isAtOnce: true,
    run: ({ agent }, text) => {
      agent.send(text, { mode: "immediate" });
      return "";
    },
  },
  undo: {
    operand: "",
    text: "take back what you said last and everything since; what tools did stays done",
    run: async ({ agent, events }) => {
      const last = findLastSaid(await events());
      if (last === null || (await agent.truncate(last.seq)) === 0) return "There is nothing to take back.\n";
      return `Taken back: ${escapeText(last.text)}\n`;
    },
  },
  export: {
    operand: "FILE",
    text: "write the conversation to a new file: .md, .html or .jsonl",
    run: async ({ input, agent, events }, file) => {
      const { id, config } = agent.session;
      const path = await exportEvents(id, await events(), file, input.io.cwd, config);
      return `Written to ${escapeText(path)}.\n`;
    },
  },
  exit: { operand: "", text: "end the conversation", run: () => null },
};

/** What a person said last that still counts. */
function findLastSaid(events: readonly StoredEvent[]): { readonly seq: number; readonly text: string } | null {
  const counting = new Set(foldJournal(events).history.map(({ seq }) => seq));
  const said = toTimeline(events).filter(
    ({ seq, kind, title, agent }) => kind === "user" && title === "user" && agent === null && counting.has(seq),
  );
  return said.at(-1) ?? null;
}

const SPELLING = /^\/([\w-]*)(?:\s+(.*))?$/s;

/** A path at the start of a prompt is none. */
export function isChatCommand(said: string): boolean {
  return SPELLING.test(said);
}

/** One of the conversation's own, before which no prompt of that name comes. */
export function isOwnCommand(said: string): boolean {
  return Object.hasOwn(COMMANDS, SPELLING.exec(said)?.[1] ?? "");
}

/** False: the conversation ends. Throws `usage.invalid` with what to write instead. */
export async function runChatCommand(chat: Chat, said: string): Promise<boolean> {
  const [, name = "", operand = ""] = SPELLING.exec(said) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const known = [...Object.keys(COMMANDS), ...chat.agent.session.config.commands.keys()].map((one) => `/${one}`);
    throw usage(`there is no command /${name}; ${adviseName(`/${name}`, known, "").text}`);
  }
  if (command.operand === "" && operand !== "") throw usage(`/${name} has no use for ${JSON.stringify(operand)}`);
  if (/^\w/.test(command.operand) && operand === "") throw usage(`/${name} needs ${command.operand}`);
  const text = await command.run(chat, operand.trim());
  if (text !== null) chat.input.io.out(text);
  return text !== null;
}

function formatHelp({ input: { io }, agent: { session } }: Chat): string {
  const rows = Object.entries(COMMANDS).map(([name, { operand, text }]) => [`/${name} ${operand}`.trim(), text]);
  const prompts = [...session.config.commands].flatMap(([name, { argumentHint, description }]) =>
    Object.hasOwn(COMMANDS, name) ? [] : [[`/${name} ${argumentHint ?? ""}`.trim(), description ?? ""]],
  );
  return toTable(["COMMAND", "MEANING"], [...rows, ...prompts], io.columns);
}

async function lookAfterAgents(chat: Chat, operand: string): Promise<string> {
  if (operand === "") return formatAgents(chat);
  const { agents } = chat.agent;
  const [verb, id = "", ...more] = operand.split(/\s+/);
  if (verb !== "stop" || id === "" || more.length > 0) throw usage("write /agents, or /agents stop ID");
  if (await agents.stop(id)) return `${escapeText(id)} was stopped.\n`;
  const live = (await agents.list()).filter(({ status }) => status === "running" || status === "waiting");
  const known = live.map((one) => one.id);
  throw usage(`no agent ${id} is at work; ${adviseName(id, known, "nobody is").text}`);
}

/** What is said while the model works waits for its turn, save for these commands. */
export function isAtOnce(said: string): boolean {
  const [, name = ""] = SPELLING.exec(said.trim()) ?? [];
  return Object.hasOwn(COMMANDS, name) && COMMANDS[name]?.isAtOnce === true;
}

/** With no run to say it into, it is a message like any other. */
export function withoutNow(said: string): string {
  const [, name, operand = ""] = SPELLING.exec(said) ?? [];
  return name === "now" && operand !== "" ? operand : said;
}

async function formatAgents({ input, agent: { agents } }: Chat): Promise<string> {
  const known = agents.known().map(({ name, description }) => [name, description]);
  const started = (await agents.list()).map(({ id, status, description }) => [id, status, description]);
  const { columns } = input.io;
  const first = toTable(["AGENT", "DESCRIPTION"], known, columns);
  return started.length === 0 ? first : `${first}\n${toTable(["STARTED", "STATUS", "TASK"], started, columns)}`;
}

function formatSkills({ input, agent: { session } }: Chat): string {
  const rows = session.toolset.scene.skills.map(({ name, active, description }) => [
    name,
    active ? "active" : "",
    description ?? "",
  ]);
  return rows.length === 0
    ? "There are no skills.\n"
    : toTable(["SKILL", "STATE", "DESCRIPTION"], rows, input.io.columns);
}

/** The last column gives way on a narrow terminal. */
function toTable(headings: readonly string[], rows: readonly (readonly string[])[], width: number | null): string {
  const columns = headings.map((heading, at) => ({ heading, shrinks: at === headings.length - 1 }));
  const cells = rows.map((row) => row.map(escapeText));
  return `${formatTable(columns, cells, width).join("\n")}\n`;
}

async function chooseAgent({ agent: { session } }: Chat, name: string): Promise<string> {
  if (name !== "") {
    const agent = name === "default" ? null : sourced(name, { kind: "flag", flag: "/agent" } as const);
    await session.reconfigure({ ...session.config, agent });
  }
  return `The agent is ${escapeText(session.config.agent?.value ?? "the default one")}.\n`;
}

/** Read like `--model`, so that managed policy has the last word here too. */
async function chooseModel({ input, agent: { session } }: Chat, id: string): Promise<string> {
  if (id !== "") {
    const { findModel } = await import("../../../runtime/models/find-model.ts");
    const flag = { ...NO_OVERRIDES, model: sourced(id, { kind: "flag", flag: "/model" }) };
    const config = await loadAsked(input, stackOverrides(readOverrides(input.args), flag));
    const { model } = config;
    if (model !== null) await findModel(model.value.id, model.value.provider, toModelPlace(input.io, config));
    await session.reconfigure({ ...session.config, model });
  }
  return `The model is ${escapeText(session.toolset.scene.model?.id ?? "not chosen")}.\n`;
}
