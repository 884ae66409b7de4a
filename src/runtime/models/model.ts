import type { HistoryMessage, NativeReply } from "../../core/call/message.ts";
import type { PayloadOf } from "../../core/dialects/dialects.ts";
import type { PromptSection } from "../../core/toolset/prompt-sections.ts";

/** The languages in which a model can be asked. */
export type WireName = "anthropic" | "openai-responses" | "openai-chat" | "gemini";

export const EFFORTS = ["low", "medium", "high"] as const;
export type Effort = (typeof EFFORTS)[number];

/** How much a model says, where its provider lets one choose. */
export const VERBOSITIES = ["low", "medium", "high"] as const;
type Verbosity = (typeof VERBOSITIES)[number];

/** How a model sums up its thoughts for people, where its provider does so on request. */
export const REASONING_SUMMARIES = ["concise", "detailed"] as const;
type ReasoningSummary = (typeof REASONING_SUMMARIES)[number];

/** One request to a model, in no provider's words but those of the payload. */
export interface ModelRequest {
  readonly payload: PayloadOf<WireName>;
  /** Text in front of the payload's own sections. */
  readonly system: readonly PromptSection[];
  readonly history: readonly HistoryMessage[];
  /** Who asks: the name of a subagent, null for the session itself. */
  readonly agent: string | null;
  readonly maxTokens: number | null;
  readonly effort: Effort | null;
  readonly verbosity?: Verbosity;
  readonly reasoningSummary?: ReasoningSummary;
  /** The form that the answer must have. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Groups requests that share a beginning, for providers that keep caches by it. */
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

/** What a reply holds besides text and calls. */
export interface ReplyWatch {
  /** Looks at an event; what it adds to the model's thoughts, where the provider shows them. */
  push(event: unknown): string | null;
  readonly usage: TokenUsage | null;
  readonly native: NativeReply | null;
}

/** A model that can be asked. */
export interface ModelClient {
  /** As its provider calls it. */
  readonly id: string;
  readonly provider: string;
  readonly wire: WireName;
  /** The events of a reply, as the provider's own SDK gives them. What goes wrong is a `ModelError`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<unknown>;
  watch(): ReplyWatch;
}
