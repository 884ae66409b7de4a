import type { Validator } from "../../runtime/executor/validator.ts";
import type { Era } from "../../sources/mcp/connection.ts";
import { type Answer, isObject, type Params } from "./json-rpc.ts";
import type { ToolPromise } from "./output-schema.ts";

export interface PromiseContext {
  readonly era: Era;
  /** What the client was told about the results of this tool; null when nothing. */
  readonly promise: ToolPromise | null;
  /** Whether the result is the server's own, with nothing said otherwise on the way. */
  readonly isOwn: boolean;
  readonly validator: Validator;
}

/**
 * A client that was shown a schema refuses results that do not fit it, and what the tool did is lost to it. So a result
 * that was shortened or changed on the way becomes an error, which may look like anything.
 */
export function keepPromise(answer: Answer, context: PromiseContext): Answer | Promise<Answer> {
  if (answer.kind !== "result") return answer;
  const { promise, era, isOwn } = context;
  const { structuredContent: value, isError } = answer.result;
  const isBound = promise !== null && promise.schema[era] !== null && isError !== true;
  if (isBound && value === undefined) return broken(answer.result, isOwn ? LEFT_OUT : CHANGED);
  if (isBound && !isOwn) return check(answer.result, promise, context);
  return { kind: "result", result: toEra(answer.result, context) };
}

async function check(result: Params, { signature, schema }: ToolPromise, context: PromiseContext): Promise<Answer> {
  const { structuredContent: value } = result;
  // Its validator takes whatever JSON can say, though arguments are all that others ask about.
  const problem = await context.validator.check(signature, schema.modern, value as Params);
  return problem === null ? { kind: "result", result: toEra(result, context) } : broken(result, CHANGED);
}

/** Results of the older era are objects, as its schemas are. */
function toEra(result: Params, { era, promise }: PromiseContext): Params {
  const { structuredContent: value } = result;
  if (era === "modern" || value === undefined) return result;
  const isWrapped = promise?.schema.isWrapped === true && result.isError !== true;
  return isWrapped || !isObject(value) ? { ...result, structuredContent: { result: value } } : result;
}

const CHANGED =
  "The tool did its work; there is no need to call it again. Its result was shortened or changed on the way and no longer has the form that the tool promises, hence this is marked as an error.";
const LEFT_OUT =
  "The tool did its work; there is no need to call it again. Its server left out the structured result that it promises, hence this is marked as an error.";

function broken({ structuredContent: _, ...result }: Params, why: string): Answer {
  const content = Array.isArray(result.content) ? result.content : [];
  return { kind: "result", result: { ...result, content: [...content, { type: "text", text: why }], isError: true } };
}
