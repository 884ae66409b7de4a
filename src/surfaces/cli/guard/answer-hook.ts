import { parseJson } from "../../../core/shape/parse-json.ts";
import type { GuardAnswer } from "../../../runtime/guard/guard-call.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { type ClientAnswer, REFUSED, withoutQuestion, writeHookAnswer } from "../../guard/hook-answer.ts";
import { HOOK_CLIENTS, type HookClient, type HookClientName } from "../../guard/hook-clients.ts";
import { EVENT_SHAPES, fieldsOf, type GuardEvent } from "../../guard/hook-event.ts";
import type { HookLogs, HookRow } from "./hook-log.ts";
import type { HookPlace } from "./hook-place.ts";
import { type JudgePorts, judgeEvent } from "./judge-event.ts";

/** The owner of the program, as other rows of their log name them. */
const PRINCIPAL = "main";

/** A client's event as it came. */
export interface HookQuestion {
  readonly client: HookClientName;
  readonly event: string;
}

export interface HookAnswering extends JudgePorts {
  readonly logs: Pick<HookLogs, "write">;
}

/** A client's event that asks for a judgement. */
export interface ReadQuestion {
  readonly client: HookClientName;
  readonly event: GuardEvent;
  /** It came in Claude's shape. */
  readonly isClaude: boolean;
}

/** Answers a client's event, in a process of its own or in one that answers many. What goes wrong is a refusal. */
export async function answerHook(
  place: HookPlace,
  question: HookQuestion,
  ports: HookAnswering,
): Promise<ClientAnswer> {
  const read = readQuestion(question);
  return "status" in read ? read : answerRead(place, read, ports);
}

/** The answer itself, where nothing has to be judged for it. */
export function readQuestion({ client: name, event: text }: HookQuestion): ReadQuestion | ClientAnswer {
  try {
    const client: HookClient = HOOK_CLIENTS[name];
    const fields = fieldsOf(parseJson(text));
    if (fields === null) return refuseHook(`what ${client.title} wrote is no JSON object`);
    const event = EVENT_SHAPES[client.event](fields);
    if (event === null) return { out: "", err: "", status: 0 };
    if (typeof event === "string") return refuseHook(`${client.title}: ${event}`);
    return { client: name, event, isClaude: fields.hook_event_name !== undefined };
  } catch (error) {
    return refuseHook(error instanceof Error ? error.message : String(error));
  }
}

export async function answerRead(
  place: HookPlace,
  { client: name, event, isClaude }: ReadQuestion,
  ports: HookAnswering,
): Promise<ClientAnswer> {
  try {
    const client: HookClient = HOOK_CLIENTS[name];
    const judged = await judgeEvent(ports, place, name, event);
    if (typeof judged === "string") return refuseHook(`${client.title}: ${judged}`);
    const { answer, isOwn } = judged;
    // The gateway writes the row of a call that it is to run.
    if (!isOwn || answer.answer === "deny")
      await ports.logs.write(place, judged, toRow(name, event, withoutQuestion(answer, client)));
    return writeHookAnswer(answer, client, isClaude);
  } catch (error) {
    return refuseHook(error instanceof Error ? error.message : String(error));
  }
}

/** Status and text that clients take for a no. */
export function refuseHook(text: string): ClientAnswer {
  const lines = text.split("\n").map(escapeText).join("\n");
  return { out: "", err: `toolcrib hook: ${lines}; the call is refused\n`, status: REFUSED };
}

function toRow(client: HookClientName, event: GuardEvent, answer: GuardAnswer): HookRow {
  const { session, agent, call, tool, input: given } = event;
  const said =
    answer.answer === "pass" ? { code: "permission.no-rule", text: "no rule is about it", origin: "default" } : answer;
  const decision = { decision: answer.answer, code: said.code, text: said.text, origin: said.origin, by: null };
  return {
    session: session ?? "",
    client,
    principal: PRINCIPAL,
    call: call ?? "",
    agent,
    tool,
    given,
    decision,
  };
}
