import type { AnsweredCall } from "../../call/message.ts";
import type { BinaryResult } from "../../call/tool-result.ts";
import { findBehind } from "../../toolset/loadable.ts";
import { toPromptSections } from "../../toolset/prompt-sections.ts";
import type { Toolset } from "../../toolset/toolset.ts";
import { type Dialect, isFailure, loadedBy, type Payload, toPayload, toSend } from "../contract/dialect.ts";
import { LIMITS } from "../limits/limits.ts";
import { toServerId } from "../stream/call-log.ts";
import { readEvents, readWhole } from "../stream/stream-part.ts";
import { type Advertised, advertise, type PayloadOptions } from "../tools/advertise.ts";
import { PLAIN_NAMES } from "../tools/names.ts";
import type { AnthropicTool } from "./anthropic-tool.ts";
import {
  type AnthropicChangeMessage,
  changeTools,
  type Declared,
  TOOL_CHANGES_BETA,
  toKeptBack,
} from "./anthropic-tool-changes.ts";
import { createAnthropicReader, toAnthropicEvents } from "./read-anthropic.ts";

type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type AnthropicContent =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } }
  | { type: "document"; source: { type: "base64"; media_type: "application/pdf"; data: string }; title?: string }
  | { type: "tool_reference"; tool_name: string };

export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string | AnthropicContent[];
  is_error?: boolean;
}

export interface AnthropicResultMessage {
  role: "user";
  /** All results, followed by the content that results of failures may not hold. */
  content: (AnthropicToolResult | Exclude<AnthropicContent, { type: "tool_reference" }>)[];
}

export interface AnthropicPayload extends Payload<AnthropicTool[]> {
  /** With `toolChanges`: the tools added and withdrawn since the previous request, to append after its messages. */
  readonly changes: AnthropicChangeMessage[];
  /** Beta features that the request needs; pass them as the SDK's `betas`. */
  readonly betas: string[];
  /** For the next payload with `toolChanges`. */
  readonly declared: Declared | null;
}

export interface AnthropicOptions extends PayloadOptions {
  /**
   * Announces added and withdrawn tools by messages in the history, if enabled for the account: the payload of the
   * previous request, or null for the first of a conversation.
   */
  readonly toolChanges?: Pick<AnthropicPayload, "declared"> | null;
  /** Tools that the history refers to, declared even after they are gone. */
  readonly keep?: Iterable<Advertised>;
}

export interface AnthropicDialect extends Dialect<AnthropicTool[], AnthropicResultMessage> {
  payload(toolset: Toolset, options?: AnthropicOptions): AnthropicPayload;
}

const limits = LIMITS.anthropic;
const EVENTS = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error)$/;
const IMAGE_TYPES: readonly ImageType[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/**
 * Anthropic Messages. Deferred tools are sent with `defer_loading`, which keeps them out of context and cache key; our
 * own search answers with `tool_reference`s, so that loading a tool changes nothing before it.
 */
export const anthropic: AnthropicDialect = {
  name: "anthropic",
  limits,
  owns: (_event, type) => EVENTS.test(type),
  isWhole: ({ content }) => Array.isArray(content),
  payload(toolset, options = {}) {
    const sent = advertise(toolset, limits, options);
    const shown = sent.shown.map((one, at) => toTool(one, at === sent.boundary - 1));
    const loaded = new Set(findBehind(toolset).loaded.map(({ entry }) => entry.wireName));
    const declared = sent.deferral === "native" ? chooseDeclared(sent.deferred, loaded) : [];
    const here = new Set([...sent.shown, ...declared].map(({ name }) => name));
    const kept = [...(options.keep ?? [])].filter(({ name }) => !here.has(name));
    const deferred = [...declared, ...kept].map((one) => toKeptBack(toTool(one, false)));
    const system = toPromptSections(toolset, { listLoaded: sent.listed });
    const plain = { ...toPayload([...shown, ...deferred], system, sent), changes: [], betas: [], declared: null };
    if (options.toolChanges === undefined) return plain;
    const again = new Set(declared.flatMap(({ wireName, name }) => (loaded.has(wireName) ? [name] : [])));
    const since = options.toolChanges?.declared ?? null;
    const change = changeTools(since, shown, deferred, again) ?? changeTools(null, shown, deferred, again);
    return { ...plain, ...change, betas: [TOOL_CHANGES_BETA] };
  },
  readStream: (events, names = PLAIN_NAMES) => readEvents(events, createAnthropicReader(names)),
  readResponse: (message, names = PLAIN_NAMES) => readWhole(toAnthropicEvents(message), createAnthropicReader(names)),
  // All results go into one message: splitting them teaches the model not to call in parallel.
  results(given, payload) {
    const sent = toSend(given);
    const results = sent.map((result) => toToolResult(result, payload));
    return results.length === 0 ? [] : [{ role: "user", content: [...results, ...sent.flatMap(toAttached)] }];
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

/** As many as may be declared, first those that the history refers to: a dangling reference is refused. */
function chooseDeclared(deferred: readonly Advertised[], loaded: ReadonlySet<string>): readonly Advertised[] {
  const { maxDeferred } = limits.deferral;
  if (deferred.length <= maxDeferred) return deferred;
  let left = maxDeferred - loaded.size;
  return deferred.filter(({ wireName }) => {
    if (loaded.has(wireName)) return true;
    left -= 1;
    return left >= 0;
  });
}

function toToolResult(
  given: AnsweredCall,
  payload: Pick<Payload<unknown>, "deferral" | "loadable">,
): AnthropicToolResult {
  const { call, result } = given;
  const loaded = loadedBy(given, payload);
  return {
    type: "tool_result",
    tool_use_id: toServerId(call.id),
    content:
      loaded.length > 0
        ? loaded.map(toReference)
        : toContent(result.textResultForLlm, isFailure(result) ? [] : result.binaryResultsForLlm),
    ...(isFailure(result) ? { is_error: true } : {}),
  };
}

/** A failure may hold text only; its pictures follow after all results. */
function toAttached({ call, result }: AnsweredCall): AnthropicResultMessage["content"] {
  const { binaryResultsForLlm: binary = [] } = result;
  if (!isFailure(result) || binary.length === 0) return [];
  return [
    { type: "text", text: `Returned by ${call.toolName} (${toServerId(call.id)}):` },
    ...binary.map(toAnthropicBlock),
  ];
}

function toReference({ name }: Advertised): AnthropicContent {
  return { type: "tool_reference", tool_name: name };
}

function toContent(text: string, binary: readonly BinaryResult[] = []): string | AnthropicContent[] {
  if (binary.length === 0) return text;
  return [...(text.trim() === "" ? [] : [{ type: "text", text } as const]), ...binary.map(toAnthropicBlock)];
}

export function toAnthropicBlock({
  data,
  mimeType,
  description,
}: BinaryResult): Exclude<AnthropicContent, { type: "tool_reference" }> {
  const image = IMAGE_TYPES.find((type) => type === mimeType);
  if (image !== undefined) return { type: "image", source: { type: "base64", media_type: image, data } };
  if (mimeType === "application/pdf")
    return {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data },
      ...(description === undefined ? {} : { title: description }),
    };
  return { type: "text", text: `[${description ?? "a file"} of type ${mimeType}, which cannot be shown]` };
}
