import { AddressRefusal } from "../../system/addresses/address-refusal.ts";
import { postConfigured } from "../../system/addresses/post-configured.ts";
import { Undelivered } from "./undelivered.ts";

/** Sends JSON to a configured address; the text of the answer. Throws `Undelivered`. */
export async function postJson(
  address: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const host = URL.canParse(address) ? new URL(address).host : "the configured address";
  const json = { "content-type": "application/json; charset=utf-8", "user-agent": "toolcrib", ...headers };
  const answer = await postConfigured(address, { body, headers: json, signal }).catch((error: unknown) => {
    if (error instanceof AddressRefusal) throw new Undelivered(error.message, { isFinal: true });
    throw new Undelivered(`${host} does not answer (${whyOf(error)})`, { isFinal: false, cause: error });
  });
  const { status, text, retryAfter } = answer;
  if (status >= 200 && status < 300) return text;
  const isFinal = status < 500 && status !== 408 && status !== 429;
  throw new Undelivered(`${host} answered with status ${status}`, { isFinal, retryAfter });
}

function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error ? String(error.code) : error.name === "TimeoutError" ? "no answer in time" : error.name;
}
