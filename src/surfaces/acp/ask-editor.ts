import { isRecord } from "../../core/shape/is-record.ts";
import type { PermissionAnswer, PermissionHandler } from "../../runtime/permissions/permission-request.ts";
import type { RpcPeer } from "../../system/rpc/peer.ts";
import type { CallDescription } from "./describe-call.ts";

type Describe = (toolName: string, args: unknown) => CallDescription;

/** An editor's possible answers, by the id of the chosen option. */
const ANSWERS: ReadonlyMap<unknown, PermissionAnswer> = new Map([
  ["allow", { decision: "allow", scope: "once" }],
  ["allow-session", { decision: "allow", scope: "session" }],
  ["allow-project", { decision: "allow", scope: "project" }],
  ["reject", { decision: "deny", endTurn: true }],
]);

/** Asks the editor's user. Anything but a clear yes is a no. */
export function createEditorAsking(peer: RpcPeer, sessionId: string, describe: Describe): PermissionHandler {
  return async ({ toolName, toolArgs, toolCallId, reason, suggestions, signal }) => {
    const [kept] = suggestions;
    const options = [
      { optionId: "allow", kind: "allow_once", name: "Allow" },
      ...(kept === undefined
        ? []
        : [
            { optionId: "allow-session", kind: "allow_always", name: `Allow in this session: ${kept.text}` },
            { optionId: "allow-project", kind: "allow_always", name: `Always allow in this project: ${kept.text}` },
          ]),
      { optionId: "reject", kind: "reject_once", name: "Reject" },
    ];
    const { content, ...about } = describe(toolName, toolArgs);
    const why = { type: "content", content: { type: "text", text: reason } };
    const toolCall = { toolCallId, status: "pending", ...about, content: [...content, why] };
    const answer = await peer.request("session/request_permission", { sessionId, toolCall, options }, signal);
    const outcome = answer.kind === "result" && isRecord(answer.value) ? answer.value.outcome : null;
    if (!isRecord(outcome) || outcome.outcome !== "selected") return NOT_ANSWERED;
    return ANSWERS.get(outcome.optionId) ?? NOT_ANSWERED;
  };
}

const NOT_ANSWERED: PermissionAnswer = { decision: "deny", reason: "the editor did not answer", endTurn: true };
