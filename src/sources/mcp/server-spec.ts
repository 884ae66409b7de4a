import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Deferral } from "../../core/tool/tool.ts";
import type { InheritEnv } from "../../system/process/server-env.ts";

/** One entry of `mcpServers`, with variables expanded. `tools` is read by a gate, not here (G8). */
export interface McpServerSpec {
  readonly type?: "stdio" | "local" | "http" | "sse";
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it also inherits from the environment; everything but what looks like a secret if absent. */
  readonly inheritEnv?: InheritEnv;
  /** Absolute; the folder of the source's options if absent. */
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Milliseconds from its start until its tools are listed. */
  readonly startTimeout?: number;
  readonly defer?: Deferral;
  readonly group?: string | null;
  /** Whether its annotations are trusted when a call that broke off could be repeated. */
  readonly trustAnnotations?: boolean;
  readonly enabled?: boolean;
  /** Where a list switches it off, in words for people; absent if its own entry does. */
  readonly disabledBy?: string;
}

export interface RemoteEndpoint {
  readonly kind: "http" | "sse";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

export type Endpoint = { readonly kind: "stdio"; readonly argv: readonly string[] } | RemoteEndpoint;

/** How to reach the server. Throws `mcp.invalid-server` if the entry does not say. */
export function readEndpoint(name: string, spec: McpServerSpec): Endpoint {
  const type = spec.type ?? (spec.url === undefined ? "stdio" : "http");
  if (type === "http" || type === "sse") {
    if (spec.url === undefined) throw invalid(name, `has type "${type}" and no \`url\``);
    return { kind: type, url: readUrl(name, spec.url), headers: readHeaders(name, spec.headers ?? {}) };
  }
  if (spec.command === undefined || spec.command === "") throw invalid(name, "has neither `command` nor `url`");
  return { kind: "stdio", argv: [spec.command, ...(spec.args ?? [])] };
}

/** Whether an entry has its own credentials; then no stored login is used. */
export function hasCredentials(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === "authorization");
}

function readUrl(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw invalid(name, "has a `url` that is no address");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw invalid(name, `has a \`url\` of kind "${url.protocol}"; only http and https can be reached`);
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid(name, "has a user or password in its `url`; put them into `headers`");
  }
  return url;
}

function readHeaders(name: string, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [header, value] of Object.entries(headers)) {
    try {
      new Headers([[header, value]]);
    } catch {
      // The value may be a secret, so it is not repeated.
      throw invalid(name, `has a header ${JSON.stringify(header)} that HTTP does not allow`);
    }
  }
  return headers;
}

function invalid(name: string, what: string): ToolcribError {
  const names = [name];
  const parts = [{ what, names, origin: null }];
  return new ToolcribError("mcp.invalid-server", `The MCP server "${name}" ${what}.`, { names, parts });
}
