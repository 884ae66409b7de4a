import type { Cancelling } from "../../core/call/cancelling.ts";
import type { FilterSide } from "../../core/filters/filter.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { signBody } from "../../system/sign-body.ts";
import type { NamedJudge } from "./compile-filters.ts";

/** A call or its result, as a judge is asked about it. */
export interface JudgedData {
  readonly on: FilterSide;
  readonly session: string;
  readonly call: string;
  readonly tool: string;
  readonly server: string | null;
  /** The arguments, or `{ text, structured? }`. */
  readonly value: unknown;
}

export type JudgeAnswer =
  | {
      readonly kind: "answered";
      readonly accept: boolean;
      /** The whole value instead; absent if it stays. */
      readonly mutated?: unknown;
      /** For the model, if the call or result is refused. */
      readonly message: string | null;
      /** For the log. */
      readonly reason: string | null;
    }
  | { readonly kind: "failed"; readonly why: string };

const MOST_ANSWER = 4 * 1024 * 1024;
const MOST_TEXT = 500;

/** Asks a judge over HTTP: one signed request, no redirect, one answer within its time. Never rejects. */
export async function askJudge(judge: NamedJudge, data: JudgedData, cancelling: Cancelling): Promise<JudgeAnswer> {
  const { url, secret, timeout, isUnset } = judge;
  if (isUnset) return failed("a variable of its configuration is not set");
  const limit = AbortSignal.timeout(timeout);
  try {
    const body = JSON.stringify({ version: 1, ...data });
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...signBody(body, secret) },
      body,
      redirect: "error",
      signal: AbortSignal.any([limit, cancelling.signal]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      return failed(`it answered with status ${response.status}`);
    }
    const text = await readCapped(response);
    return text === null ? failed(`its answer is larger than ${MOST_ANSWER} bytes`) : readAnswer(text);
  } catch {
    if (limit.aborted) return failed(`it did not answer within ${timeout} ms`);
    return failed("it could not be reached");
  }
}

function failed(why: string): JudgeAnswer {
  return { kind: "failed", why };
}

async function readCapped({ body }: Response): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > MOST_ANSWER) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Whatever is no clear answer counts as none. */
function readAnswer(text: string): JudgeAnswer {
  const answer = parseJson(text);
  if (!isRecord(answer) || typeof answer.accept !== "boolean") return failed('its answer has no "accept"');
  const { accept, mutated } = answer;
  const hasValue = mutated !== undefined && mutated !== null;
  if (hasValue && !isRecord(mutated)) return failed('"mutated" in its answer is no object');
  const textOf = (value: unknown): string | null => (typeof value === "string" ? value.slice(0, MOST_TEXT) : null);
  const words = { message: textOf(answer.message), reason: textOf(answer.reason) };
  return { kind: "answered", accept, ...(hasValue ? { mutated } : {}), ...words };
}
