import type { AnsweredCall } from "../../call/message.ts";
import type { BinaryResult } from "../../call/tool-result.ts";
import { isRecord, type JsonObject } from "../../shape/json-value.ts";
import { toPromptSections } from "../../toolset/prompt-sections.ts";
import { type Dialect, isFailure, toPayload, toSend } from "../contract/dialect.ts";
import { LIMITS } from "../limits/limits.ts";
import { readEvents, readWhole } from "../stream/stream-part.ts";
import { type Advertised, advertise } from "../tools/advertise.ts";
import { PLAIN_NAMES } from "../tools/names.ts";
import type { ObjectSchema } from "../tools/shape-schema.ts";
import { createMcpReader, toRequestId } from "./read-mcp.ts";

export interface McpTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: ObjectSchema;
  annotations: { readOnlyHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
}

type McpContent =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType: string; blob: string } };

export interface McpResponse {
  jsonrpc: "2.0";
  id: string | number;
  result: { content: McpContent[]; structuredContent?: JsonObject; isError?: boolean };
}

const limits = LIMITS.mcp;

/** An MCP client as the caller: tools as in `tools/list`, calls and results as JSON-RPC. */
export const mcp: Dialect<McpTool[], McpResponse> = {
  name: "mcp",
  limits,
  owns: ({ jsonrpc, method }) => jsonrpc === "2.0" || typeof method === "string",
  payload(toolset, options) {
    const sent = advertise(toolset, limits, options);
    return toPayload(sent.shown.map(toTool), toPromptSections(toolset), sent);
  },
  readStream: (messages, names = PLAIN_NAMES) => readEvents(messages, createMcpReader(names)),
  readResponse: (message, names = PLAIN_NAMES) => readWhole([message], createMcpReader(names)),
  results: (results) => toSend(results).map(toResponse),
};

function toTool({ name, description, schema, tool }: Advertised): McpTool {
  const { readOnly, idempotent, openWorld } = tool.traits;
  return {
    name,
    ...(tool.title === null ? {} : { title: tool.title }),
    ...(description === "" ? {} : { description }),
    inputSchema: schema,
    annotations: { readOnlyHint: readOnly, idempotentHint: idempotent, openWorldHint: openWorld },
  };
}

function toResponse({ call, result }: AnsweredCall): McpResponse {
  const { textResultForLlm: text, structured, binaryResultsForLlm: binary = [] } = result;
  return {
    jsonrpc: "2.0",
    id: toRequestId(call.id),
    result: {
      content: [{ type: "text", text }, ...binary.map(toContent)],
      ...(isRecord(structured) ? { structuredContent: structured } : {}),
      ...(isFailure(result) ? { isError: true } : {}),
    },
  };
}

function toContent({ data, mimeType }: BinaryResult, at: number): McpContent {
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: `toolcrib:result/${at}`, mimeType, blob: data } };
}
