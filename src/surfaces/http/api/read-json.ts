import type { IncomingMessage, ServerResponse } from "node:http";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { addPiece } from "../../../system/rpc/add-piece.ts";
import { isTooDeep } from "../../../system/text/json-depth.ts";
import { HttpRefusal } from "./answers.ts";

/** A form on any page could send another type, without the browser asking first. */
const JSON_TYPE = /^application\/json(?:\s*;|$)/i;

/** The body of a POST as JSON; refused if it is anything else or too large. */
export async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<unknown> {
  const text = await readTextBody(request, response, { type: JSON_TYPE, name: "application/json", limit });
  if (text === "") return null;
  if (isTooDeep(text)) throw new HttpRefusal(400, "http.invalid-request", "the body is nested too deep");
  const value = parseJson(text);
  if (value === undefined) throw new HttpRefusal(400, "http.invalid-request", "the body is not valid JSON");
  return value;
}

interface WantedBody {
  readonly type: RegExp;
  /** For people. */
  readonly name: string;
  /** In bytes. */
  readonly limit: number;
}

/** The body of a request as text; refused if it is of another type, encoded or too large. */
export function readTextBody(
  request: IncomingMessage,
  response: ServerResponse,
  { type, name, limit }: WantedBody,
): Promise<string> {
  const { headers } = request;
  if (!type.test(headers["content-type"] ?? "") || headers["content-encoding"] !== undefined)
    throw new HttpRefusal(415, "http.invalid-request", `send the body as Content-Type: ${name}, not encoded`);
  if (Number(headers["content-length"] ?? 0) > limit) throw bodyTooLarge(limit);
  if (headers.expect !== undefined) response.writeContinue();
  return readText(request, limit);
}

export function bodyTooLarge(limit: number): HttpRefusal {
  return new HttpRefusal(413, "http.too-large", `the body is larger than ${limit} bytes`);
}

function readText(request: IncomingMessage, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const onData = (part: Buffer): void => {
      bytes += part.length;
      if (bytes <= limit) return void addPiece(parts, part);
      request.off("data", onData);
      reject(bodyTooLarge(limit));
    };
    request.on("data", onData);
    request.once("end", () => resolve(Buffer.concat(parts).toString("utf8")));
    request.once("close", () => reject(new HttpRefusal(400, "http.invalid-request", "the body ended too early")));
    request.once("error", () => reject(new HttpRefusal(400, "http.invalid-request", "the body could not be read")));
  });
}
