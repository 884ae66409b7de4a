import type { SlackApp } from "../../config/shape/approvals-shape.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { postJson } from "./post-json.ts";
import { Undelivered } from "./undelivered.ts";

/** Where a message is. */
export interface SlackPlace {
  readonly channel: string;
  readonly ts: string;
}

/** Calls a method of Slack's API. Throws `Undelivered`. */
export async function askSlack(
  { api, token }: Pick<SlackApp, "api" | "token">,
  method: "chat.postMessage" | "chat.update" | "chat.postEphemeral",
  given: object,
  signal: AbortSignal,
): Promise<SlackPlace | null> {
  const headers = { authorization: `Bearer ${token}` };
  const text = await postJson(`${api.replace(/\/$/, "")}/${method}`, JSON.stringify(given), headers, signal);
  const value = parseJson(text);
  if (!isRecord(value)) throw new Undelivered(`Slack answered ${method} with something else`, { isFinal: false });
  if (value.ok !== true) {
    const error = typeof value.error === "string" ? value.error.slice(0, 60) : "no reason";
    throw new Undelivered(`Slack refused ${method}: ${error}`, { isFinal: !PASSING.has(error) });
  }
  const { channel, ts } = value;
  return typeof channel === "string" && typeof ts === "string" ? { channel, ts } : null;
}

/** What another try may change. */
const PASSING: ReadonlySet<string> = new Set([
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
]);
