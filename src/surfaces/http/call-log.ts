import type { Redactor } from "../../runtime/audit/redact-value.ts";
import type { SessionEvent } from "../../runtime/session/events.ts";
import { revealText } from "../../system/text/reveal-text.ts";
import type { CallView } from "./api.ts";
import type { Teller } from "./event-feed.ts";
import { toShown } from "./shown-value.ts";

/** The newest calls of all clients. */
export interface CallLog {
  /** True when it is about a call. */
  record(teller: Teller, event: SessionEvent): boolean;
  /** Newest first, without what is secret. */
  list(redactor: Redactor): readonly CallView[];
}

interface Logged {
  readonly id: string;
  readonly client: string;
  readonly started: number;
  tool: string;
  arguments: unknown;
  duration: number | null;
  state: string;
  decision: CallView["decision"];
  result: { readonly type: string; readonly text: string } | null;
}

const MAX_CALLS = 500;
const MAX_RESULT = 2_000;

/** Bounded in number and in size: what a call sent and got is cut when it is noted, and cleaned when it is shown. */
export function createCallLog(now: () => number = Date.now): CallLog {
  const calls = new Map<string, Logged>();
  /** A refused call never starts, so whatever comes first begins its entry. */
  const open = (teller: Teller, id: string, tool: string): Logged => {
    const key = `${teller.id} ${id}`;
    const known = calls.get(key);
    if (known !== undefined && known.duration === null) return known;
    const fresh: Logged = {
      id,
      client: teller.label,
      started: now(),
      tool,
      arguments: null,
      duration: null,
      state: "judging",
      decision: null,
      result: null,
    };
    // A client may use an id again; then the older call makes room.
    calls.delete(key);
    calls.set(key, fresh);
    const [oldest] = calls.size > MAX_CALLS ? calls.keys() : [];
    if (oldest !== undefined) calls.delete(oldest);
    return fresh;
  };
  return {
    record(teller, event) {
      switch (event.type) {
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
        case "tool.execution_start": {
          const call = open(teller, event.data.toolCallId, event.data.toolName);
          call.tool = event.data.toolName;
          call.arguments = toShown(event.data.arguments, ARGUMENTS);
          call.state = "running";
          return true;
        }
        case "tool.execution_complete": {
          const { toolCallId, toolName, resultType, content, duration } = event.data;
          const call = open(teller, toolCallId, toolName);
          // One that was refused never started, and people want to know what it would have been.
          if (call.state !== "running") call.arguments = toShown(event.data.arguments, ARGUMENTS);
          call.duration = duration;
          call.state = "done";
          call.result = { type: resultType, text: cutCopy(content, MAX_RESULT) };
          return true;
        }
        default:
          return false;
      }
    },
    list: (redactor) => [...calls.values()].reverse().map((call) => toView(call, redactor)),
  };
}

const ARGUMENTS = { characters: 4_000, values: 200 } as const;

function toView(call: Logged, redactor: Redactor): CallView {
  const { id, client, started, tool, duration, state, decision, result } = call;
  const shown = (text: string): string => revealText(redactor.text(text));
  return {
    id: revealText(id),
    client,
    tool: revealText(tool),
    arguments: redactor.value(call.arguments),
    started,
    duration,
    state,
    decision: decision === null ? null : { ...decision, text: shown(decision.text) },
    result: result === null ? null : { ...result, text: shown(result.text) },
  };
}

/** A part of a large text keeps all of it in memory, unless it is copied. */
function cutCopy(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${Buffer.from(text.slice(0, most), "utf16le").toString("utf16le")}…`;
}
