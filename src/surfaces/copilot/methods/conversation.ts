import { askElicitation } from "../clients/client-questions.ts";
import { noteDecider } from "../permissions/no-handler.ts";
import { closeLive } from "../sessions/sessions.ts";
import type { ClientCall, EventLog } from "../state/event-log.ts";
import { emit, type OpenQuestion, registerInterest, type SessionCore } from "../state/session-core.ts";
import { abort, send } from "../turns/turns.ts";
import { askAside, waitForTurn } from "../turns/wait-for-turn.ts";
import { isJson, type Json, recordOf, textOf } from "../wire/wire-values.ts";
import { after, type SessionMethod } from "./method.ts";

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
  sendAndWait: waitForTurn,
  abort: (live) => after(abort(live), { success: true }),
  getMessages: ({ core, events }) => after(core.session.stored(), { events: events.log }),
  async suspend(live, _params, { server }) {
    const { core, turns } = live;
    for (const question of [...core.questions.values()]) question.answer({ kind: "cancelled", action: "cancel" });
    await abort(live);
    await turns.running;
    return after(closeLive(server, live), {});
  },
  "tools.handlePendingToolCall": ({ core, events }, params) => ({ success: answerCall(core, events, params) }),
  "permissions.handlePendingPermissionRequest": ({ core }, params, { connection }) => {
    noteDecider(core, connection);
    return answer(core, params, "permission");
  },
  "ui.handlePendingElicitation": ({ core }, params) => answer(core, params, "elicitation"),
  "mcp.oauth.handlePendingRequest": ({ core }, params) => answer(core, params, "oauth"),
  ...Object.fromEntries(
    ["UserInput", "Sampling", "AutoModeSwitch", "ExitPlanMode", "SessionLimitsExhausted"].map((kind) => [
      `ui.handlePending${kind}`,
      () => ({ success: false }),
    ]),
  ),
  "ui.registerDirectAutoModeSwitchHandler": ({ core }, _params, { connection }) => ({
    handle: registerInterest(core, connection, "auto_mode_switch.requested"),
  }),
  "ui.unregisterDirectAutoModeSwitchHandler": ({ core }, { handle }) => ({
    unregistered: core.interests.delete(String(handle)),
  }),
  "mcp.headers.handlePendingHeadersRefreshRequest": () => ({ success: false }),
  "ui.ephemeralQuery": async (live, { question }, { signal }) => ({
    answer: await askAside(live, textOf(question) ?? "", signal),
  }),
  "ui.elicitation": ({ core }, { message, requestedSchema }, { signal }) =>
    askElicitation(
      core,
      {
        message: textOf(message) ?? "",
        mode: "form",
        requestedSchema: isJson(requestedSchema) ? requestedSchema : null,
      },
      signal,
    ),
  async log({ core, events }, { message, level, ephemeral }) {
    const kind = level === "warning" || level === "error" ? level : "info";
    const text = textOf(message) ?? "";
    emit(
      core,
      `session.${kind}`,
      { [`${kind}Type`]: "notification", message: text },
      { ephemeral: ephemeral === true },
    );
    await core.session.stored();
    const shown = core.server.secrets.text(text);
    const found = events.ring.findLast(({ event }) => event.type === `session.${kind}` && event.data.message === shown);
    return { eventId: found?.event.id ?? null };
  },
};

function answer({ questions }: SessionCore, { requestId, result }: Json, kind: OpenQuestion["kind"]): Json {
  const question = questions.get(String(requestId));
  if (question?.kind !== kind) return { success: false };
  questions.delete(String(requestId));
  question.answer(recordOf(result));
  return { success: true };
}

/** What a client's tool gave back, as a result; what it threw stays where people look. */
function answerCall({ session }: SessionCore, { calls }: EventLog, { requestId, result, error }: Json): boolean {
  const call = calls.get(String(requestId));
  if (call === undefined) return false;
  calls.delete(String(requestId));
  // Some clients write what is not there as null.
  const isFailed = error !== undefined && error !== null;
  return session.answer(String(requestId), isFailed ? toFailure(call, error) : (result ?? EMPTY));
}

/** A handler that returned nothing has succeeded here. */
const EMPTY: Json = { textResultForLlm: "", resultType: "success" };

function toFailure({ toolName, args }: ClientCall, error: unknown): Json {
  return {
    textResultForLlm: `Failed to execute \`${toolName}\` tool with arguments: ${JSON.stringify(args)} due to error: Error: Tool execution failed`,
    resultType: "failure",
    error: textOf(error) ?? textOf(recordOf(error).message) ?? "the tool failed",
  };
}
