import { currentCallOf } from "../../../runtime/executor/current-call.ts";
import type { ElicitationAnswer, ElicitationRequest } from "../../../runtime/session/sources/elicitation.ts";
import type { Question } from "../../../sources/people-port.ts";
import { whileShown } from "../state/onlooker.ts";
import { type AttachedClient, askAll, askClient, emitPassing, type SessionCore } from "../state/session-core.ts";
import { dropUndefined, isJson, recordOf, textOf } from "../wire/wire-values.ts";

/** What a call that asks somebody says to these clients alone, and what they alone answer. */
interface AskingCall {
  readonly allowFreeform?: boolean;
  readonly actions?: readonly string[];
  readonly recommendedAction?: string | undefined;
  wasFreeform?: boolean;
  selectedAction?: string | undefined;
}

/** Those that run, by the id of the call. */
export type AskingCalls = Map<string, AskingCall>;

function askingCall({ id }: SessionCore, calls: AskingCalls): AskingCall {
  return calls.get(currentCallOf(id)?.id ?? "") ?? {};
}

/** `ask_user`: the first client that can ask its user does. */
export async function askUser(
  core: SessionCore,
  calls: AskingCalls,
  { question, choices }: Question,
  signal: AbortSignal,
): Promise<string> {
  const call = askingCall(core, calls);
  const requestId = core.server.around.newId();
  const asked = {
    question,
    ...(choices.length === 0 ? {} : { choices }),
    allowFreeform: call.allowFreeform !== false,
  };
  emitPassing(core, "user_input.requested", { requestId, ...asked });
  const { connection } = clientWith(core, "userInput");
  const answering = askClient(core, connection, "userInput.request", asked, signal);
  const answer = recordOf(await whileShown(core, { kind: "user_input", question, choices }, answering));
  const text = textOf(answer.answer) ?? "";
  call.wasFreeform = answer.wasFreeform === true;
  emitPassing(core, "user_input.completed", { requestId, answer: text, wasFreeform: call.wasFreeform });
  return text;
}

/** What a server or a client wants filled in goes to all clients that can; the first answer counts. */
export async function askElicitation(
  core: SessionCore,
  request: Pick<ElicitationRequest, "message"> & Partial<ElicitationRequest>,
  signal?: AbortSignal,
): Promise<ElicitationAnswer> {
  const { message, mode = "form", requestedSchema = null, url = null, server } = request;
  const requestId = core.server.around.newId();
  const asked = dropUndefined({
    ...{ requestId, message, mode, elicitationSource: server },
    ...{ requestedSchema: requestedSchema ?? undefined, url: url ?? undefined },
  });
  const send = (): void => emitPassing(core, "elicitation.requested", asked);
  const answering = askAll(core, "elicitation", requestId, asked, send, { signal, answer: { action: "cancel" } });
  const shown = { message, mode, requestedSchema, url, server: server ?? "the app" };
  const answer = await whileShown(core, { kind: "elicitation", request: shown }, answering);
  const action = answer.action === "accept" || answer.action === "decline" ? answer.action : "cancel";
  const content = isJson(answer.content) ? { content: answer.content } : {};
  emitPassing(core, "elicitation.completed", { requestId, action, ...content });
  return { action, ...content };
}

/** `exit_plan_mode`: shown to the client that approves plans. */
export async function askPlan(
  core: SessionCore,
  calls: AskingCalls,
  summary: string,
): Promise<{ readonly approved: boolean; readonly feedback: string | null }> {
  const call = askingCall(core, calls);
  const requestId = core.server.around.newId();
  const { actions = [], recommendedAction } = call;
  const offered = actions.length > 0 ? actions : ["interactive", "exit_only"];
  const asked = { summary, planContent: "", actions: offered, recommendedAction: recommendedAction ?? offered[0] };
  emitPassing(core, "exit_plan_mode.requested", { requestId, ...asked });
  const { connection } = clientWith(core, "exitPlan");
  const answering = askClient(core, connection, "exitPlanMode.request", asked);
  const answer = recordOf(await whileShown(core, { kind: "plan", plan: summary }, answering));
  const approved = answer.approved === true;
  const said = dropUndefined({ selectedAction: textOf(answer.selectedAction), feedback: textOf(answer.feedback) });
  emitPassing(core, "exit_plan_mode.completed", { requestId, approved, ...said });
  call.selectedAction = said.selectedAction;
  if (approved) core.mode = said.selectedAction?.startsWith("autopilot") ? "autopilot" : "interactive";
  return { approved, feedback: said.feedback ?? null };
}

function clientWith({ clients }: SessionCore, ability: "userInput" | "exitPlan"): AttachedClient {
  for (const client of clients.values()) if (client[ability]) return client;
  throw new Error("no client of the session can be asked");
}
