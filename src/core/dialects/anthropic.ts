import type { BinaryResult } from "../call/tool-result.ts";
import { toPromptSections } from "../toolset/prompt-sections.ts";
import { type Advertised, advertise } from "./advertise.ts";
import { type AnsweredCall, type Dialect, isFailure, loadedBy, type Payload, toPayload, toSend } from "./dialect.ts";
import { LIMITS } from "./limits.ts";
import { PLAIN_NAMES } from "./names.ts";
import { createAnthropicReader, toAnthropicEvents } from "./read-anthropic.ts";
import type { ObjectSchema } from "./shape-schema.ts";
import { readEvents, readWhole } from "./stream-part.ts";

export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: ObjectSchema;
  strict?: boolean;
  defer_loading?: boolean;
  cache_control?: { type: "ephemeral" };
}

type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } }
  | { type: "document"; source: { type: "base64"; media_type: "application/pdf"; data: string } }
  | { type: "tool_reference"; tool_name: string };

export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string | AnthropicContent[];
  is_error?: boolean;
}

export interface AnthropicResultMessage {
  role: "user";
  content: AnthropicToolResult[];
}

const limits = LIMITS.anthropic;
const IMAGE_TYPES: readonly ImageType[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/**
 * Anthropic Messages. Deferred tools are sent with `defer_loading`, which keeps them out of context and cache key; our
 * own search answers with `tool_reference`s, so that loading a tool changes nothing in front of it (D7).
 */
export const anthropic: Dialect<AnthropicTool[], AnthropicResultMessage> = {
  name: "anthropic",
  limits,
  payload(toolset, options) {
    const sent = advertise(toolset, limits, options);
    const deferred = sent.deferral === "native" ? sent.deferred.slice(0, limits.deferral.maxDeferred) : [];
    const tools = [...sent.shown.map((one, at) => toTool(one, at === sent.boundary - 1)), ...deferred.map(toDeferred)];
    return toPayload(tools, toPromptSections(toolset, { listLoaded: sent.deferral === "native" }), {
      ...sent,
      deferred,
    });
  },
  readStream: (events, names = PLAIN_NAMES) => readEvents(events, createAnthropicReader(names)),
  readResponse: (message, names = PLAIN_NAMES) => readWhole(toAnthropicEvents(message), createAnthropicReader(names)),
  // All results go into one message: split over several they teach the model not to call in parallel.
  results(given, payload) {
    const content = toSend(given).map((result) => toToolResult(result, payload));
    return content.length === 0 ? [] : [{ role: "user", content }];
  },
};

function toTool({ name, description, schema, strict }: Advertised, isBoundary: boolean): AnthropicTool {
  return {
    name,
    ...(description === "" ? {} : { description }),
    input_schema: schema,
    ...(strict ? { strict } : {}),
    ...(isBoundary ? { cache_control: { type: "ephemeral" } } : {}),
  };
}

/** A tool with `defer_loading` may carry no cache mark. */
function toDeferred(one: Advertised): AnthropicTool {
  return { ...toTool(one, false), defer_loading: true };
}

function toToolResult(
  given: AnsweredCall,
  payload: Pick<Payload<unknown>, "deferral" | "loadable">,
): AnthropicToolResult {
  const { call, result } = given;
  const loaded = loadedBy(given, payload);
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content:
      loaded.length > 0 ? loaded.map(toReference) : toContent(result.textResultForLlm, result.binaryResultsForLlm),
    ...(isFailure(result) ? { is_error: true } : {}),
  };
}

function toReference({ name }: Advertised): AnthropicContent {
  return { type: "tool_reference", tool_name: name };
}

function toContent(text: string, binary: readonly BinaryResult[] = []): string | AnthropicContent[] {
  if (binary.length === 0) return text;
  return [...(text === "" ? [] : [{ type: "text", text } as const]), ...binary.map(toBlock)];
}

function toBlock({ data, mimeType, description }: BinaryResult): AnthropicContent {
  const image = IMAGE_TYPES.find((type) => type === mimeType);
  if (image !== undefined) return { type: "image", source: { type: "base64", media_type: image, data } };
  if (mimeType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
  return { type: "text", text: `[${description ?? "a file"} of type ${mimeType}, which cannot be shown]` };
}
