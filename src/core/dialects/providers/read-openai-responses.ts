import { SEARCH_NAME } from "../../catalog/search-tool.ts";
import { isRecord, type JsonObject, listOf, objectOf, textOrNull } from "../../shape/json-value.ts";
import { type Announced, createCallLog, type OpenCall } from "../stream/call-log.ts";
import type { StopReason, StreamPart, StreamReader } from "../stream/stream-part.ts";
import type { Names } from "../tools/names.ts";

const INCOMPLETE: ReadonlyMap<string, StopReason> = new Map([
  ["max_output_tokens", "length"],
  ["content_filter", "refusal"],
]);

/** OpenAI's Responses events. A call is complete at `output_item.done`, the first event that has name, id and arguments. */
export function createResponsesReader(names: Names): StreamReader {
  const log = createCallLog(names);
  let refused = false;

  /** Items by id and index: calls that share an id have different indexes. */
  const byIndex = new Map<string, OpenCall>();

  const begin = (item: JsonObject): Announced =>
    item.type === "tool_search_call"
      ? log.begin(idOf(item), SEARCH_NAME)
      : log.begin(idOf(item), String(item.name), textOrNull(item.namespace));
  /** A call that an earlier event announced, also under another index if it is incomplete; else a new one. */
  const announce = (item: JsonObject, index: unknown, isStart: boolean): Announced => {
    const id = idOf(item);
    if (id === null) return begin(item);
    const key = JSON.stringify([id, typeof index === "number" ? index : null]);
    const last = isStart ? undefined : log.withId(id).at(-1);
    const known = byIndex.get(key) ?? (last?.state === "open" ? last : undefined);
    const announced = known === undefined ? begin(item) : { call: known, parts: [] };
    byIndex.set(key, announced.call);
    return announced;
  };
  const finish = (item: JsonObject, { call, parts }: Announced): readonly StreamPart[] => {
    if (item.status !== undefined && item.status !== null && item.status !== "completed")
      return [...parts, ...log.drop((one) => one === call, "incomplete")];
    return [...parts, ...log.complete(call, item.arguments)];
  };
  /** Compatible servers send some calls only with the whole response. */
  const finishAll = (response: JsonObject): readonly StreamPart[] => {
    const counts = new Map<string, number>();
    return listOf(response.output)
      .filter(isRecord)
      .filter(isOurs)
      .flatMap((item) => {
        const id = idOf(item);
        if (id === null) return finish(item, begin(item));
        const count = counts.get(id) ?? 0;
        counts.set(id, count + 1);
        const told = log.withId(id)[count];
        return finish(item, told === undefined ? begin(item) : { call: told, parts: [] });
      });
  };

  return {
    push(event) {
      const { type, item: held, output_index: index, delta, response: given } = objectOf(event);
      const item = objectOf(held);
      const response = objectOf(given);
      switch (type) {
        case "response.output_item.added":
          return isOurs(item) ? announce(item, index, true).parts : [];
        case "response.output_item.done":
          return isOurs(item) ? finish(item, announce(item, index, false)) : [];
        case "response.output_text.delta":
          return [{ type: "text", text: String(delta) }];
        case "response.refusal.delta":
          refused = true;
          return [{ type: "refusal", text: String(delta) }];
        case "response.completed":
          return [...finishAll(response), ...log.stop(refused ? "refusal" : "end", "completed")];
        case "response.incomplete": {
          const raw = textOrNull(objectOf(response.incomplete_details).reason);
          return log.stop(INCOMPLETE.get(raw ?? "") ?? "length", raw ?? "incomplete");
        }
        case "response.failed":
        case "response.cancelled":
        case "error":
          return log.stop("error", textOrNull(objectOf(response.error).code) ?? String(type));
        default:
          return [];
      }
    },
    end: (failed) => log.stop(failed ? "error" : "cut", null),
  };
}

function idOf({ call_id, id }: JsonObject): string | null {
  return textOrNull(call_id) ?? textOrNull(id);
}

/** Function calls, and the search that the client runs; the provider runs everything else itself. */
function isOurs({ type, execution }: JsonObject): boolean {
  return type === "function_call" || (type === "tool_search_call" && execution !== "server");
}

/** A whole response as the equivalent events. */
export function* toResponsesEvents(given: unknown): Generator<unknown> {
  const response = objectOf(given);
  for (const [output_index, item] of listOf(response.output).filter(isRecord).entries()) {
    for (const part of listOf(item.content).filter(isRecord)) {
      if (part.type === "output_text") yield { type: "response.output_text.delta", delta: part.text };
      if (part.type === "refusal") yield { type: "response.refusal.delta", delta: part.refusal };
    }
    yield { type: "response.output_item.done", output_index, item };
  }
  const status = textOrNull(response.status) ?? "completed";
  yield { type: `response.${status}`, response };
}
