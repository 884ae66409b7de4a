import { guessShownName } from "../../../core/catalog/shown-name.ts";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { AuditCall } from "../../../runtime/audit/audit-row.ts";
import type { Redactor } from "../../../runtime/audit/redact-value.ts";
import { createPassingMap } from "../../../system/passing.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import type { CallView } from "../api/api.ts";
import type { Teller } from "../api/event-feed.ts";
import { cutCopy, toShown } from "../api/shown-value.ts";

/** The newest calls of all clients. */
export interface CallHistory {
  /** True if it is about a call. */
  record(teller: Teller, event: SessionEvent): boolean;
  /** A call that a client runs itself, of which only the decision is known. */
  judged(call: Omit<AuditCall, "type"> & { readonly time: string }): void;
  /** Newest first, without secrets. */
  list(redactor: Redactor): readonly CallView[];
}

interface Logged {
  readonly id: string;
  readonly client: string;
  readonly started: number;
  parent: string | null;
  line: CallView["line"] | null;
  tool: string;
  arguments: unknown;
  duration: number | null;
  state: string;
  decision: CallView["decision"];
  result: CallView["result"];
  /** The client's session, for a call that it runs itself. */
  readonly session: string | null;
}

/** Of which nothing else is known yet. Written out: there is one per call. */
function toLogged({
  id,
  client,
  session,
  started,
  tool,
  state,
}: Pick<Logged, "id" | "client" | "session" | "started" | "tool" | "state">): Logged {
  return {
    id,
    client,
    session,
    started,
    tool,
    state,
    parent: null,
    line: null,
    arguments: null,
    duration: null,
    decision: null,
    result: null,
  };
}

const MAX_CALLS = 500;
/** Calls that have begun and not ended. */
const MAX_OPEN = 5_000;
const MAX_RESULT = 2_000;
const MAX_NOTE = 500;

/**
 * Bounded in number and size: arguments and results are cut when they are recorded, and cleaned when they are shown.
 */
export function createCallHistory(now: () => number = Date.now): CallHistory {
  /** A ring: the next call replaces the oldest. */
  const calls: Logged[] = [];
  let next = 0;
  const running = createPassingMap<string, Logged>();
  const push = (call: Logged): void => {
    calls[next] = call;
    next = (next + 1) % MAX_CALLS;
  };
  /** A refused call never starts, so its first event creates its entry. */
  const open = (teller: Teller, id: string, tool: string): Logged => {
    const key = `${teller.id} ${id}`;
    const known = running.get(key);
    if (known !== undefined) return known;
    const fresh = toLogged({ id, client: teller.label, session: null, started: now(), tool, state: "judging" });
    push(fresh);
    const oldest = running.size >= MAX_OPEN ? running.oldest() : undefined;
    if (oldest !== undefined) running.delete(oldest);
    running.set(key, fresh);
    return fresh;
  };
  return {
    record(teller, event) {
      switch (event.type) {
        case "tool.execution_start": {
          const { toolCallId, toolName, parentToolCallId, codeLine } = event.data;
          if (parentToolCallId === null) return false;
          const call = open(teller, toolCallId, toolName);
          call.parent = parentToolCallId;
          call.line = codeLine ?? null;
          return true;
        }
        case "permission.requested":
          open(teller, event.data.toolCallId, event.data.toolName).state = "waiting";
          return true;
        case "permission.completed": {
          const { decision, code, text, origin } = event.data;
          const call = open(teller, event.data.toolCallId, event.data.toolName);
          call.decision = { decision, code, text, origin };
          call.state = decision === "allow" ? "allowed" : "refused";
          return true;
        }
        case "tool.running": {
          const call = open(teller, event.data.toolCallId, event.data.toolName);
          call.tool = event.data.toolName;
          call.arguments = toKept(event.data.arguments);
          call.state = "running";
          return true;
        }
        case "tool.execution_complete": {
          const { toolCallId, toolName, resultType, content, duration, sessionLog } = event.data;
          const call = open(teller, toolCallId, toolName);
          running.delete(`${teller.id} ${toolCallId}`);
          // A refused call never started, and people want to know what it would have been.
          if (call.state !== "running") call.arguments = toKept(event.data.arguments);
          call.duration = duration;
          call.state = "done";
          call.result = {
            type: resultType,
            text: cutCopy(content, MAX_RESULT),
            ...(sessionLog === null ? {} : { note: cutCopy(sessionLog, MAX_NOTE) }),
          };
          return true;
        }
        default:
          return false;
      }
    },
    judged({ time, client, session, call: id, tool, arguments: given, decision }) {
      const call = toLogged({ id, client, session, tool, started: Date.parse(time), state: "judged" });
      call.arguments = toKept(given);
      call.decision = decision;
      push(call);
    },
    list: (redactor) => [...calls.slice(next), ...calls.slice(0, next)].reverse().map((call) => toView(call, redactor)),
  };
}

const ARGUMENTS = { characters: 4_000, values: 200 } as const;
const SMALL = { members: 20, characters: 200 } as const;

/** Most arguments are a few short values and are stored as they are; of anything else, only the shown part. */
function toKept(args: unknown): unknown {
  if (typeof args !== "object" || args === null) return toShown(args, ARGUMENTS);
  let members = 0;
  for (const key in args) {
    const value: unknown = Reflect.get(args, key);
    members += 1;
    const isShort =
      typeof value === "string" ? value.length <= SMALL.characters : typeof value !== "object" || value === null;
    if (members > SMALL.members || key.length > SMALL.characters || !isShort) return toShown(args, ARGUMENTS);
  }
  return args;
}

function toView(call: Logged, redactor: Redactor): CallView {
  const { id, client, session, started, parent, line, tool, duration, state, decision, result } = call;
  const shown = (text: string): string => revealText(redactor.text(text));
  return {
    id: revealText(id),
    ...(parent === null ? {} : { parent: revealText(parent) }),
    ...(line ? { line: { line: line.line, text: shown(line.text) } } : {}),
    ...(session === null ? {} : { session: revealText(session) }),
    client: session === null ? client : revealText(client),
    tool: revealText(guessShownName(tool)),
    arguments: redactor.value(toShown(call.arguments, ARGUMENTS)),
    started,
    duration,
    state,
    decision: decision === null ? null : { ...decision, text: shown(decision.text) },
    result:
      result === null
        ? null
        : { ...result, text: shown(result.text), ...(result.note && { note: shown(result.note) }) },
  };
}
