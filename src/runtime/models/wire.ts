import type { ModelRequest, ReplyWatch, WireName } from "./model.ts";

/** The HTTP format of one kind of provider. */
export interface ModelWire {
  readonly name: WireName;
  url(baseUrl: string, model: string): string;
  headers(key: string | null): Readonly<Record<string, string>>;
  /** What is to be sent as JSON; some members have been written already. */
  body(model: string, request: ModelRequest): Readonly<Record<string, unknown>>;
  /** The events of a reply that was not streamed. */
  whole(reply: unknown): Iterable<unknown>;
  /** The error in an event; undefined for all others. */
  errorIn(event: unknown): unknown;
  watch(): ReplyWatch;
}

/** Keeps the query of an address at its end. */
export function joinUrl(baseUrl: string, path: string): string {
  const [address = "", ...query] = baseUrl.split("?");
  return [`${address.replace(/\/+$/, "")}${path}`, ...query].join("?");
}

/** The value if it is a count, else 0. */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
