import type { ToolOverride } from "../../core/catalog/override-tools.ts";

/** What environments and headers hold; numbers and flags are written out. */
type Values = Readonly<Record<string, string | number | boolean>>;

/** A permission rule, alone or with examples that it is held to. */
export type RuleOption =
  | string
  | { readonly rule: string; readonly match?: readonly string[]; readonly noMatch?: readonly string[] };

/** An MCP server, in the shape of `.mcp.json`: it has either a `command` or a `url`. `${VAR}` is replaced in its texts. */
export interface McpServerOption {
  /** How to reach it; follows from `command` or `url` when left out. `local` is `stdio`. */
  readonly type?: "stdio" | "local" | "http" | "sse";
  /** The program to start. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Added to its environment. */
  readonly env?: Values;
  /** The folder it starts in, relative to the workspace. */
  readonly cwd?: string;
  /** The address of a remote server. */
  readonly url?: string;
  readonly headers?: Values;
  /** How `toolcrib servers login` logs in; mostly nothing of it is needed. */
  readonly oauth?: {
    readonly clientId?: string;
    readonly clientSecret?: string;
    readonly scope?: string;
    readonly callbackPort?: number;
  };
  /** Which of its tools exist for this session; `["*"]` or nothing is all, `[]` none (G8). */
  readonly tools?: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Whether its tools may wait behind `tool_search`. */
  readonly defer?: "auto" | "never";
  /** The group of all its tools, for `toolGroups`. */
  readonly group?: string | null;
  /** Believes its hints about what its tools do. */
  readonly trustAnnotations?: boolean;
  /** One connection for all clients of a gateway, or one for each. */
  readonly isolation?: "shared" | "client";
  /** False keeps it configured and unstarted. */
  readonly enabled?: boolean;
}

/** A custom agent, which `agent` selects by its name (A1). */
export interface AgentOption {
  readonly name: string;
  readonly description?: string;
  /** Its part of the system prompt. */
  readonly prompt?: string;
  /** The tools it gets; `["*"]` or nothing is all. */
  readonly tools?: readonly string[] | null;
  /** Tools it never gets. */
  readonly disallowedTools?: readonly string[];
  /** Groups it may use. */
  readonly toolGroups?: readonly string[] | null;
  /** Servers of its own. */
  readonly mcpServers?: Readonly<Record<string, McpServerOption>>;
  /** Skills that are active from its start. */
  readonly skills?: readonly string[];
  /** The model it works with. */
  readonly model?: string | null;
  /** Whether tools it names may wait behind `tool_search`. */
  readonly defer?: "auto" | "never";
}

/** What a person wants different about a tool; `examples` are added to its own. */
export type OverrideOption = Omit<ToolOverride, "tool">;
