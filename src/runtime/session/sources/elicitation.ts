import type { CodeLine } from "../../../core/call/call.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "../../../sources/peer.ts";
import type { Logger } from "../../../system/logger.ts";

/** A question of an MCP server to a person, during a call. Its text is untrusted. */
export interface ElicitationRequest {
  /** The server that asks. */
  readonly server: string;
  readonly message: string;
  /** `form`: asks for the values of `requestedSchema`. `url`: asks the person to open `url` and answer there. */
  readonly mode: "form" | "url";
  /** JSON Schema of the values; null with `url`. */
  readonly requestedSchema: Readonly<Record<string, unknown>> | null;
  /** The address to open, as the server gave it; null with `form`. */
  readonly url: string | null;
  /** The line of the model's code that made the call; absent if no code did. */
  readonly codeLine?: CodeLine;
}

/** `accept` with the values of a form, `decline` to refuse, `cancel` for no answer. */
export interface ElicitationAnswer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, unknown>>;
}

/** Answers questions of MCP servers. The signal is aborted when nobody waits for the answer any longer. */
export type ElicitationHandler = (request: ElicitationRequest, signal: AbortSignal) => Promise<ElicitationAnswer>;

const METHOD_NOT_FOUND = -32601;
const FAILED = -32000;

/** The program behind a session, as its servers see it: somebody who answers forms and nothing else. */
export function createElicitationClient(
  { sessionId, server }: { readonly sessionId: string } & Pick<ElicitationRequest, "server">,
  handler: (...asked: Parameters<ElicitationHandler>) => Promise<unknown>,
  { error: onError }: Pick<Logger, "error">,
): PeerClient {
  const answer = async ({ method, params, codeLine }: PeerQuestion, signal: AbortSignal): Promise<PeerAnswer> => {
    if (method !== "elicitation/create")
      return { kind: "error", code: METHOD_NOT_FOUND, message: `There is nobody to answer ${method}.` };
    const about = codeLine === undefined ? { server } : { server, codeLine };
    try {
      return { kind: "result", result: readAnswer(await handler(toRequest(about, params), signal)) };
    } catch (error) {
      if (!signal.aborted) onError(`onElicitationRequest failed for ${server}`, error);
      return { kind: "error", code: FAILED, message: "Nobody could be asked." };
    }
  };
  return {
    id: sessionId,
    capabilities: { elicitation: { form: {}, url: {} } },
    ask: async (questions, signal) =>
      new Map(
        await Promise.all(
          [...questions].map(async ([key, question]) => [key, await answer(question, signal)] as const),
        ),
      ),
    notify: () => {},
  };
}

function toRequest(
  about: Pick<ElicitationRequest, "server" | "codeLine">,
  params: Readonly<Record<string, unknown>>,
): ElicitationRequest {
  const { message, mode, requestedSchema, url } = params;
  return {
    ...about,
    message: typeof message === "string" ? message : "",
    mode: mode === "url" ? "url" : "form",
    requestedSchema: isRecord(requestedSchema) ? requestedSchema : null,
    url: typeof url === "string" ? url : null,
  };
}

/** What is no answer is none: a server must not take a slip for a yes. */
function readAnswer(given: unknown): Readonly<Record<string, unknown>> {
  const action = isRecord(given) ? given.action : undefined;
  if (action !== "accept" && action !== "decline" && action !== "cancel")
    throw new TypeError('an answer needs an action: "accept", "decline" or "cancel"');
  const content = isRecord(given) ? given.content : undefined;
  return action === "accept" && isRecord(content) ? { action, content } : { action };
}
