import type { AnsweredCall } from "../../call/message.ts";
import type { ToolResult } from "../../call/tool-result.ts";
import { SEARCH_NAME } from "../../catalog/search-tool.ts";
import { toPromptSections } from "../../toolset/prompt-sections.ts";
import { type Dialect, loadedBy, type Payload, toPayload, toSend } from "../contract/dialect.ts";
import { LIMITS } from "../limits/limits.ts";
import { toServerId } from "../stream/call-log.ts";
import { readEvents, readWhole } from "../stream/stream-part.ts";
import { type Advertised, advertise } from "../tools/advertise.ts";
import { PLAIN_NAMES } from "../tools/names.ts";
import type { ObjectSchema } from "../tools/shape-schema.ts";
import { createResponsesReader, toResponsesEvents } from "./read-openai-responses.ts";

export interface ResponsesFunction {
  type: "function";
  name: string;
  description?: string;
  parameters: ObjectSchema;
  strict: boolean;
  defer_loading?: boolean;
}

export interface ResponsesNamespace {
  type: "namespace";
  name: string;
  description: string;
  tools: ResponsesFunction[];
}

export interface ResponsesSearch {
  type: "tool_search";
  execution: "client";
  description: string;
  parameters: ObjectSchema;
}

export type ResponsesTool = ResponsesFunction | ResponsesNamespace | ResponsesSearch;

type OutputPart = { type: "input_text"; text: string } | { type: "input_image"; image_url: string; detail: "auto" };

export type ResponsesResultItem =
  | { type: "function_call_output"; call_id: string; output: string | OutputPart[] }
  | {
      type: "tool_search_output";
      call_id: string;
      execution: "client";
      status: "completed";
      tools: (ResponsesFunction | ResponsesNamespace)[];
    };

const limits = LIMITS["openai-responses"];

/**
 * OpenAI Responses. Deferred tools are not sent at all: the model calls the provider's own `tool_search`, and the
 * client answers with definitions grouped in one namespace per server. They stay loaded at that point of the history.
 */
export const openaiResponses: Dialect<ResponsesTool[], ResponsesResultItem> = {
  name: "openai-responses",
  limits,
  owns: (_event, type) => type.startsWith("response.") || type === "keepalive" || type === "error",
  isWhole: ({ output }) => Array.isArray(output),
  payload(toolset, options) {
    const sent = advertise(toolset, limits, options);
    const isSearch = ({ wireName }: Advertised) => sent.deferral === "native" && wireName === SEARCH_NAME;
    const tools = sent.shown.map((one) => (isSearch(one) ? toSearch(one) : toFunction(one)));
    return toPayload(tools, toPromptSections(toolset, { listLoaded: sent.listed }), sent);
  },
  readStream: (events, names = PLAIN_NAMES) => readEvents(events, createResponsesReader(names)),
  readResponse: (response, names = PLAIN_NAMES) => readWhole(toResponsesEvents(response), createResponsesReader(names)),
  results: (results, payload) => toSend(results).map((result) => toItem(result, payload)),
};

function toFunction({ name, description, schema, strict }: Advertised): ResponsesFunction {
  return { type: "function", name, ...(description === "" ? {} : { description }), parameters: schema, strict };
}

function toSearch({ description, schema }: Advertised): ResponsesSearch {
  return { type: "tool_search", execution: "client", description, parameters: schema };
}

/** A search is always answered in its own form, even if it found nothing. */
function toItem(given: AnsweredCall, payload: Pick<Payload<unknown>, "deferral" | "loadable">): ResponsesResultItem {
  const { call, result } = given;
  if (payload.deferral === "native" && call.toolName === SEARCH_NAME) {
    const tools = toGroups(loadedBy(given, payload));
    return {
      type: "tool_search_output",
      call_id: toServerId(call.id),
      execution: "client",
      status: "completed",
      tools,
    };
  }
  return { type: "function_call_output", call_id: toServerId(call.id), output: toOutput(result) };
}

function toGroups(loaded: readonly Advertised[]): (ResponsesFunction | ResponsesNamespace)[] {
  const groups: (ResponsesFunction | ResponsesNamespace)[] = [];
  const namespaces = new Map<string, ResponsesNamespace>();
  for (const one of loaded) {
    const tool = { ...toFunction(one), defer_loading: true };
    if (one.namespace === null) {
      groups.push(tool);
      continue;
    }
    const known = namespaces.get(one.namespace);
    if (known !== undefined) known.tools.push(tool);
    else {
      const description = `Tools of the server "${one.tool.server ?? one.namespace}"`;
      const group: ResponsesNamespace = { type: "namespace", name: one.namespace, description, tools: [tool] };
      namespaces.set(one.namespace, group);
      groups.push(group);
    }
  }
  return groups;
}

function toOutput({ textResultForLlm: text, binaryResultsForLlm: binary = [] }: ToolResult): string | OutputPart[] {
  if (binary.length === 0) return text;
  return [
    ...(text === "" ? [] : [{ type: "input_text", text } as const]),
    ...binary.map(({ data, mimeType, description }): OutputPart => {
      if (mimeType.startsWith("image/"))
        return { type: "input_image", image_url: `data:${mimeType};base64,${data}`, detail: "auto" };
      return { type: "input_text", text: `[${description ?? "a file"} of type ${mimeType}, which cannot be shown]` };
    }),
  ];
}
