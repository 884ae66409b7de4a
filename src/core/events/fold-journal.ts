import { isAnsweredByAnybody } from "./cut-calls.ts";
import type { KnownEvent, SessionEvent, StoredEvent } from "./envelope.ts";
import { EPHEMERAL, type EventName } from "./event-types.ts";
import { addToHistory } from "./history.ts";
import { EMPTY_STATE, type JournalState, type QuestionKind } from "./journal-state.ts";
import type { StoredOptions } from "./state-events.ts";

/** A session's state that grows with its events. */
export interface Fold {
  /** The state so far; a later event does not change a state that was handed out. */
  readonly state: JournalState;
  /** Applies the next event; one it has seen already changes nothing. */
  apply(event: StoredEvent): void;
}

/** The state after these events, from the start or from an earlier state. Law: a replay gives the live state (S1). */
export function foldJournal(events: Iterable<StoredEvent>, from: JournalState = EMPTY_STATE): JournalState {
  const fold = createFold(from);
  for (const event of events) fold.apply(event);
  return fold.state;
}

export function createFold(from: JournalState = EMPTY_STATE): Fold {
  const draft = copy(from);
  return {
    get state() {
      return copy(draft);
    },
    apply(event) {
      if (event.seq <= draft.seq) return;
      draft.seq = event.seq;
      draft.last = event.id;
      if (isKnown(event)) take(draft, event);
      else if (event.critical) draft.readOnly ??= { type: event.type, seq: event.seq };
    },
  };
}

/** From here on the call may have had an effect. */
function beginsToRun(draft: Draft, { data }: { readonly data: { readonly toolCallId: string } }): void {
  const call = draft.calls.get(data.toolCallId);
  if (call) draft.calls.set(data.toolCallId, { ...call, running: true });
}

type Draft = ReturnType<typeof copy>;
type EventOf<Name extends EventName> = Extract<SessionEvent, { readonly type: Name }>;
type Folds = { readonly [Name in EventName]?: (draft: Draft, event: Omit<EventOf<Name>, "ephemeral">) => void };

/** What each type does to the session's own state. A subagent's own events change none of it. */
const OWN: Folds = {
  "session.started": (draft, { data }) => setOptions(draft, data.options),
  "session.resumed": (draft, { data }) => setOptions(draft, data.options),
  "session.options_changed": (draft, { data }) => setOptions(draft, data.options),
  "session.mode_changed": (draft, { data }) => setOptions(draft, { mode: data.newMode }),
  "session.promotions_changed": (draft, { data }) => {
    draft.promotions = data.promotions;
  },
  "session.world_changed": (draft, { data }) => {
    draft.tools = data.tools;
  },
  "session.database_changed": (draft, { data }) => {
    draft.database = data.image;
  },
  "session.file_changed": (draft, { data: { path, content } }) => {
    if (content === null) draft.files.delete(path);
    else draft.files.set(path, content);
  },
  "session.todo_changed": (draft, { data }) => {
    draft.todo = data.items;
  },
  "tool.result_kept": (draft, { data }) => void draft.results.add(data.id),
  "session.forked": (draft, { data }) => {
    draft.forkedFrom = { session: data.from, at: data.at };
    // What ran or was asked before belongs to the original session.
    draft.calls.clear();
    draft.questions.clear();
  },
  "skill.invoked": (draft, { data }) => void draft.skills.add(data.name),
  "permission.granted": (draft, { data }) => void draft.grants.set(data.grant.id, data.grant),
  "permission.revoked": (draft, { data }) => void draft.grants.delete(data.grantId),
};

/** Types that count no matter which agent they happened in. */
const ALL: Folds = {
  "permission.requested": asks("permission"),
  "permission.completed": answers,
  "user_input.requested": asks("user_input"),
  "user_input.completed": answers,
  "elicitation.requested": asks("elicitation"),
  "elicitation.completed": answers,
  "plan.requested": asks("plan"),
  "plan.completed": answers,
  "external_tool.requested": (draft, event) => {
    if (isAnsweredByAnybody(event)) asks("external_tool")(draft, event);
    beginsToRun(draft, event);
  },
  "external_tool.completed": answers,
  "tool.execution_start": (draft, { seq, agent, data: { toolCallId, toolName, parentToolCallId } }) =>
    void draft.calls.set(toolCallId, { toolName, seq, agent, parentToolCallId, running: false }),
  "tool.running": (draft, event) => beginsToRun(draft, event),
  "tool.execution_complete": (draft, { data: { toolCallId } }) => {
    draft.calls.delete(toolCallId);
    for (const [id, asked] of draft.questions) if (asked.toolCallId === toolCallId) draft.questions.delete(id);
  },
  "assistant.usage": (draft, { agent, data: { inputTokens, outputTokens, cachedTokens, cost } }) => {
    const before = draft.usage.get(agent ?? "") ?? NOTHING_USED;
    draft.usage.set(agent ?? "", {
      requests: before.requests + 1,
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
      cachedTokens: before.cachedTokens + cachedTokens,
      cost: before.cost + (cost ?? 0),
    });
  },
};

const NOTHING_USED = { requests: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, cost: 0 };

function take(draft: Draft, event: KnownEvent): void {
  const fold = ((event.agent === null ? OWN[event.type] : undefined) ?? ALL[event.type]) as
    | ((draft: Draft, event: KnownEvent) => void)
    | undefined; // The table ties the fold to its type.
  fold?.(draft, event);
  addToHistory(draft.history, event);
}

/** Whether this version knows the type. */
export function isKnown(event: StoredEvent): event is StoredEvent & KnownEvent {
  return Object.hasOwn(EPHEMERAL, event.type) && typeof event.data === "object" && event.data !== null;
}

function asks(kind: QuestionKind) {
  type Asked = { readonly requestId: string; readonly toolCallId: string | null; readonly about?: string };
  return (draft: Draft, { seq, data }: { readonly seq: number; readonly data: Asked }): void => {
    const { toolCallId, about } = data;
    draft.questions.set(data.requestId, { kind, seq, toolCallId, ...(about === undefined ? {} : { about }) });
  };
}

function answers(draft: Draft, { data }: { readonly data: { readonly requestId: string | null } }): void {
  if (data.requestId !== null) draft.questions.delete(data.requestId);
}

function setOptions(draft: Draft, changed: StoredOptions): void {
  const all = Object.entries({ ...draft.options, ...changed });
  draft.options = Object.fromEntries(all.filter(([, value]) => value !== null));
}

function copy(state: JournalState) {
  return {
    ...state,
    history: [...state.history],
    skills: new Set(state.skills),
    results: new Set(state.results),
    grants: new Map(state.grants),
    files: new Map(state.files),
    questions: new Map(state.questions),
    calls: new Map(state.calls),
    usage: new Map(state.usage),
  };
}
