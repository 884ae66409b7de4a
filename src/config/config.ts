import type { NamedSet } from "../core/catalog/named-set.ts";
import type { WireStyle } from "../core/catalog/wire-name.ts";
import type { NameList, Origin, Sourced } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import type { Rule } from "../core/rules/rule.ts";
import type { GroupList, Limit, Mode, Policy, SkillToolPolicy, ToolSearch } from "../core/scene/scene.ts";
import type { Deferral, InternalMark } from "../core/tool/tool.ts";
import type { Traits } from "../core/tool/traits.ts";
import type { MapNode } from "./config-node.ts";
import type { BUILTIN_CHOICES, CONNECT_CHOICES, HOOK_DIALECTS, HOST_TOOL_CHOICES, HookEvent } from "./file-shape.ts";
import type { FoundFile } from "./find-files.ts";
import type { LockFile } from "./lock/lock.ts";
import type { ModelFacts } from "./models.ts";
import type { Trust } from "./trust.ts";

/** The effective configuration: what all layers together say, each value with its origin. */
export interface Config {
  readonly tools: readonly ModuleTool[];
  readonly toolGroups: GroupList | null;
  readonly toolsets: readonly NamedSet[];
  readonly toolOverrides: ReadonlyMap<string, ToolOverride>;
  /** Which built-in tools there are; null where nobody said, and each program has a default of its own. */
  readonly builtins: Sourced<BuiltinChoice> | null;
  readonly servers: ReadonlyMap<string, ServerConfig>;
  readonly extensions: readonly ExtensionConfig[];
  readonly checks: readonly CheckConfig[];
  /** Absolute paths, in the order in which later ones beat earlier ones. */
  readonly skillDirectories: readonly Sourced<string>[];
  readonly disabledSkills: NameList;
  readonly skillToolPolicy: Sourced<SkillToolPolicy>;
  readonly agents: ReadonlyMap<string, AgentConfig>;
  /** The selected agent's name. */
  readonly agent: Sourced<string> | null;
  readonly defaultAgent: { readonly excludedTools: NameList };
  readonly includeTools: NameList | null;
  readonly excludeTools: NameList;
  /** What managed policy narrows all of this to. */
  readonly limits: readonly Limit[];
  readonly features: ReadonlyMap<string, Sourced<boolean>>;
  readonly permissions: Permissions;
  readonly hooks: ReadonlyMap<HookEvent, readonly HookConfig[]>;
  readonly toolSearch: Sourced<ToolSearch>;
  readonly sandbox: {
    readonly shell: Sourced<"auto" | "on" | "off">;
    readonly backend: Sourced<"auto" | "bubblewrap" | "sandbox-runtime">;
    readonly allowHostShell: Sourced<boolean>;
  };
  readonly model: Sourced<ModelChoice> | null;
  readonly models: ReadonlyMap<string, Sourced<ModelFacts>>;
  readonly wireNames: Sourced<WireStyle>;
  readonly store: { readonly url: Sourced<string> };
  readonly gateway: GatewayConfig;
  readonly policy: Policy & { readonly connect: Sourced<(typeof CONNECT_CHOICES)[number]> };
  readonly trust: Trust;
  /** What was approved earlier; null where a program holds nothing against it. */
  readonly lock: LockFile | null;
  readonly files: readonly FoundFile[];
  readonly notices: readonly Notice[];
  /** The merged values as written: variables unexpanded, secrets in place. Print through `listValues` only. */
  readonly written: MapNode;
}

/** `read`: those that change nothing. A list names them. */
export type BuiltinChoice = (typeof BUILTIN_CHOICES)[number] | readonly string[];

interface ModuleTool {
  readonly name: string;
  /** What it is known by apart from its name; null where it does not say. */
  readonly id: string | null;
  readonly feature: string | null;
  readonly internal: InternalMark | null;
  readonly group: string | null;
  /** `module:export`. */
  readonly use: string;
  /** The folder that a relative module starts from. */
  readonly base: string;
  readonly origin: Origin;
  readonly options: Readonly<Record<string, unknown>>;
}

/** One of the project's own checks. */
interface CheckConfig {
  readonly name: string;
  readonly command: readonly string[];
  /** Milliseconds. */
  readonly timeout: number | null;
}

export interface ToolOverride {
  readonly origin: Origin;
  readonly name: Sourced<string> | null;
  readonly description: Sourced<string> | null;
  readonly timeout: Sourced<number> | null;
  readonly defer: Sourced<Deferral> | null;
  readonly group: Sourced<string> | null;
  readonly id: Sourced<string> | null;
  readonly feature: Sourced<string> | null;
  readonly internal: Sourced<InternalMark> | null;
  readonly examples: NameList | null;
  readonly traits: Sourced<Partial<Traits>> | null;
}

