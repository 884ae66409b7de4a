import { isRecord } from "../../../core/shape/is-record.ts";
import { dropControls, dropHiddenParts } from "../../../system/text/clean-text.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";

const TIME = 20_000;
const MOST_BYTES = 2_000_000;
const MOST_RESULTS = 20;
const USUAL_RESULTS = 8;
const LONGEST_QUERY = 500;
const LONGEST_TEXT = 500;

interface Found {
  readonly title: string;
  readonly url: string;
  readonly text: string;
}

/** `web_search`: what the configured search engine finds. */
export const webSearch: BuiltinHandler = async ({ query, limit }, { signal }, { webSearch: engine }) => {
  if (engine === null) return fail("No search engine is configured.");
  if (typeof query !== "string" || query.trim() === "") return fail('"query" must not be empty.');
  if (query.length > LONGEST_QUERY) return fail(`A query has at most ${LONGEST_QUERY} characters.`);
  const url = engine.url.replaceAll("{query}", encodeURIComponent(query.trim()));
  const most = typeof limit === "number" ? Math.min(Math.max(1, limit), MOST_RESULTS) : USUAL_RESULTS;
  try {
    const headers = { accept: "application/json", ...engine.headers };
    const limits = AbortSignal.any([signal, AbortSignal.timeout(TIME)]);
    // A redirect would send the key elsewhere.
    const response = await fetch(url, { headers, signal: limits, redirect: "error" });
    if (!response.ok) return fail(`The search engine answered with status ${response.status}.`);
    const found = readResults(JSON.parse(await readText(response))).slice(0, most);
    if (found.length === 0) return succeed("Nothing was found.", []);
    const lines = found.map(({ title, url: at, text }, index) =>
      `${index + 1}. ${title}\n   ${at}\n   ${text}`.trimEnd(),
    );
    return succeed(lines.join("\n"), found);
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof SyntaxError ? "its answer is no JSON" : "it did not answer";
    return fail(`The search engine could not be asked: ${why}.`, { error: String(error) });
  }
};

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error("the answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Engines use different names for the same thing; the first list of objects with an address is taken as the results.
 */
export function readResults(answer: unknown): readonly Found[] {
  const lists = [answer, ...(isRecord(answer) ? Object.values(answer) : [])].flatMap((value) =>
    isRecord(value) ? [value.results, value.items] : [value],
  );
  const read = lists.map((list) => (Array.isArray(list) ? list.flatMap(readOne) : []));
  return read.find((found) => found.length > 0) ?? [];
}

function readOne(value: unknown): readonly Found[] {
  if (!isRecord(value)) return [];
  const textAt = (...keys: readonly string[]): string =>
    clean(String(keys.map((key) => value[key]).find((one) => typeof one === "string") ?? ""));
  const url = textAt("url", "link", "href");
  if (!URL.canParse(url) || !/^https?:/.test(url)) return [];
  return [{ title: textAt("title", "name") || url, url, text: textAt("content", "description", "snippet", "text") }];
}

function clean(text: string): string {
  return dropControls(dropHiddenParts(text.replace(/<[^>]{0,200}>/g, "")).text)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LONGEST_TEXT);
}
