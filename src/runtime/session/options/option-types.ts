import type { ToolOverride } from "../../../core/catalog/override-tools.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import type { InternalMark } from "../../../core/tool/tool.ts";

/** What environments and headers hold; numbers and flags are written out. */
type Values = Readonly<Record<string, string | number | boolean>>;

/** A permission rule, alone or with examples that it is checked against. */
type RuleOption =
  | string
  | {
      /** Such as `Bash(git log:*)` or `github/create_*`. */
      readonly rule: string;
      /** Examples of calls that the rule has to cover. */
      readonly match?: readonly string[];
      /** Examples of calls that it has to leave alone. */
      readonly noMatch?: readonly string[];
    };

/** How a process is started. Texts are literal: `${VAR}` is not replaced. */
interface ProcessOption {
  /** The program to start. */
  readonly command?: string;
  /** What the program gets on its command line. */
  readonly args?: readonly string[];
  /** Added to its environment. */
  readonly env?: Values;
  /** The folder it starts in, relative to the workspace. */
  readonly cwd?: string;
}

/** An address that is asked over HTTP. */
export interface AddressOption {
  /** Where it is. */
  readonly url: string;
  /** Sent with every request, such as a key. */
  readonly headers?: Values;
}

/** An MCP server, in the shape of `.mcp.json`: it has either a `command` or a `url`. */
export interface McpServerOption extends ProcessOption {
  /** How to reach it; follows from `command` or `url` when left out. `local` is `stdio`. */
  readonly type?: "stdio" | "local" | "http" | "sse";
  /** The address of a remote server. */
  readonly url?: string;
  /** Sent with every request to a remote server. */
  readonly headers?: Values;
  /** How `toolcrib servers login` logs in; mostly nothing of it is needed. */
  readonly oauth?: {
    /** The client that is registered there, or the https address of a document about one. */
    readonly clientId?: string;
    /** Its secret, if it has one. */
    readonly clientSecret?: string;
    /** Scopes to ask for, separated by spaces, in place of those that the server names. */
    readonly scope?: string;
    /** The port on this machine that the browser returns to; any free one if absent. */
    readonly callbackPort?: number;
  };
  /** Which of its tools exist for this session; `["*"]` or nothing is all, `[]` none. */
  readonly tools?: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Milliseconds it may take to start. */
  readonly startTimeout?: number;
  /** What it gets of the environment: all but secrets when left out; a list names secrets, `true` is all, `false` little. */
  readonly inheritEnv?: boolean | readonly string[];
  /** A file of variables for it, in the workspace: keys and tokens, harmless ones, and those that `inheritEnv` lists. */
  readonly envFile?: string;
  /** The feature flag without which its tools are not offered. */
  readonly feature?: string;
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

/** An API whose operations are tools, by its OpenAPI document. Texts are literal: `${VAR}` is not replaced. */
export interface OpenApiOption {
  /** The document: a file, relative to the workspace, or an address. */
  readonly spec: string;
  /** The address of the API; the first of the document's `servers` if absent, where that is public. */
  readonly baseUrl?: string;
  /** Sent with every call; they need a `baseUrl`. */
  readonly headers?: Values;
  /** What proves who asks, by the name of a security scheme: a key, a token, `user:password`, or `client-id:client-secret`. */
  readonly auth?: Values;
  /** Where tokens come from for `client-id:client-secret`; where the document says if absent, if that is the API's own host. */
  readonly tokenUrl?: string;
  /** Only these operations: names, `tag:NAME`, or paths such as `GET /pets/*`. */
  readonly include?: readonly string[];
  /** All operations except these. */
  readonly exclude?: readonly string[];
  /** Addresses below which documents may be fetched that this one refers to. */
  readonly refs?: readonly string[];
  /** Which of its tools exist for this session; `["*"]` or nothing is all, `[]` none. */
  readonly tools?: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Milliseconds it may take to read the document. */
  readonly startTimeout?: number;
  /** The feature flag without which its tools are not offered. */
  readonly feature?: string;
  /** Whether its tools may wait behind `tool_search`. */
  readonly defer?: "auto" | "never";
  /** The group of all its tools, for `toolGroups`. */
  readonly group?: string | null;
  /** Believes that methods such as GET change nothing. */
  readonly trustAnnotations?: boolean;
  /** False keeps it configured and unused. */
  readonly enabled?: boolean;
}

/** A process that registers tools over JSON-RPC. */
export interface ExtensionOption extends ProcessOption {
  /** What people call it. */
  readonly name: string;
  /** The program to start. */
  readonly command: string;
}

/** Facts about a model, on top of what is known of it. */
export interface ModelOption {
  /** Which form of a tool it takes, such as `edit:patch`. */
  readonly variants?: readonly string[];
  /** Tools it takes at once. */
  readonly maxTools?: number;
  /** Tokens that fit into it. */
  readonly contextWindow?: number;
  /** Such as `vision: true` and `toolSearch: "native"`. */
  readonly capabilities?: Readonly<Record<string, boolean | string>>;
  /** Its part of the system prompt. */
  readonly instructions?: string;
}

/** Who may run what. The option `mode` beside it counts before the one in here. */
export interface PermissionsOption {
  /** How much may happen without a question. */
  readonly mode?: Mode;
  /** What becomes of calls of the program's own tools when no rule covers them and nobody can be asked; `allow` if absent. */
  readonly hostTools?: "allow" | "ask";
  /** The model that judges calls which no rule covers, before anybody is asked; off if absent. */
  readonly classifier?: string | null;
  /** Whether commands in the sandbox run when no deny or ask rule is about them. */
  readonly sandboxed?: "allow" | "ask";
  /** Calls that run without asking. */
  readonly allow?: readonly RuleOption[];
  /** Calls that are always asked about. */
  readonly ask?: readonly RuleOption[];
  /** Calls that never run. */
  readonly deny?: readonly RuleOption[];
  /** Folders beside the workspace that file and shell tools may use. */
  readonly additionalDirectories?: readonly string[];
}

/** A custom agent, which `agent` selects by its name. */
export interface AgentOption {
  /** What `agent` selects it by. */
  readonly name: string;
  /** What it is for, in a sentence. */
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
  /** A program that speaks the Agent Client Protocol, which `task` starts in place of a run of its own. */
  readonly acp?: ProcessOption & {
    /** The program to start. */
    readonly command: string;
  };
  /** Skills that are active from its start. */
  readonly skills?: readonly string[];
  /** The model it works with. */
  readonly model?: string | null;
  /** Whether tools it names may wait behind `tool_search`. */
  readonly defer?: "auto" | "never";
  /** It directs other agents, and gets tools marked `coordinator-only`. */
  readonly coordinator?: boolean;
  /** Requests that it may make when it works for another agent; 100 if absent. */
  readonly maxTurns?: number;
  /** It works in a git worktree of its own when it works for another agent. */
  readonly worktree?: boolean;
}

/** What a person wants different about a tool; `examples` are added to its own. */
export interface OverrideOption extends Omit<ToolOverride, "tool" | "id" | "feature" | "internal"> {
  /** Another identifier. */
  readonly id?: string;
  /** The feature flag without which it is not offered. */
  readonly feature?: string;
  /** Who alone may use it. */
  readonly internal?: InternalMark;
}