export interface ProcessSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  /** Absolute, or null for the workspace. */
  readonly cwd: string | null;
}

export type Transport =
  | ({ readonly type: "stdio" } & ProcessSpec)
  | { readonly type: "http" | "sse"; readonly url: string; readonly headers: ReadonlyMap<string, string> };

export interface OAuthConfig {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scope: string | null;
  readonly callbackPort: number | null;
}

export interface ServerConfig {
  readonly name: string;
  readonly origin: Origin;
  readonly transport: Transport;
  /** How to log in at a remote server; null where its entry does not say. */
  readonly oauth: OAuthConfig | null;
  /** Hash of how it is started or reached, as written, for pins. */
  readonly launch: string;
  readonly tools: NameList | null;
  readonly timeout: Sourced<number> | null;
  /** Milliseconds. */
  readonly startTimeout: Sourced<number> | null;
  /** What it gets of the person's environment besides what is no secret: all, the named variables; false: a short list. */
  readonly inheritEnv: Sourced<boolean | readonly string[]> | null;
  /** The feature flag without which its tools are not offered. */
  readonly feature: Sourced<string> | null;
  readonly defer: Sourced<Deferral>;
  readonly group: Sourced<string> | null;
  readonly trustAnnotations: Sourced<boolean>;
  /** Whether clients of a gateway share one connection to it; with `client` each has its own, and its questions are clear. */
  readonly isolation: Sourced<"shared" | "client">;
  readonly enabled: Sourced<boolean>;
  /** Variables it needs that are not set. It must not be started while there are any. */
  readonly unset: readonly string[];
}

export interface ExtensionConfig extends ProcessSpec {
  readonly name: string;
  readonly origin: Origin;
  readonly unset: readonly string[];
}

export interface AgentConfig {
  readonly name: string;
  readonly origin: Origin;
  readonly description: string | null;
  readonly prompt: string | null;
  readonly tools: NameList | null;
  readonly disallowedTools: NameList;
  readonly toolGroups: NameList | null;
  readonly servers: ReadonlyMap<string, ServerConfig>;
  readonly skills: NameList;
  readonly model: Sourced<string> | null;
  readonly defer: Sourced<Deferral>;
  /** It directs other agents. */
  readonly coordinator: Sourced<boolean>;
}

interface Permissions {
  readonly mode: Sourced<Mode>;
  /** What becomes of calls of the host's own tools when nothing else decides. */
  readonly hostTools: Sourced<(typeof HOST_TOOL_CHOICES)[number]>;
  readonly allow: readonly Sourced<Rule>[];
  readonly ask: readonly Sourced<Rule>[];
  readonly deny: readonly Sourced<Rule>[];
  /** Absolute. */
  readonly additionalDirectories: readonly Sourced<string>[];
}

export interface HookConfig {
  readonly origin: Origin;
  readonly matcher: string | null;
  /** A permission rule; the hook is asked only about calls that it means. */
  readonly when: string | null;
  readonly command: string;
  /** Null: `command` is for a shell. */
  readonly args: readonly string[] | null;
  /** Relative to the workspace, or absolute. */
  readonly cwd: string | null;
  readonly env: ReadonlyMap<string, string>;
  /** Seconds. */
  readonly timeout: number | null;
  readonly isAsync: boolean;
  /** Whose names of tools and fields it knows. */
  readonly dialect: (typeof HOOK_DIALECTS)[number];
  readonly onFailure: "block" | "continue" | null;
}

export interface ModelChoice {
  readonly provider: string | null;
  readonly id: string;
}

export interface GatewayConfig {
  readonly host: Sourced<string>;
  readonly port: Sourced<number>;
  /** Null: none is configured, or its variable is not set. */
  readonly token: Sourced<string> | null;
  readonly approvals: Sourced<"client" | "inspector" | "deny">;
  /** The server whose tools and prompts clients see without its name in front; null for none. */
  readonly unprefixed: Sourced<string> | null;
  readonly builtins: Sourced<BuiltinChoice> | null;
  /** By the beginning of a client's name. */
  readonly knownClients: ReadonlyMap<string, KnownClient>;
  readonly clients: readonly GatewayClient[];
}

/** What is known of a client; null where its entry does not say. */
export interface KnownClient {
  readonly origin: Origin;
  readonly ownSearch: boolean | null;
  readonly maxTools: number | null;
  readonly listChanged: boolean | null;
}

interface GatewayClient {
  readonly origin: Origin;
  readonly name: string | null;
  readonly token: string;
  readonly agent: Sourced<string> | null;
  readonly include: NameList | null;
  readonly exclude: NameList;
}
