import type { ToolResult } from "../../../core/call/tool-result.ts";
import { AddressRefusal } from "../../../system/addresses/address-refusal.ts";
import { getPublic } from "../../../system/addresses/get-public.ts";
import type { Reach } from "../../../system/addresses/resolve-public.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import { dropControls, dropHiddenParts } from "../../../system/text/clean-text.ts";
import { decodePage, type Page } from "../../parts/decode-page.ts";
import { readBody } from "../../parts/read-body.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";
import { type ReadableText, toReadableText } from "./readable-text.ts";

export interface FetchLimits {
  /** Milliseconds for everything: name resolution, redirects and the page. */
  readonly time: number;
  /** Bytes of one page, unpacked. */
  readonly bytes: number;
}

const DEFAULT_LENGTH = 20_000;
const MAX_LENGTH = 100_000;
const ERROR_LENGTH = 500;
/** Sent to any host that a redirect names, so this must contain no secret. */
const HEADERS = {
  "user-agent": "toolcrib",
  accept: "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1",
  "accept-encoding": "gzip, deflate, br",
} as const;

/** `web_fetch`: the readable text of a public page, in parts if it is long. */
export function createWebFetch(reach: Reach, limits: FetchLimits): BuiltinHandler {
  return async ({ url, raw, start_index: start, max_length: length }, { signal, mayFetch }) => {
    if (typeof url !== "string") return fail('"url" must be text.');
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), limits.time);
    try {
      const either = AbortSignal.any([signal, stop.signal]);
      const mayFollow = ({ href }: URL): boolean => mayFetch?.(href) ?? true;
      const fetched = await fetchPage(url, raw === true, { reach, limits, mayFollow }, either);
      if ("resultType" in fetched) return fetched;
      return showPart(fetched, toCount(start, 0), toCount(length, DEFAULT_LENGTH));
    } catch (error) {
      signal.throwIfAborted();
      if (stop.signal.aborted) return fail(`The page took longer than ${limits.time / 1000} seconds.`);
      return toFailure(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

interface Fetched {
  readonly url: URL;
  readonly title: string | null;
  readonly text: string;
  readonly cut: boolean;
}

interface Fetching {
  readonly reach: Reach;
  readonly limits: FetchLimits;
  readonly mayFollow: (url: URL) => boolean;
}

async function fetchPage(
  input: string,
  raw: boolean,
  { reach, limits, mayFollow }: Fetching,
  signal: AbortSignal,
): Promise<Fetched | ToolResult> {
  const { url, status, message } = await getPublic(input, HEADERS, reach, signal, mayFollow);
  const body = await readBody(message, message.headers["content-encoding"], limits.bytes);
  if (body === null) return fail("The page is packed in a way that cannot be read.");
  const page = decodePage(body.bytes, message.headers["content-type"]);
  if (page.kind === "binary" && status < 400) {
    const type = page.contentType || "a binary file";
    return fail(`The address holds ${type} (${body.bytes.length} bytes), which is not text.`);
  }
  const { title, text, cut } = await toText(page, raw, url, signal);
  if (status >= 400) return fail(`The server answered with status ${status}.\n${text.slice(0, ERROR_LENGTH)}`.trim());
  return { url, title, text, cut: cut || body.cut };
}

async function toText(page: Page, raw: boolean, url: URL, signal: AbortSignal): Promise<ReadableText> {
  if (page.kind !== "html" || raw) return { title: null, text: clean(page.text), cut: false };
  const { title, text, cut } = await toReadableText(page.text, url, signal);
  return { title: title === null ? null : clean(title), text: clean(text), cut };
}

function showPart({ url, title, text, cut }: Fetched, start: number, length: number): ToolResult {
  if (start > 0 && start >= text.length) {
    return fail(`The text has ${text.length} characters; ${start} is past its end.`);
  }
  const end = wholeCharacters(text, start + Math.min(Math.max(length, 1), MAX_LENGTH));
  const notes = [
    ...(start > 0 || end < text.length ? [`Characters ${start} to ${end} of ${text.length}.`] : []),
    ...(end < text.length ? [`Go on with start_index ${end}.`] : []),
    ...(cut ? ["The page is too long; its end was not read."] : []),
  ];
  return succeed(
    [
      ...(title !== null && start === 0 ? [title] : []),
      url.href,
      "",
      text.slice(start, end) || "(The page has no text.)",
      ...(notes.length > 0 ? [`[${notes.join(" ")}]`] : []),
    ].join("\n"),
  );
}

/** Surrogate pairs stay together. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return Math.min(text.length, last >= 0xd800 && last <= 0xdbff ? end + 1 : end);
}

function clean(text: string): string {
  return dropControls(dropHiddenParts(text).text);
}

function toCount(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : otherwise;
}

/** Node's own message contains addresses, so the model gets only the code. */
function toFailure(error: unknown): ToolResult {
  if (error instanceof AddressRefusal) return fail(error.message);
  const code = errnoOf(error);
  if (code === null) throw error;
  return fail(`The page could not be fetched (${code}).`, { error: String(error) });
}
