import { randomBytes } from "node:crypto";
import {
  describeLine,
  type PermissionAnswer,
  type PermissionRequest,
} from "../../../runtime/permissions/permission-request.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "../../../sources/peer.ts";
import { isObject } from "../wire/json-rpc.ts";

const CHOICES = ["allow once", "allow for this session", "deny"] as const;
const MOST_TEXT = 2_000;

/**
 * Asks the user of a client about a call, by elicitation. Null if the client cannot ask, so that others may be asked.
 */
export async function askForApproval(
  client: PeerClient,
  request: PermissionRequest,
  signal: AbortSignal,
): Promise<PermissionAnswer | null> {
  if (!showsForms(client)) return null;
  // The key is random, so that no answer given before the question fits it, by accident or on purpose.
  const key = `approval-${randomBytes(12).toString("base64url")}`;
  const answers = await client.ask(new Map([[key, toQuestion(request)]]), signal);
  const answer = answers.get(key);
  return answer === undefined ? null : readAnswer(answer);
}

function showsForms({ capabilities: { elicitation } }: PeerClient): boolean {
  // A client that names no mode means forms: the first version had nothing else.
  return isObject(elicitation) && (isObject(elicitation.form) || !isObject(elicitation.url));
}

function toQuestion(request: PermissionRequest): PeerQuestion {
  const { toolName, toolArgs, reason, parts, suggestions } = request;
  const line = describeLine(request);
  const choices = CHOICES.filter((choice) => suggestions.length > 0 || choice !== "allow for this session");
  const lines = [
    `Allow the call of ${toolName}?`,
    `Why this is asked: ${reason}`,
    ...parts.map(({ part, text }) => `- ${part}: ${text}`),
    ...(line === null ? [] : [`Called in ${line}`]),
    `Arguments: ${JSON.stringify(toolArgs)}`,
  ].map(toPlainLine);
  return {
    server: null,
    method: "elicitation/create",
    params: {
      message: cut(lines.join("\n")),
      requestedSchema: {
        type: "object",
        properties: { decision: { type: "string", title: "Decision", enum: choices } },
        required: ["decision"],
      },
    },
  };
}

/** Text of a server or a model must not pass for Toolcrib's own, as a separate line would, nor hide any. */
function toPlainLine(text: string): string {
  return text.replace(/\r?\n/g, "\\n").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
}

/** People who agree to what they cannot see should know that they do. */
function cut(text: string): string {
  const rest = text.length - MOST_TEXT;
  if (rest <= 0) return text;
  return `${text.slice(0, MOST_TEXT)}…\nNot all of it fits here: ${rest} more characters are left out.`;
}

function readAnswer(answer: PeerAnswer): PermissionAnswer | null {
  if (answer.kind === "error") return null;
  const { action, content } = answer.result;
  if (action !== "accept") return { decision: "deny", reason: "the user of the client did not agree" };
  const decision = isObject(content) ? content.decision : undefined;
  switch (CHOICES.find((choice) => choice === decision)) {
    case "allow once":
      return { decision: "allow", scope: "once" };
    case "allow for this session":
      return { decision: "allow", scope: "session" };
    case "deny":
      return { decision: "deny", reason: "the user of the client said no" };
    case undefined:
      return { decision: "deny", reason: "the answer of the client could not be read" };
  }
}
