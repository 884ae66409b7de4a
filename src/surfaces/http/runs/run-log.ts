import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { Redactor } from "../../../runtime/audit/redact-value.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import type { RunAgent, RunCall, RunDetails, RunEntry, RunView } from "../api/api.ts";
import type { Teller } from "../api/event-feed.ts";
import { noteEvent } from "./note-event.ts";
import { addUsed, NO_USAGE, type NotedCall, type NotedEntry } from "./run-parts.ts";
import { createRunBook, type RunBook, type RunRecord } from "./run-record.ts";

/** What is known about runs in addition to their events. */
export interface LiveRuns {
  /** Sessions that wait for somebody. */
  readonly waiting: ReadonlySet<string>;
  isOpen(id: string): boolean;
}

/** The newest sessions in this process that talk to a model, however they were started. */
export interface RunHistory {
  /** A run that was started and has no message yet. */
  expect(id: string, label: string, prompt: string): void;
  /** True if it is about a run. */
  record(teller: Teller, event: SessionEvent): boolean;
  /** Newest first, without secrets. */
  list(redactor: Redactor, live: LiveRuns): readonly RunView[];
  find(id: string, redactor: Redactor, live: LiveRuns): RunDetails | null;
}

const MOST_RUNS = 50;
/** Events that show that a session talks to a model. */
const FIRST: ReadonlySet<string> = new Set(["user.message", "system.notification", "assistant.turn_start"]);

/** Bounded in number and size; texts are cleaned when they are shown, each once. */
export function createRunLog(): RunHistory {
  const runs = new Map<string, RunBook>();
  const shown = new WeakMap<NotedEntry, { readonly version: number; readonly by: Redactor; readonly view: RunEntry }>();
  const keep = (id: string, book: RunBook): void => {
    if (runs.size >= MOST_RUNS) drop(runs);
    runs.set(id, book);
  };
  const open = (teller: Teller, event: SessionEvent) => {
    const known = runs.get(teller.id);
    if (known !== undefined || !FIRST.has(event.type)) return known;
    const fresh = createRunBook(teller.id, teller.label, event.at);
    keep(teller.id, fresh);
    return fresh;
  };
  const toEntry = (entry: NotedEntry, redactor: Redactor): RunEntry => {
    const last = shown.get(entry);
    if (last?.version === entry.version && last.by === redactor) return last.view;
    const view = toEntryView(entry, redactor);
    shown.set(entry, { version: entry.version, by: redactor, view });
    return view;
  };
  return {
    expect(id, label, prompt) {
      if (runs.has(id)) return;
      const book = createRunBook(id, label, Date.now());
      Object.assign(book.record, { prompt, isRunning: true });
      keep(id, book);
    },
    record(teller, event) {
      const book = open(teller, event);
      return book !== undefined && noteEvent(book, event);
    },
    list: (redactor, live) =>
      [...runs.values()]
        .map(({ record }) => toRunView(record, redactor, live))
        .sort((one, other) => other.started - one.started),
    find(id, redactor, live) {
      const found = runs.get(id);
      if (found === undefined) return null;
      const { record } = found;
      return {
        run: toRunView(record, redactor, live),
        agents: inOrder(record).map((agent) => toAgentView(agent, redactor)),
        entries: record.entries.map((entry) => toEntry(entry, redactor)),
        isCut: record.isCut,
      };
    },
  };
}

/** The oldest that is over; if none is, the oldest. */
function drop(runs: Map<string, RunBook>): void {
  const idle = [...runs].find(([, { record }]) => !record.isRunning);
  const [gone] = idle ?? [...runs.keys()];
  if (gone !== undefined) runs.delete(gone);
}

/** Each after the one that started it, siblings in sequence. */
function inOrder({ agents }: RunRecord): readonly RunAgent[] {
  const below = new Map<string | null, RunAgent[]>();
  for (const agent of agents.values())
    if (agent.id !== null) below.set(agent.parent, [...(below.get(agent.parent) ?? []), agent]);
  const walk = (agent: RunAgent): readonly RunAgent[] => [agent, ...(below.get(agent.id) ?? []).flatMap(walk)];
  const own = agents.get(null);
  return own === undefined ? [] : walk(own);
}

function toRunView(record: RunRecord, redactor: Redactor, { waiting, isOpen }: LiveRuns): RunView {
  const { id, label, prompt, model, started, changed, isRunning, stopReason, error, calls, agents } = record;
  const text = cleaner(redactor);
  return {
    ...{ id, started, changed, stopReason, calls },
    label: text(label),
    prompt: text(prompt),
    model: model === null ? null : text(model),
    state: !isRunning ? "idle" : waiting.has(id) ? "waiting" : "running",
    error: error === null ? null : text(error),
    used: [...agents.values()].reduce((sum, { used }) => addUsed(sum, used), NO_USAGE),
    agents: agents.size - 1,
    isOpen: isOpen(id),
  };
}

function toAgentView(agent: RunAgent, redactor: Redactor): RunAgent {
  const text = cleaner(redactor);
  const { id, name, parent, description, team, error } = agent;
  return {
    ...agent,
    id: id === null ? null : text(id),
    name: text(name),
    parent: parent === null ? null : text(parent),
    description: text(description),
    team: team === null ? null : text(team),
    error: error === null ? null : text(error),
  };
}

function toEntryView({ version: _, size: __, ...entry }: NotedEntry, redactor: Redactor): RunEntry {
  const text = cleaner(redactor);
  const agent = entry.agent === null ? null : text(entry.agent);
  if (entry.kind !== "turn") return { ...entry, agent, text: text(entry.text) };
  const { model, thoughts, calls } = entry;
  return {
    ...entry,
    agent,
    model: model === null ? null : text(model),
    text: text(entry.text),
    thoughts: text(thoughts),
    calls: calls.map((call) => toCallView(call, redactor)),
  };
}

function toCallView(call: NotedCall, redactor: Redactor): RunCall {
  const text = cleaner(redactor);
  const { id, tool, progress, result, agent } = call;
  return {
    ...call,
    id: text(id),
    tool: text(tool),
    arguments: redactor.value(call.arguments),
    progress: progress === null ? null : text(progress),
    result: result === null ? null : text(result),
    agent: agent === null ? null : text(agent),
    inside: call.inside.map((inner) => toCallView(inner, redactor)),
  };
}

function cleaner(redactor: Redactor): (text: string) => string {
  return (text) => revealText(redactor.text(text));
}
