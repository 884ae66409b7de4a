import { known, type Stage } from "../../../core/call/eventual.ts";
import type { Validator } from "../../../runtime/executor/validator.ts";
import type { Era } from "../../../sources/peer.ts";
import { dropHiddenParts } from "../../../system/text/clean-text.ts";
import { isObject, type Params, type ProtocolAnswer } from "../wire/json-rpc.ts";
import type { ToolPromise } from "./output-schema.ts";

export interface PromiseContext {
  readonly era: Era;
  /** The output schema that the client was shown; null if none. */
  readonly promise: ToolPromise | null;
  /** Whether the result is the server's own, unchanged. */
  readonly isOwn: boolean;
  readonly validator: Validator;
}

/**
 * A client that was shown a schema refuses results that do not fit it, and loses what the tool did. So a result that
 * does not fit, the server's own or a changed one, becomes an error, which may have any form.
 */
export function* keepPromise(answer: ProtocolAnswer, context: PromiseContext): Stage<ProtocolAnswer> {
  if (answer.kind !== "result") return answer;
  const { promise, era, isOwn } = context;
  const { structuredContent: value, isError } = answer.result;
  if (promise === null || promise.schema[era] === null || isError === true)
    return { kind: "result", result: toEra(answer.result, context) };
  if (value === undefined) return broken(answer.result, isOwn ? leftOut(promise) : CHANGED);
  const { result } = answer;
  // Its validator accepts any JSON, although others use it only for arguments.
  const problem = yield* known(context.validator.check(promise.signature, promise.schema.modern, value as Params));
  if (problem === null) return { kind: "result", result: toEra(result, context) };
  return broken(result, isOwn ? unfit(promise, problem) : CHANGED);
}

/** Results of the older era are objects, as its schemas are. */
function toEra(result: Params, { era, promise }: PromiseContext): Params {
  const { structuredContent: value } = result;
  if (era === "modern" || value === undefined) return result;
  const isWrapped = promise?.schema.isWrapped === true && result.isError !== true;
  return isWrapped || !isObject(value) ? { ...result, structuredContent: { result: value } } : result;
}

const DONE = "The tool did its work; there is no need to call it again.";
const MARKED = "hence this is marked as an error.";
const CHANGED = `${DONE} Its result was shortened or changed on the way and no longer has the form that the tool promises, ${MARKED}`;

function leftOut(promise: ToolPromise): string {
  return `${DONE} ${whose(promise)} left out the structured result that it promises, ${MARKED}`;
}

/** The message contains names that the server chose, so they are cleaned like all its text. */
function unfit(promise: ToolPromise, problem: string): string {
  const { text } = dropHiddenParts(problem);
  return `${DONE} ${whose(promise)} gave a structured result that is not what it promises (${text}), ${MARKED}`;
}

function whose({ server }: ToolPromise): string {
  return server === null ? "It" : `Its server ${JSON.stringify(server)}`;
}

function broken({ structuredContent: _, ...result }: Params, why: string): ProtocolAnswer {
  const content = Array.isArray(result.content) ? result.content : [];
  return { kind: "result", result: { ...result, content: [...content, { type: "text", text: why }], isError: true } };
}
