import { SEARCH_NAME } from "../catalog/search-tool.ts";
import { createCallLog } from "./call-log.ts";
import { isObject, type JsonObject, listOf, objectOf, textOf } from "./json-value.ts";
import type { Names } from "./names.ts";
import type { StopReason, StreamPart, StreamReader } from "./stream-part.ts";

const INCOMPLETE: ReadonlyMap<string, StopReason> = new Map([
  ["max_output_tokens", "length"],
  ["content_filter", "refusal"],
]);

/** OpenAI's Responses events. A call is complete at `output_item.done`, the first event that has name, id and arguments. */
export function createResponsesReader(names: Names): StreamReader {
  const log = createCallLog(names);
  let refused = false;

  const announce = (item: JsonObject) => {
    const id = textOf(item.call_id) ?? textOf(item.id);
    return item.type === "tool_search_call"
      ? log.announce(id, SEARCH_NAME)
      : log.announce(id, String(item.name), textOf(item.namespace));
  };
  const finish = (item: JsonObject): readonly StreamPart[] => {
    if (!isOurs(item)) return [];
    const { call, parts } = announce(item);
    if (item.status !== undefined && item.status !== null && item.status !== "completed")
      return [...parts, ...log.drop((one) => one === call, "incomplete")];
    return [...parts, ...log.complete(call, item.arguments)];
  };
  /** Compatible servers send some calls only with the whole response. */
  const finishAll = (response: JsonObject): readonly StreamPart[] =>
    listOf(response.output).filter(isObject).flatMap(finish);

  return {
    push(event) {
      const { type, item, delta, response: given } = objectOf(event);
      const response = objectOf(given);
      switch (type) {
        case "response.output_item.added":
          return isOurs(objectOf(item)) ? announce(objectOf(item)).parts : [];
        case "response.output_item.done":
          return finish(objectOf(item));
        case "response.output_text.delta":
          return [{ type: "text", text: String(delta) }];
        case "response.refusal.delta":
          refused = true;
          return [{ type: "refusal", text: String(delta) }];
        case "response.completed":
          return [...finishAll(response), ...log.stop(refused ? "refusal" : "end", "completed")];
        case "response.incomplete": {
          const raw = textOf(objectOf(response.incomplete_details).reason);
          return log.stop(INCOMPLETE.get(raw ?? "") ?? "length", raw ?? "incomplete");
        }
        case "response.failed":
        case "response.cancelled":
        case "error":
          return log.stop("error", textOf(objectOf(response.error).code) ?? String(type));
        default:
          return [];
      }
    },
    end: (failed) => log.stop(failed ? "error" : "cut", null),
  };
}

/** Calls of functions, and of the search that the client runs; all else the provider runs itself. */
function isOurs({ type, execution }: JsonObject): boolean {
  return type === "function_call" || (type === "tool_search_call" && execution !== "server");
}

/** A whole response as the events it would have been. */
export function* toResponsesEvents(given: unknown): Generator<unknown> {
  const response = objectOf(given);
  for (const item of listOf(response.output).filter(isObject)) {
    for (const part of listOf(item.content).filter(isObject)) {
      if (part.type === "output_text") yield { type: "response.output_text.delta", delta: part.text };
      if (part.type === "refusal") yield { type: "response.refusal.delta", delta: part.refusal };
    }
    yield { type: "response.output_item.done", item };
  }
  const status = textOf(response.status) ?? "completed";
  yield { type: `response.${status}`, response };
}
