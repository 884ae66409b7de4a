import { errnoOf } from "../../system/paths/path-refusal.ts";
import type { HttpClient } from "../parts/http-client.ts";
import { readBody } from "../parts/read-body.ts";
import type { ApiSpec } from "./api-spec.ts";
import { sendRequest } from "./send-request.ts";

const MOST_BYTES = 32 * 1024 * 1024;

/** The text of a document at a configured address. Throws an error that continues "the document …". */
export async function fetchDocument(
  url: URL,
  { baseUrl, headers: own }: Pick<ApiSpec, "baseUrl" | "headers">,
  client: HttpClient,
  signal: AbortSignal,
): Promise<string> {
  // Credentials are for the API alone, which may show its document only to those who may call it.
  const isApi = baseUrl !== null && new URL(baseUrl).origin === url.origin;
  const plain: readonly (readonly [string, string])[] = [
    ["accept", "application/json, application/yaml, text/yaml, */*;q=0.5"],
    ["accept-encoding", "gzip, deflate, br"],
    ["user-agent", "toolcrib"],
  ];
  const headers = new Map([...plain, ...(isApi ? Object.entries(own) : [])]);
  try {
    const answer = await sendRequest({ url, method: "GET", headers, body: null }, { client, reach: null }, signal);
    const body = await readBody(answer.body, answer.headers.get("content-encoding"), MOST_BYTES);
    if (answer.status !== 200) throw new Error(`answered with HTTP ${answer.status}`);
    if (body === null || body.cut) throw new Error("is too large, or packed in a way that cannot be read");
    return body.bytes.toString("utf8");
  } catch (error) {
    signal.throwIfAborted();
    const code = errnoOf(error);
    throw code === null ? error : new Error(`could not be reached (${code})`);
  }
}
