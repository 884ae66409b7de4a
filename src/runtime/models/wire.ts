import type { ModelRequest, ReplyWatch, WireName } from "./model.ts";

/** How one kind of provider is asked over HTTP. */
export interface ModelWire {
  readonly name: WireName;
  url(baseUrl: string, model: string): string;
  headers(key: string | null): Readonly<Record<string, string>>;
  body(model: string, request: ModelRequest): Readonly<Record<string, unknown>>;
  /** The events of a reply that came whole, from servers that do not stream. */
  whole(reply: unknown): Iterable<unknown>;
  /** What an event says went wrong; undefined for all others. */
  errorIn(event: unknown): unknown;
  watch(): ReplyWatch;
}

/** What an address asks for stays at its end. */
export function joinUrl(baseUrl: string, path: string): string {
  const [address = "", ...query] = baseUrl.split("?");
  return [`${address.replace(/\/+$/, "")}${path}`, ...query].join("?");
}

/** Takes only what is a count. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
