import type { HistoryMessage, NativeReply } from "../../core/call/message.ts";
import type { PayloadOf } from "../../core/dialects/dialects.ts";
import type { PromptSection } from "../../core/toolset/prompt-sections.ts";

/** The provider formats in which a model can be asked. */
export const WIRE_NAMES = ["anthropic", "openai-responses", "openai-chat", "gemini"] as const;
export type WireName = (typeof WIRE_NAMES)[number];

export const EFFORTS = ["low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];

/** How verbose a model is, if its provider offers the choice. */
export const VERBOSITIES = ["low", "medium", "high"] as const;
type Verbosity = (typeof VERBOSITIES)[number];

/** How a model summarises its thoughts for people, if its provider does so on request. */
export const REASONING_SUMMARIES = ["concise", "detailed"] as const;
type ReasoningSummary = (typeof REASONING_SUMMARIES)[number];

/** One request to a model; only the payload is in a provider's format. */
export interface ModelRequest {
  readonly payload: PayloadOf<WireName>;
  /** Text before the payload's own sections. */
  readonly system: readonly PromptSection[];
  readonly history: readonly HistoryMessage[];
  /** The name of the subagent that asks; null for the session itself. */
  readonly agent: string | null;
  readonly maxTokens: number | null;
  readonly effort: Effort | null;
  readonly verbosity?: Verbosity;
  readonly reasoningSummary?: ReasoningSummary;
  /** The schema that the answer must fit. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Groups requests with a common prefix, for providers that cache by it. */
  readonly cacheKey: string | null;
}

/** Tokens of one reply. */
export interface TokenUsage {
  /** All that was read, from a cache or not. */
  readonly input: number;
  readonly output: number;
  /** The part of `input` that came out of a cache. */
  readonly cached: number;
  /** The part of `input` that was written into a cache. */
  readonly written: number;
}

/** What a reply contains in addition to text and calls. */
export interface ReplyWatch {
  /** Examines an event; returns what it adds to the model's thoughts, if the provider shows them. */
  push(event: unknown): string | null;
  readonly usage: TokenUsage | null;
  readonly native: NativeReply | null;
}

/** A model that can be asked. */
export interface ModelClient {
  /** The provider's id for it. */
  readonly id: string;
  readonly provider: string;
  readonly wire: WireName;
  /** The events of a reply, as the provider's own SDK gives them. Failures are thrown as `ModelError`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<unknown>;
  watch(): ReplyWatch;
}
