import { randomUUID } from "node:crypto";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import { HttpRefusal } from "../api/answers.ts";
import type { CallView, TryView } from "../api/api.ts";

const MOST_TEXT = 100_000;

/**
 * One call that a person makes from the page: through the whole pipeline, like any client's. Questions about it appear
 * among the approvals, for the same person.
 */
export async function tryCall(
  session: Pick<OpenSession, "call" | "on">,
  name: string,
  body: unknown,
  signal: AbortSignal,
): Promise<TryView> {
  const args: unknown = typeof body === "object" && body !== null && "arguments" in body ? body.arguments : undefined;
  if (!isRecord(args)) throw new HttpRefusal(400, "http.invalid-request", 'send {"arguments": {…}}');
  const id = `try-${randomUUID()}`;
  let decision: CallView["decision"] = null;
  const stop = session.on("permission.completed", ({ toolCallId, decision: kind, code, text, origin }) => {
    if (toolCallId === id) decision = { decision: kind, code, text: revealText(text), origin };
  });
  const started = performance.now();
  try {
    const result = await session.call(name, args, { id, signal });
    const { textResultForLlm: text, resultType: type, error, binaryResultsForLlm: binary = [] } = result;
    return {
      decision,
      result: {
        type,
        text: revealText(text.slice(0, MOST_TEXT)),
        ...(error ? { note: revealText(String(error)) } : {}),
      },
      isCut: text.length > MOST_TEXT,
      attachments: binary.length,
      duration: performance.now() - started,
    };
  } finally {
    stop();
  }
}
