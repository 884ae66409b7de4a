import type { HookEvent } from "../../../config/shape/hook-shape.ts";
import type { ToolOverride } from "../../../core/catalog/override-tools.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import type { InternalMark } from "../../../core/tool/tool.ts";

/** Values of variables and headers; numbers and booleans become text. */
type Values = Readonly<Record<string, string | number | boolean>>;

/** A permission rule, alone or with examples that check it. */
type RuleOption =
  | string
  | {
      /** Such as `Bash(git log:*)` or `github/create_*`. */
      readonly rule: string;
      /** Examples of calls that the rule must cover. */
      readonly match?: readonly string[];
      /** Examples of calls that it must not cover. */
      readonly noMatch?: readonly string[];
    };

/** How a process is started. Texts are literal: `${VAR}` is not replaced. */
interface ProcessOption {
  /** The program to start. */
  readonly command?: string;
  /** The arguments of the program. */
  readonly args?: readonly string[];
  /** Added to its environment. */
  readonly env?: Values;
  /** The folder it starts in, relative to the workspace. */
  readonly cwd?: string;
}

/** An HTTP address. */
export interface AddressOption {
  /** The address itself. */
  readonly url: string;
  /** Sent with every request, such as a key. */
  readonly headers?: Values;
}

/** Whose credentials are used at a server. */
type CredentialWord = "none" | "shared" | "person" | "key" | "exchange" | "signed";

/** How people log in at a server. */
interface OauthOption {
  /** The id of a registered client, or the https address of a client metadata document. */
  readonly clientId?: string;
  /** Its secret, if it has one. */
  readonly clientSecret?: string;
  /** Scopes to request, separated by spaces, instead of those that the server names. */
  readonly scope?: string;
  /** The port on this machine that the browser returns to; any free one if absent. */
  readonly callbackPort?: number;
  /** The resource that tokens are for, in place of what the server says; `omit` names none. */
  readonly resource?: string;
  /** The audience to ask for, where an authorization server wants one. */
  readonly audience?: string;
  /** Where people log in, for a server that does not say so; goes with `tokenUrl`. */
  readonly authorizationUrl?: string;
  /** Where tokens come from, for a server that does not say so. */
  readonly tokenUrl?: string;
  /** Where tokens are revoked, for a server that does not say so. */
  readonly revocationUrl?: string;
}

/** An MCP server, in the shape of `.mcp.json`: it has either a `command` or a `url`. */
export interface McpServerOption extends ProcessOption {
  /** How to reach it; follows from `command` or `url` when left out. `local` is `stdio`. */
  readonly type?: "stdio" | "local" | "http" | "sse";
  /** The address of a remote server. */
  readonly url?: string;
  /** Sent with every request to a remote server. */
  readonly headers?: Values;
  /** How people log in at it; most servers need none of this. */
  readonly oauth?: OauthOption;
  /** Whose credentials are used; `none` uses no login of this machine. The others are for people of a gateway. */
  readonly credentials?: CredentialWord;
  /** Which of its tools this session has; all if absent or `["*"]`, none if `[]`. */
  readonly tools?: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Milliseconds it may take to start. */
  readonly startTimeout?: number;
  /**
   * Which variables it inherits: all except secrets if absent, these secrets too with a list, all with `true`, few with
   * `false`.
   */
  readonly inheritEnv?: boolean | readonly string[];
  /** A file of variables in the workspace: it gets keys and tokens, harmless ones, and those that `inheritEnv` lists. */
  readonly envFile?: string;
  /** A feature flag; its tools are hidden while it is off. */
  readonly feature?: string;
  /** Whether its tools may be deferred to `tool_search`. */
  readonly defer?: "auto" | "never";
  /** The group of all its tools, for `toolGroups`. */
  readonly group?: string | null;
  /** Trusts its hints about what its tools do. */
  readonly trustAnnotations?: boolean;
  /** One connection for all clients of a gateway, for each person, or for each client. */
  readonly isolation?: "shared" | "person" | "client";
  /** With false it is not started. */
  readonly enabled?: boolean;
}

/** An API whose operations are tools, by its OpenAPI document. Texts are literal: `${VAR}` is not replaced. */
export interface OpenApiOption {
  /** The document: a file, relative to the workspace, or an address. */
  readonly spec: string;
  /** The address of the API; the first of the document's `servers` if absent and that is public. */
  readonly baseUrl?: string;
  /** Headers of every call; they need a `baseUrl`. */
  readonly headers?: Values;
  /** Credentials by security scheme: a key, a token, `user:password`, or `client-id:client-secret`. */
  readonly auth?: Values;
  /** Where `client-id:client-secret` gets tokens; the document's address if absent and that is on the API's own host. */
  readonly tokenUrl?: string;
  /** How people log in at it. */
  readonly oauth?: OauthOption;
  /** Whose credentials are used, as for a server. */
  readonly credentials?: CredentialWord;
  /** Only these operations: names, `tag:NAME`, or paths such as `GET /pets/*`. */
  readonly include?: readonly string[];
  /** All operations except these. */
  readonly exclude?: readonly string[];
  /** Documents that this one refers to are fetched only below these addresses. */
  readonly refs?: readonly string[];
  /** Which of its tools this session has; all if absent or `["*"]`, none if `[]`. */
  readonly tools?: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Milliseconds it may take to read the document. */
  readonly startTimeout?: number;
  /** A feature flag; its tools are hidden while it is off. */
  readonly feature?: string;
  /** Whether its tools may be deferred to `tool_search`. */
  readonly defer?: "auto" | "never";
  /** The group of all its tools, for `toolGroups`. */
  readonly group?: string | null;
  /** Trusts that methods such as GET change nothing. */
  readonly trustAnnotations?: boolean;
  /** With false it is not used. */
  readonly enabled?: boolean;
}

