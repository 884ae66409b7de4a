import { isToolcribError, ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { MOST_LEVELS } from "../../system/text/json-depth.ts";
import type { Background, SlicedWork } from "../../system/time/background.ts";
import type { McpLimits } from "./limits.ts";
import { TOO_DEEP } from "./too-large.ts";

type ListLimits = Pick<McpLimits, "listPages" | "listTools" | "listBytes">;

/** An entry of a list as the server sent it, and as JSON, which shows whether it changed. */
export interface ListedEntry {
  readonly entry: unknown;
  readonly text: string;
}

/** The server's own fault; trying again would not help. */
export class RefusedList extends ToolcribError {
  constructor(what: string) {
    super("mcp.invalid-answer", `The server's list of tools ${what}.`);
  }
}

/** Reads all pages of a list. One that does not end is refused whole, because a part would look like the whole. */
export async function listAllTools(
  fetchPage: (cursor: string | null) => Promise<unknown>,
  limits: ListLimits,
  background: Background,
): Promise<readonly ListedEntry[]> {
  const listed: ListedEntry[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  for (let cursor: string | null = null; ; ) {
    const page: unknown = await fetchPage(cursor).catch(explain);
    if (!isRecord(page) || !Array.isArray(page.tools)) throw new RefusedList("is not a list");
    if (listed.length + page.tools.length > limits.listTools)
      throw new RefusedList(`has more than ${limits.listTools} tools`);
    bytes += await background.run(readPage(page.tools, listed));
    if (bytes > limits.listBytes) throw new RefusedList(`is larger than ${limits.listBytes} bytes`);
    if (typeof page.nextCursor !== "string") return listed;
    if (cursors.has(page.nextCursor)) throw new RefusedList("comes back to a page that it had already");
    if (cursors.size + 1 >= limits.listPages) throw new RefusedList(`has more than ${limits.listPages} pages`);
    cursors.add(page.nextCursor);
    cursor = page.nextCursor;
  }
}

/** Adds the entries of a page; returns their size as JSON. */
function* readPage(tools: readonly unknown[], listed: ListedEntry[]): SlicedWork<number> {
  let bytes = 0;
  for (const entry of tools) {
    const text = JSON.stringify(entry);
    listed.push({ entry, text });
    bytes += text.length + 1;
    yield;
  }
  return bytes;
}

/** A single large tool is enough to exceed the limit, and what was not read cannot say which. */
function explain(error: unknown): never {
  if (!isToolcribError(error) || error.cause !== TOO_DEEP) throw error;
  throw new RefusedList(`has a definition that is nested over ${MOST_LEVELS} levels deep, so none of it was read`);
}
