import { parseJson } from "../../../../core/shape/parse-json.ts";
import { AddressRefusal } from "../../../../system/addresses/address-refusal.ts";
import { getPublic, type PublicResponse } from "../../../../system/addresses/get-public.ts";
import { PUBLIC_REACH } from "../../../../system/addresses/resolve-public.ts";
import { isTooDeep } from "../../../../system/text/json-depth.ts";
import { type DescribedClient, isDocumentId, readClientDocument } from "./client-document.ts";
import { PINNED_CLIENTS } from "./pinned-clients.ts";

/** Clients whose id is the address of a document about them. */
export interface ClientDocuments {
  /** A text says why the client cannot be used. */
  find(id: string): Promise<DescribedClient | string>;
}

export interface DocumentOptions {
  /** Fetches without following redirects. */
  readonly get?: (url: string, signal: AbortSignal) => Promise<PublicResponse>;
  /** Milliseconds. */
  readonly now?: () => number;
  /** Milliseconds that a document may take, all in all. */
  readonly patience?: number;
}

const MOST_BYTES = 64 * 1024;
const PATIENCE = 5_000;
/** With a copy here nobody has to wait for long. */
const PATIENCE_WITH_COPY = 1_500;
/** Milliseconds for which a document counts, at least and at most; the same for a failure. */
const LEAST_KEPT = 60_000;
const MOST_KEPT = 86_400_000;
const FAILURE_KEPT = 60_000;
const MOST = 1_000;

interface Kept {
  found: Promise<DescribedClient | string>;
  until: number;
}

export function createClientDocuments(options: DocumentOptions = {}): ClientDocuments {
  const { get = getDocument, now = Date.now, patience = PATIENCE } = options;
  const kept = new Map<string, Kept>();
  const fetchNow = async (id: string, row: Kept): Promise<DescribedClient | string> => {
    const copy = PINNED_CLIENTS.get(id);
    try {
      const { client, lifetime } = await fetchDocument(id, get, copy === undefined ? patience : PATIENCE_WITH_COPY);
      row.until = now() + lifetime;
      return client;
    } catch (error) {
      row.until = now() + FAILURE_KEPT;
      return copy ?? (error instanceof DocumentProblem ? error.message : "its document cannot be fetched");
    }
  };
  return {
    async find(id) {
      if (!isDocumentId(id)) return "its client_id is no address of a document about it";
      const known = kept.get(id);
      if (known !== undefined && now() < known.until) return known.found;
      kept.delete(id);
      const [oldest] = kept.size < MOST ? [] : kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
      const row: Kept = { found: Promise.resolve(""), until: Number.POSITIVE_INFINITY };
      row.found = fetchNow(id, row);
      kept.set(id, row);
      return row.found;
    },
  };
}

/** What a person may be shown about a document. */
class DocumentProblem extends Error {}

async function fetchDocument(
  id: string,
  get: NonNullable<DocumentOptions["get"]>,
  patience: number,
): Promise<{ readonly client: DescribedClient; readonly lifetime: number }> {
  const signal = AbortSignal.timeout(patience);
  const { status, message } = await get(id, signal).catch((error: unknown) => {
    throw error instanceof AddressRefusal ? new DocumentProblem("its document is not at a public address") : error;
  });
  try {
    if (status !== 200) throw new DocumentProblem(`the address of its document answers with status ${status}`);
    const type = message.headers["content-type"] ?? "";
    if (!/^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i.test(type))
      throw new DocumentProblem("its document is not JSON");
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of message) {
      bytes += part.length;
      if (bytes > MOST_BYTES) throw new DocumentProblem(`its document is larger than ${MOST_BYTES} bytes`);
      parts.push(part);
    }
    const text = Buffer.concat(parts).toString("utf8");
    const client = readClientDocument(id, isTooDeep(text) ? undefined : parseJson(text));
    if (typeof client === "string") throw new DocumentProblem(client);
    return { client, lifetime: lifetimeOf(message.headers["cache-control"] ?? "") };
  } finally {
    message.destroy();
  }
}

function getDocument(url: string, signal: AbortSignal): Promise<PublicResponse> {
  return getPublic(url, { accept: "application/json", "user-agent": "toolcrib" }, PUBLIC_REACH, signal, () => false);
}

function lifetimeOf(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return LEAST_KEPT;
  const [, seconds = "3600"] = /\bmax-age=(\d{1,9})/i.exec(cacheControl) ?? [];
  return Math.min(Math.max(Number(seconds) * 1000, LEAST_KEPT), MOST_KEPT);
}
