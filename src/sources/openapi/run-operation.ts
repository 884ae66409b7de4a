import type { ToolResult } from "../../core/call/tool-result.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { AddressRefusal } from "../../system/addresses/address-refusal.ts";
import type { Reach } from "../../system/addresses/resolve-public.ts";
import { errnoOf } from "../../system/paths/path-refusal.ts";
import { onAbort } from "../../system/time/until-aborted.ts";
import { findListed } from "../parts/find-tool.ts";
import type { HttpAnswer } from "../parts/http-client.ts";
import { CANCELLED, failure, unknownTool } from "../parts/results.ts";
import { type Tokens, withToken } from "../token-port.ts";
import type { ApiSpec } from "./api-spec.ts";
import { type ApiRequest, ArgumentFault, buildRequest } from "./build-request.ts";
import { TokenFault, type TokenPorts } from "./client-tokens.ts";
import type { LoadedApi } from "./load-api.ts";
import type { Operation } from "./operation.ts";
import { sendRequest } from "./send-request.ts";
import { toAnswer } from "./to-answer.ts";

interface OperationCall {
  readonly tools: readonly Tool[];
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

interface OperationPorts extends TokenPorts {
  readonly server: string;
  readonly reach: Reach;
  readonly redact: (text: string) => string;
  /** What proves who asks, besides what the entry says. */
  readonly tokens: Tokens | null;
  /** Milliseconds. */
  readonly timeout: number;
}

/** One call of an operation, from its arguments to its result. */
export async function runOperation(
  api: LoadedApi,
  spec: ApiSpec,
  { tools, tool, args }: OperationCall,
  ports: OperationPorts,
  signal: AbortSignal,
): Promise<ToolResult> {
  const operation = api.operations.get(tool.name);
  if (operation === undefined || findListed(tools, tool) === null) return unknownTool(tool.name);
  const { clock, timeout, client, redact, tokens } = ports;
  const hide = (text: string): string => hideAll(redact(text), api.credentials.secrets);
  const stop = new AbortController();
  const letGo = onAbort(signal, () => stop.abort());
  const timer = clock.setTimeout(() => stop.abort(), timeout);
  try {
    const reach = api.base.isTrusted ? null : ports.reach;
    const ask = async (token: string | null): Promise<HttpAnswer> => {
      const proof = await api.credentials.proofFor(operation, ports, stop.signal);
      const request = await buildRequest(operation, args, { base: api.base.url, headers: spec.headers, proof });
      return sendRequest(withOwn(request, token, tokens), { client, reach }, stop.signal);
    };
    const token = (await tokens?.current(api.base.url, stop.signal)) ?? null;
    if (tokens !== null && token === null) return failure(NOBODY);
    let answer = await ask(token);
    const other = answer.status === 401 ? await renew(answer, token, api.base.url, ports, stop.signal) : null;
    if (other !== null || (answer.status === 401 && api.credentials.forget(operation))) {
      answer.body.destroy();
      answer = await ask(other ?? token);
    }
    const result = await toAnswer(answer, operation, hide);
    return answer.status === 401 || answer.status === 403 ? withHint(result, operation, api, ports.server) : result;
  } catch (error) {
    if (signal.aborted) return CANCELLED;
    if (stop.signal.aborted) return timedOut(ports.server, timeout);
    return toFailure(error, hide);
  } finally {
    clock.clearTimeout(timer);
    letGo();
  }
}

const MOST_SAID = 2_000;
const NOBODY =
  "This call was not made: it needs a login or key of the person who calls, and there is none that can be used.";

function withOwn(request: ApiRequest, token: string | null, tokens: Tokens | null): ApiRequest {
  if (token === null || tokens === null) return request;
  return { ...request, headers: new Map([...withToken(new Headers([...request.headers]), token, tokens)]) };
}

/** Another token of the person after this one was refused. */
async function renew(
  { status, headers }: HttpAnswer,
  token: string | null,
  url: URL,
  { tokens }: Pick<OperationPorts, "tokens">,
  signal: AbortSignal,
): Promise<string | null> {
  return (await tokens?.renew(token, signal, { url, status, header: headers.get("www-authenticate") })) ?? null;
}

/** Shorter values are words, and hiding them would garble the text. */
const SHORTEST = 8;

function hideAll(text: string, secrets: readonly string[]): string {
  return secrets
    .filter(({ length }) => length >= SHORTEST)
    .reduce((rest, secret) => rest.replaceAll(secret, "[hidden]"), text);
}

/** Adds what to configure if the document requires credentials that the entry lacks. */
function withHint(result: ToolResult, operation: Operation, { credentials }: LoadedApi, server: string): ToolResult {
  const hint = credentials.hintFor(operation, server);
  return hint === null ? result : { ...result, textResultForLlm: `${result.textResultForLlm}\n${hint}` };
}

/** A server's redirect address may repeat what was sent to it. */
function toFailure(error: unknown, hide: (text: string) => string): ToolResult {
  if (error instanceof ArgumentFault || error instanceof AddressRefusal || error instanceof TokenFault)
    return failure(hide(error.message).slice(0, MOST_SAID));
  if (error instanceof URIError)
    return failure("An argument holds no whole characters, so that no address can hold it.");
  const code = errnoOf(error);
  if (code === null) throw error;
  // Node's own message contains addresses, so the model gets only the code.
  return failure(`The API could not be reached (${code}).`, String(error));
}

function timedOut(server: string, timeout: number): ToolResult {
  return {
    textResultForLlm: `The API did not answer within ${timeout / 1000} s; whether the call had an effect is unknown.`,
    resultType: "timeout",
    error: `the API "${server}" did not answer within ${timeout} ms`,
    cancelledBy: "timeout",
  };
}
