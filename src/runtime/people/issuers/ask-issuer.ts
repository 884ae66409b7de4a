import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { addPiece } from "../../../system/rpc/add-piece.ts";
import { IssuerProblem } from "./issuer-problem.ts";

export interface IssuerAnswer {
  readonly status: number;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Question {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form, with POST. */
  readonly form?: URLSearchParams;
}

/** Milliseconds, for all of an answer. */
const PATIENCE = 8_000;
const MOST_BYTES = 256 * 1024;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Asks an address of an issuer that the configuration names, directly or in its metadata. Only with TLS, unless the
 * address is on this machine. Redirects are not followed: nobody needs one here, and it could lead anywhere.
 */
export async function askIssuer(address: string, { headers, form }: Question = {}): Promise<IssuerAnswer> {
  const url = checkIssuerAddress(address);
  const signal = AbortSignal.timeout(PATIENCE);
  const where = url.origin + url.pathname;
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      method: form === undefined ? "GET" : "POST",
      headers: { accept: "application/json", ...headers },
      body: form ?? null,
      redirect: "manual",
      signal,
    });
    status = response.status;
    text = await readSmall(response, where);
  } catch (error) {
    if (error instanceof IssuerProblem) throw error;
    throw new IssuerProblem("away", `${where} does not answer (${whyOf(error)})`, { cause: error });
  }
  if (status >= 500 || status === 429) throw new IssuerProblem("away", `${where} answered with status ${status}`);
  const value = parseJson(text);
  if (!isRecord(value)) throw new IssuerProblem("wrong", `${where} answered with status ${status} and no JSON object`);
  return { status, value };
}

/** Throws for an address that could be read on the way. */
export function checkIssuerAddress(address: unknown): URL {
  const url = typeof address === "string" && URL.canParse(address) ? new URL(address) : null;
  if (url === null) throw new IssuerProblem("wrong", "an address of the issuer is not one");
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isSafe) throw new IssuerProblem("wrong", `${url.origin} is not an https address`);
  if (url.username !== "" || url.password !== "")
    throw new IssuerProblem("wrong", `an address at ${url.host} has a user name in it`);
  return url;
}

async function readSmall(response: Response, where: string): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new IssuerProblem("wrong", `${where} answered with more than ${MOST_BYTES} bytes`);
    addPiece(parts, Buffer.from(part));
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The reason beneath "fetch failed", without any content of the request. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "TimeoutError") return `no answer within ${PATIENCE / 1_000} s`;
  const { cause } = error;
  if (cause instanceof Error) return "code" in cause ? String(cause.code) : cause.message;
  return error.message;
}
