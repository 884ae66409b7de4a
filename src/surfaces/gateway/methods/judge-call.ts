import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import type { Front } from "../views/front.ts";
import type { Params, ProtocolAnswer } from "../wire/json-rpc.ts";

/** A tool that no list shows: clients' hooks ask it about calls that a client runs itself, so that no process has to start. */
export const JUDGE_TOOL = "judge";

/** The text for the hook; null for a client that may not ask. */
export type JudgeCall = (args: Params, session: OpenSession) => Promise<string | null>;

/** Null where the call is one as any other. */
export async function answerJudge(
  { view }: Pick<Front, "view">,
  { name, arguments: args }: Params,
  judge: JudgeCall | undefined,
): Promise<ProtocolAnswer | null> {
  if (name !== JUDGE_TOOL || judge === undefined || typeof args !== "object" || args === null) return null;
  const offer = view.offer();
  // A tool of that name that the client was given is meant first.
  if (offer.request.find(offer.toWireName(JUDGE_TOOL)).kind !== "unknown") return null;
  const text = await judge(args as Params, view.session); // An object has such keys.
  return text === null ? null : { kind: "result", result: { content: [{ type: "text", text }] } };
}
