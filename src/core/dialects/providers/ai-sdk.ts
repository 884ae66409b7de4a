import type { ToolResult } from "../../call/tool-result.ts";
import { put } from "../../shape/json-value.ts";
import { toPromptSections } from "../../toolset/prompt-sections.ts";
import { type Dialect, isFailure, type Payload, toPayload, toSend } from "../contract/dialect.ts";
import { LIMITS } from "../limits/limits.ts";
import { toServerId } from "../stream/call-log.ts";
import { readEvents, readWhole } from "../stream/stream-part.ts";
import { type Advertised, advertise } from "../tools/advertise.ts";
import { PLAIN_NAMES } from "../tools/names.ts";
import type { ObjectSchema } from "../tools/shape-schema.ts";
import { createAiSdkReader, toAiSdkParts } from "./read-ai-sdk.ts";

/**
 * Marks what the AI SDK's `jsonSchema()` makes, so that its package need not be loaded here. Without it the SDK would
 * read a Standard Schema and close objects that are open.
 */
const AI_SDK_SCHEMA = Symbol.for("vercel.ai.schema");

export interface AiSdkSchema {
  readonly jsonSchema: ObjectSchema;
  readonly validate: undefined;
  /** The same as a Standard Schema, which the SDK's types require. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: () => ObjectSchema; readonly output: () => ObjectSchema };
  };
}

export interface AiSdkTool {
  description?: string;
  inputSchema: AiSdkSchema;
}

type AiSdkOutput =
  | { type: "text"; value: string }
  | { type: "error-text"; value: string }
  | { type: "execution-denied"; reason: string }
  | {
      type: "content";
      value: (
        | { type: "text"; text: string }
        | { type: "image-data"; data: string; mediaType: string }
        | { type: "file-data"; data: string; mediaType: string }
      )[];
    };

export interface AiSdkResultMessage {
  role: "tool";
  content: { type: "tool-result"; toolCallId: string; toolName: string; output: AiSdkOutput }[];
}

export interface AiSdkPayload extends Payload<Record<string, AiSdkTool>> {
  /** The tools shown now; the others can be named once a search has loaded them. */
  readonly activeTools: string[];
}

const limits = LIMITS["ai-sdk"];
const EVENTS =
  /^(?:(?:text|reasoning|tool)-[a-z-]+|start(?:-step)?|finish(?:-step)?|stream-start|response-metadata|source|file|raw|abort|error)$/;

export interface AiSdkDialect extends Dialect<Record<string, AiSdkTool>, AiSdkResultMessage> {
  payload(...input: Parameters<Dialect<unknown, unknown>["payload"]>): AiSdkPayload;
}

/** The Vercel AI SDK with any provider. Tools have no `execute`, so calls come back to be judged and run. */
export const aiSdk: AiSdkDialect = {
  name: "ai-sdk",
  limits,
  owns: (_event, type) => EVENTS.test(type),
  isWhole: ({ content, finishReason }) => Array.isArray(content) || finishReason !== undefined,
  payload(toolset, options) {
    const sent = advertise(toolset, limits, options);
    const tools: Record<string, AiSdkTool> = {};
    for (const one of [...sent.shown, ...sent.deferred]) put(tools, one.name, toTool(one));
    const activeTools = sent.shown.map(({ name }) => name);
    return { ...toPayload(tools, toPromptSections(toolset), sent), activeTools };
  },
  readStream: (events, names = PLAIN_NAMES) => readEvents(events, createAiSdkReader(names)),
  readResponse: (result, names = PLAIN_NAMES) => readWhole(toAiSdkParts(result), createAiSdkReader(names)),
  results(given, { names }) {
    const content = toSend(given).map(({ call, result }) => ({
      type: "tool-result" as const,
      toolCallId: toServerId(call.id),
      toolName: names.toProvider(call.toolName),
      output: toOutput(result),
    }));
    return content.length === 0 ? [] : [{ role: "tool", content }];
  },
};

function toTool({ description, schema }: Advertised): AiSdkTool {
  const inputSchema: AiSdkSchema & { readonly [AI_SDK_SCHEMA]: true } = {
    [AI_SDK_SCHEMA]: true,
    jsonSchema: schema,
    validate: undefined,
    "~standard": {
      version: 1,
      vendor: "toolcrib",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  };
  return { ...(description === "" ? {} : { description }), inputSchema };
}

function toOutput(result: ToolResult): AiSdkOutput {
  const { textResultForLlm: text, resultType, binaryResultsForLlm: binary = [] } = result;
  if (resultType === "denied" || resultType === "rejected") return { type: "execution-denied", reason: text };
  if (isFailure(result)) return { type: "error-text", value: text };
  if (binary.length === 0) return { type: "text", value: text };
  const files = binary.map(({ data, mimeType }) => ({
    type: mimeType.startsWith("image/") ? ("image-data" as const) : ("file-data" as const),
    data,
    mediaType: mimeType,
  }));
  return { type: "content", value: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...files] };
}