/** A process that registers tools over JSON-RPC. */
export interface ExtensionOption extends ProcessOption {
  /** The name that people read. */
  readonly name: string;
  /** The program to start. */
  readonly command: string;
}

/** What a model can do, in addition to what Toolcrib knows about it. */
export interface ModelOption {
  /** Which variants of tools it gets, such as `edit:patch`. */
  readonly variants?: readonly string[];
  /** How many tools it accepts at once. */
  readonly maxTools?: number;
  /** Its context window in tokens. */
  readonly contextWindow?: number;
  /** Such as `vision: true` and `toolSearch: "native"`. */
  readonly capabilities?: Readonly<Record<string, boolean | string>>;
  /** Its part of the system prompt. */
  readonly instructions?: string;
}

/** Rules about calls. The option `mode` of the session wins over the one in here. */
export interface PermissionsOption {
  /** How much may happen without asking. */
  readonly mode?: Mode;
  /** Whether the program's own tools run if no rule covers the call and nobody can be asked; `allow` if absent. */
  readonly hostTools?: "allow" | "ask";
  /** A model that judges calls that no rule covers, before anybody is asked; off if absent. */
  readonly classifier?: string | null;
  /** Whether commands in the sandbox run if no deny or ask rule covers them. */
  readonly sandboxed?: "allow" | "ask";
  /** Calls that run without asking. */
  readonly allow?: readonly RuleOption[];
  /** Calls that are always asked about. */
  readonly ask?: readonly RuleOption[];
  /** Calls that never run. */
  readonly deny?: readonly RuleOption[];
  /** More folders that file and shell tools may use. */
  readonly additionalDirectories?: readonly string[];
}

/** A command that sees calls, in the shape of `hooks` in a configuration file. */
interface CommandHookOption extends Omit<ProcessOption, "command"> {
  /** A shell command, or with `args` a program; it gets the call as JSON on standard input. */
  readonly command: string;
  /** Which tools; by default all. */
  readonly matcher?: string;
  /** A permission rule; only calls that it matches. */
  readonly if?: string;
  /** Its time limit, in seconds. */
  readonly timeout?: number;
  /** Do not wait for it, and ignore what it decides. */
  readonly async?: boolean;
  /** The product whose names and fields it expects. */
  readonly dialect?: "toolcrib" | "claude" | "copilot";
  /** What happens to the call when the hook fails. */
  readonly onFailure?: "block" | "continue";
}

/** A custom agent, which `agent` selects by its name. */
export interface AgentOption {
  /** The name that `agent` selects it by. */
  readonly name: string;
  /** What it is for, in a sentence. */
  readonly description?: string;
  /** Its part of the system prompt. */
  readonly prompt?: string;
  /** The tools it gets; all if absent or `["*"]`. `Agent(lint, test)` limits the agents that it may start. */
  readonly tools?: readonly string[] | null;
  /** Tools it never gets, and calls it never makes, such as `Bash(git push:*)`. */
  readonly disallowedTools?: readonly string[];
  /** The groups of tools it may use. */
  readonly toolGroups?: readonly string[] | null;
  /** MCP servers of its own. */
  readonly mcpServers?: Readonly<Record<string, McpServerOption>>;
  /** A program that speaks the Agent Client Protocol; `task` starts it instead of a run. */
  readonly acp?: ProcessOption & {
    /** The program to start. */
    readonly command: string;
  };
  /** Skills that are active from the start. */
  readonly skills?: readonly string[];
  /** The model it uses. */
  readonly model?: string | null;
  /** Whether the tools it names may be deferred to `tool_search`. */
  readonly defer?: "auto" | "never";
  /** It directs other agents, and gets tools marked `coordinator-only`. */
  readonly coordinator?: boolean;
  /** How many requests it may make when it works for another agent; 100 if absent. */
  readonly maxTurns?: number;
  /** It works in a git worktree of its own when it works for another agent. */
  readonly worktree?: boolean;
  /** `task` starts it in the background and does not wait for it. */
  readonly background?: boolean;
  /** The mode of its calls when it works for another agent, unless that one's mode is stricter. */
  readonly permissionMode?: Mode | null;
  /** Commands that see its calls alone, by event, as a configuration file has them. */
  readonly hooks?: Readonly<Partial<Record<HookEvent, readonly CommandHookOption[]>>>;
}

/** Changes to a tool; `examples` are added to its own. */
export interface OverrideOption extends Omit<ToolOverride, "tool" | "id" | "feature" | "internal"> {
  /** Another name for lists. */
  readonly id?: string;
  /** A feature flag; the tool is hidden while it is off. */
  readonly feature?: string;
  /** Restricts who may use it. */
  readonly internal?: InternalMark;
}
