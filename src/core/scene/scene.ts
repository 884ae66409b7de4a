import type { NamedSet } from "../catalog/named-set.ts";
import type { NameList, Origin, Sourced } from "../codes/origin.ts";
import type { Rule } from "../rules/rule.ts";
import type { Deferral } from "../tool/tool.ts";
import type { Client } from "./client.ts";
import type { SceneSettings } from "./scene-settings.ts";

export const MODES = ["default", "plan", "accept-edits", "dont-ask", "bypass", "autopilot"] as const;
export type Mode = (typeof MODES)[number];

/** What a tool can need from its host or client; every other need is a capability of the model. */
export const HOST_NEEDS = [
  "userInput",
  "elicitation",
  "workspace",
  "memory",
  "skills",
  "schedule",
  "agents",
  "agentModel",
  "webSearch",
  "instructions",
  "store",
] as const;
export type HostNeed = (typeof HOST_NEEDS)[number];

/** The frozen facts that gates may look at. Every value knows its origin. */
export interface Scene extends SceneSettings {
  readonly builtins: Builtins;
  readonly filter: Filter;
  /** Further limits by managed policy and by the party that the tools are for. */
  readonly limits: readonly Limit[];
  /** The selected agent; null for the default agent. */
  readonly agent: Agent | null;
  readonly defaultExcluded: NameList;
  readonly mode: Sourced<Mode>;
  readonly model: Model | null;
  /** The program that the tools are listed for; null if a model reads the list directly. */
  readonly client: Client | null;
  readonly host: Readonly<Record<HostNeed, Sourced<boolean>>>;
  readonly sandbox: {
    readonly active: Sourced<boolean>;
    readonly allowHostShell: Sourced<boolean>;
    /** The setting that turns the sandbox off, if one does. */
    readonly off?: Origin;
  };
  readonly policy: Policy;
  readonly servers: ReadonlyMap<string, Server>;
  readonly deny: readonly Sourced<Rule>[];
  readonly skills: readonly Skill[];
  /** Null if there is no lock file. */
  readonly pins: Sourced<ReadonlyMap<string, Pin>> | null;
  readonly promoted: Promotions;
  readonly sets: readonly NamedSet[];
}

/** Which built-in tools exist, and the setting that decides it. */
export interface Builtins {
  /** `read`: those that change nothing and stay on this machine. A set holds tool names. */
  readonly which: "off" | "read" | "all" | ReadonlySet<string>;
  /** The setting that a person would change, such as `builtins`. */
  readonly setting: string;
  readonly origin: Origin;
}

export interface Filter {
  readonly include: NameList | null;
  readonly exclude: NameList;
  readonly precedence: Sourced<"exclude" | "include">;
  readonly allowNoTools: Sourced<boolean>;
}

/** Each list has two names; messages use the one that the person wrote. */
export function includeName({ include }: Filter): string {
  return include?.called ?? "includeTools";
}

export function excludeName({ exclude }: Filter): string {
  return exclude.called ?? "excludeTools";
}

/** A filter that can only remove tools: unlike `filter`, it never overrides another list. */
export interface Limit {
  readonly include: NameList | null;
  readonly exclude: NameList;
  /** Who set it; the client if absent. */
  readonly by?: (typeof LIMITERS)[number];
  /** Whose list it is, in words, where `by` does not say it, such as "the engineers profile's". */
  readonly whose?: string;
  /** Why it counts here, as a clause for people. */
  readonly because?: string;
  /** What a person would change instead of the list. */
  readonly fix?: string;
}

/**
 * Managed policy, an untrusted project's include list, what subagents never get, the tools of the parent agent, a
 * program's request, the named prompt that is worked on, and a profile that a person or a client is given.
 */
export const LIMITERS = ["policy", "project", "subagent", "parent", "requested", "prompt", "person"] as const;

export interface Agent {
  readonly name: string;
  readonly origin: Origin;
  /** Null for all tools. */
  readonly tools: NameList | null;
  readonly disallowed: NameList;
  /** Calls that it never makes, of tools that it may have. */
  readonly denied: readonly Sourced<Rule>[];
  readonly toolGroups: NameList | null;
  readonly prompt: string | null;
  readonly defer: Sourced<Deferral>;
  /** It directs other agents, and keeps the tools that are only for that. */
  readonly coordinator: Sourced<boolean>;
  /** It works for another agent. */
  readonly isSubagent?: boolean;
}

export interface Model {
  readonly id: string;
  readonly origin: Origin;
  /** Absent means "no"; the value may say more, as in `toolSearch: "native"`. */
  readonly capabilities: ReadonlyMap<string, boolean | string>;
  readonly variants: readonly string[];
  readonly maxTools: number;
  readonly contextWindow: number;
  /** Its section of the prompt. */
  readonly instructions: string | null;
}

export interface Policy {
  /** Null if every server is allowed. */
  readonly allowedServers: Sourced<readonly Sourced<ServerMatch>[]> | null;
  readonly deniedServers: readonly Sourced<ServerMatch>[];
  readonly deniedTools: NameList;
}

/** Which servers a policy line means: by name, by address with `*`, or by the exact command line. */
export type ServerMatch =
  | { readonly by: "name"; readonly name: string }
  | { readonly by: "url"; readonly url: string }
  | { readonly by: "command"; readonly argv: readonly string[] };

/** What the scene knows of a configured server, whether or not it has listed its tools. */
export interface Server {
  readonly name: string;
  readonly origin: Origin;
  /** Null for all its tools. */
  readonly tools: NameList | null;
  readonly defer: Sourced<Deferral>;
  readonly group: Sourced<string> | null;
  /** The flag that all its tools require. */
  readonly feature: Sourced<string> | null;
  readonly url: string | null;
  readonly argv: readonly string[] | null;
  /** Hash of how it is started or reached, as a pin stores it. */
  readonly launch: string | null;
  readonly instructions: string | null;
}

export interface Skill {
  readonly name: string;
  readonly origin: Origin;
  readonly active: boolean;
  /** Null if it declares nothing and so restricts nothing. */
  readonly allowedTools: NameList | null;
  readonly prompt: string | null;
  /** What it is for, so that a model knows when to load it. */
  readonly description: string | null;
  /** An agent wants it active but it does not exist, so what it would allow is unknown. */
  readonly missing?: true;
}

export interface Pin {
  readonly signature: string;
  readonly approved: boolean;
  readonly launch: string | null;
  /** Scan findings that a person accepted for this signature; none if absent. */
  readonly signals?: readonly string[];
  /** The line in the lock file; if absent, that of all pins. */
  readonly origin?: Origin;
}

/** Deferred tools that a search has loaded, oldest first. */
export interface Promotions {
  readonly catalogHash: string | null;
  readonly names: readonly string[];
  readonly signatures: ReadonlyMap<string, string>;
}

export const DEFAULT_MAX_TOOLS = 128;
export const DEFAULT_CONTEXT_WINDOW = 200_000;
export const DEFAULT_THRESHOLD = 30;
export const NO_PROMOTIONS: Promotions = { catalogHash: null, names: [], signatures: new Map() };
