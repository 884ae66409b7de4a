import type { ElicitationAnswer, ElicitationRequest } from "../../../runtime/session/sources/elicitation.ts";
import type { Question } from "../../../sources/people-port.ts";
import { type AttachedClient, type Live, tellPassing } from "../state/live.ts";
import { whileShown } from "../state/onlooker.ts";
import { isJson, type Json, recordOf, stated, textOf, textsOf } from "../wire/wire-values.ts";
import { askClient } from "./ask-client.ts";

/** `ask_user`: the first client that can ask its user does. */
export async function askUser(live: Live, { question, choices }: Question, signal: AbortSignal): Promise<string> {
  const requestId = live.server.around.newId();
  const allowFreeform = live.facts.get(`freeform ${question}`) !== false;
  const asked = { question, ...(choices.length === 0 ? {} : { choices }), allowFreeform };
  tellPassing(live, "user_input.requested", { requestId, ...asked });
  const { connection } = clientWith(live, "userInput");
  const answering = askClient(live, connection, "userInput.request", asked, signal);
  const answer = recordOf(await whileShown(live, { kind: "user_input", question, choices }, answering));
  const text = textOf(answer.answer) ?? "";
  live.facts.set(`answered freely ${question}`, answer.wasFreeform === true);
  tellPassing(live, "user_input.completed", { requestId, answer: text, wasFreeform: answer.wasFreeform === true });
  return text;
}

/** What a server or a client wants filled in goes to everybody who can; the first answer counts. */
export async function askElicitation(
  live: Live,
  request: Pick<ElicitationRequest, "message"> & Partial<ElicitationRequest>,
  signal?: AbortSignal,
): Promise<ElicitationAnswer> {
  const { message, mode = "form", requestedSchema, url, server } = request;
  const requestId = live.server.around.newId();
  const answering = new Promise<Json>((resolve) => {
    const asked = stated({
      requestId,
      message,
      mode,
      requestedSchema: requestedSchema ?? undefined,
      url: url ?? undefined,
      elicitationSource: server,
    });
    live.questions.set(requestId, { kind: "elicitation", asked, answer: resolve });
    signal?.addEventListener("abort", () => resolve({ action: "cancel" }), { once: true });
    tellPassing(live, "elicitation.requested", asked);
  });
  const shown = {
    message,
    mode,
    requestedSchema: requestedSchema ?? null,
    url: url ?? null,
    server: server ?? "the app",
  };
  const answer = await whileShown(live, { kind: "elicitation", request: shown }, answering);
  live.questions.delete(requestId);
  const action = answer.action === "accept" || answer.action === "decline" ? answer.action : "cancel";
  const content = isJson(answer.content) ? { content: answer.content } : {};
  tellPassing(live, "elicitation.completed", { requestId, action, ...content });
  return { action, ...content };
}

/** `exit_plan_mode`: shown to the client that approves plans. */
export async function askPlan(
  live: Live,
  summary: string,
): Promise<{ readonly approved: boolean; readonly feedback: string | null }> {
  const requestId = live.server.around.newId();
  const { actions, recommendedAction } = recordOf(live.facts.get("plan actions"));
  const offered = textsOf(actions).length > 0 ? textsOf(actions) : ["interactive", "exit_only"];
  const asked = {
    summary,
    planContent: "",
    actions: offered,
    recommendedAction: textOf(recommendedAction) ?? offered[0],
  };
  tellPassing(live, "exit_plan_mode.requested", { requestId, ...asked });
  const { connection } = clientWith(live, "exitPlan");
  const answering = askClient(live, connection, "exitPlanMode.request", asked);
  const answer = recordOf(await whileShown(live, { kind: "plan", plan: summary }, answering));
  const approved = answer.approved === true;
  const said = stated({ selectedAction: textOf(answer.selectedAction), feedback: textOf(answer.feedback) });
  tellPassing(live, "exit_plan_mode.completed", { requestId, approved, ...said });
  live.facts.set("plan action", said.selectedAction);
  if (approved) live.mode = said.selectedAction?.startsWith("autopilot") ? "autopilot" : "interactive";
  return { approved, feedback: textOf(answer.feedback) ?? null };
}

function clientWith(live: Live, ability: "userInput" | "exitPlan" | "autoSwitch"): AttachedClient {
  for (const client of live.clients.values()) if (client[ability]) return client;
  throw new Error("no client of the session can be asked");
}
