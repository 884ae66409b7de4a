import { askElicitation } from "../clients/client-questions.ts";
import type { SessionMethod } from "../method.ts";
import { closeLive } from "../sessions/sessions.ts";
import type { Live, OpenQuestion } from "../state/live.ts";
import { tell } from "../state/live.ts";
import { askAside } from "../turns/ask-aside.ts";
import { abort, send } from "../turns/turns.ts";
import { waitForTurn } from "../turns/wait-for-turn.ts";
import { isJson, type Json, recordOf, textOf } from "../wire/wire-values.ts";

/** How the work of a fleet is done. */
const FLEET = [
  "Do this work with several agents at once. Look at the open todos first, or split the work into todos with as few",
  "dependencies as possible. Start an agent with the task tool for each todo that waits for no other, all of them in one",
  "reply, and tell each to mark its todo as done, or as blocked with the reason. When agents come back, start those whose",
  "todos have become free. At the end check the whole result against what was asked, and report.",
].join(" ");

/** Sends, answers and ends. */
export const CONVERSATION_METHODS: Readonly<Record<string, SessionMethod>> = {
  send: (live, params) => ({ messageId: send(live, params) }),
  "fleet.start": (live, { prompt }) => {
    send(live, { prompt: [FLEET, textOf(prompt) ?? ""].join("\n\n").trim() });
    return { started: true };
  },
  sendAndWait: (live, params) => waitForTurn(live, params),
  async abort(live) {
    await abort(live);
    return { success: true };
  },
  getMessages: async (live) => {
    await live.session.stored();
    return { events: live.log };
  },
  async suspend(live) {
    for (const question of [...live.questions.values()]) question.answer({ kind: "cancelled", action: "cancel" });
    await abort(live);
    await live.idle;
    await closeLive(live);
    return {};
  },
  "tools.handlePendingToolCall": (live, params) => ({ success: answerCall(live, params) }),
  "permissions.handlePendingPermissionRequest": (live, params) => answer(live, params, "permission"),
  "ui.handlePendingElicitation": (live, params) => answer(live, params, "elicitation"),
  "mcp.oauth.handlePendingRequest": (live, params) => answer(live, params, "oauth"),
  ...Object.fromEntries(
    ["UserInput", "Sampling", "AutoModeSwitch", "ExitPlanMode", "SessionLimitsExhausted"].map((kind) => [
      `ui.handlePending${kind}`,
      () => ({ success: false }),
    ]),
  ),
  "ui.registerDirectAutoModeSwitchHandler": (live) => {
    const handle = live.server.around.newId();
    live.facts.set(`auto switch ${handle}`, true);
    return { handle };
  },
  "ui.unregisterDirectAutoModeSwitchHandler": (live, { handle }) => ({
    unregistered: live.facts.delete(`auto switch ${String(handle)}`),
  }),
  "mcp.headers.handlePendingHeadersRefreshRequest": () => ({ success: false }),
  "ui.ephemeralQuery": async (live, { question }, { signal }) => ({
    answer: await askAside(live, textOf(question) ?? "", signal),
  }),
  "ui.elicitation": (live, { message, requestedSchema }, { signal }) =>
    askElicitation(
      live,
      {
        message: textOf(message) ?? "",
        mode: "form",
        requestedSchema: isJson(requestedSchema) ? requestedSchema : null,
      },
      signal,
    ),
  async log(live, { message, level, ephemeral }) {
    const kind = level === "warning" || level === "error" ? level : "info";
    const data = { [`${kind}Type`]: "notification", message: textOf(message) ?? "" };
    tell(live, `session.${kind}`, data, { ephemeral: ephemeral === true });
    await live.session.stored();
    const said = live.server.secrets.text(data.message ?? "");
    const told = live.ring.findLast(({ event }) => event.type === `session.${kind}` && event.data.message === said);
    return { eventId: told?.event.id ?? null };
  },
};

function answer(live: Live, { requestId, result }: Json, kind: OpenQuestion["kind"]): Json {
  const question = live.questions.get(String(requestId));
  if (question?.kind !== kind) return { success: false };
  live.questions.delete(String(requestId));
  question.answer(recordOf(result));
  return { success: true };
}

/** What a client's tool gave back, as a result; what it threw stays where people look. */
function answerCall(live: Live, { requestId, result, error }: Json): boolean {
  const call = live.calls.get(String(requestId));
  if (call === undefined) return false;
  live.calls.delete(String(requestId));
  return live.session.answer(String(requestId), error === undefined ? toResult(result) : toFailure(call, error));
}

function toResult(result: unknown): unknown {
  if (result === null || result === undefined) return { textResultForLlm: "", resultType: "success" };
  if (isJson(result) && typeof result.textResultForLlm !== "string") return JSON.stringify(result);
  return typeof result === "object" || typeof result === "string" ? result : JSON.stringify(result);
}

function toFailure({ toolName, args }: { readonly toolName: string; readonly args: unknown }, error: unknown): Json {
  return {
    textResultForLlm: `Failed to execute \`${toolName}\` tool with arguments: ${JSON.stringify(args)} due to error: Error: Tool execution failed`,
    resultType: "failure",
    error: textOf(error) ?? textOf(recordOf(error).message) ?? "the tool failed",
  };
}
