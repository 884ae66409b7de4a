import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { McpLimits } from "./limits.ts";
import { isRecord } from "./message.ts";

type ListLimits = Pick<McpLimits, "listPages" | "listTools" | "listBytes">;

/** Walks all pages of a list. One that does not come to an end is refused whole, for a part would look like the whole. */
export async function listAllTools(
  fetchPage: (cursor: string | null) => Promise<unknown>,
  limits: ListLimits,
): Promise<readonly unknown[]> {
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  let bytes = 0;
  for (let cursor: string | null = null; ; ) {
    const page: unknown = await fetchPage(cursor);
    if (!isRecord(page) || !Array.isArray(page.tools)) throw refuse("is not a list");
    for (const tool of page.tools) tools.push(tool);
    bytes += JSON.stringify(page.tools).length;
    if (tools.length > limits.listTools) throw refuse(`has more than ${limits.listTools} tools`);
    if (bytes > limits.listBytes) throw refuse(`is larger than ${limits.listBytes} bytes`);
    if (typeof page.nextCursor !== "string") return tools;
    if (cursors.has(page.nextCursor)) throw refuse("comes back to a page that it had already");
    if (cursors.size + 1 >= limits.listPages) throw refuse(`has more than ${limits.listPages} pages`);
    cursors.add(page.nextCursor);
    cursor = page.nextCursor;
  }
}

function refuse(what: string): ToolcribError {
  return new ToolcribError("mcp.invalid-answer", `The server's list of tools ${what}.`);
}
