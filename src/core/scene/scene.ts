import type { NamedSet } from "../catalog/named-set.ts";
import type { NameList, Origin, Sourced } from "../codes/origin.ts";
import type { Rule } from "../rules/rule.ts";
import type { Deferral } from "../tool/tool.ts";
import type { Client } from "./client.ts";
import type { SceneSettings } from "./scene-settings.ts";

export const MODES = ["default", "plan", "accept-edits", "dont-ask", "bypass", "autopilot"] as const;
export type Mode = (typeof MODES)[number];

/** What a tool can need of its host or client; every other need is a capability of the model. */
export const HOST_NEEDS = [
  "userInput",
  "elicitation",
  "workspace",
  "memory",
  "skills",
  "schedule",
  "agents",
  "webSearch",
  "instructions",
  "store",
] as const;
export type HostNeed = (typeof HOST_NEEDS)[number];

/** The frozen facts that gates may look at. Every value knows where it came from. */
export interface Scene extends SceneSettings {
  readonly builtins: Builtins;
  readonly filter: Filter;
  /** What managed policy, and whoever this is for, were narrowed to, besides everything else. */
  readonly limits: readonly Limit[];
  /** The selected agent; null while the default agent works. */
  readonly agent: Agent | null;
  readonly defaultExcluded: NameList;
  readonly mode: Sourced<Mode>;
  readonly model: Model | null;
  /** The program that the tools are listed for; null: a model reads the list, and nobody stands between. */
  readonly client: Client | null;
  readonly host: Readonly<Record<HostNeed, Sourced<boolean>>>;
  readonly sandbox: {
    readonly active: Sourced<boolean>;
    readonly allowHostShell: Sourced<boolean>;
    /** The setting that wants none, where one does. */
    readonly off?: Origin;
  };
  readonly policy: Policy;
  readonly servers: ReadonlyMap<string, Server>;
  readonly deny: readonly Sourced<Rule>[];
  readonly skills: readonly Skill[];
  /** Null: there is no lock file. */
  readonly pins: Sourced<ReadonlyMap<string, Pin>> | null;
  readonly promoted: Promotions;
  readonly sets: readonly NamedSet[];
}

/** Which built-in tools there are, and the setting that says so. */
export interface Builtins {
  /** `read`: those that change nothing and stay on this machine. Names are those of the tools. */
  readonly which: "off" | "read" | "all" | ReadonlySet<string>;
  /** What a person would change, such as `builtins`. */
  readonly setting: string;
  readonly origin: Origin;
}

export interface Filter {
  readonly include: NameList | null;
  readonly exclude: NameList;
  readonly precedence: Sourced<"exclude" | "include">;
  readonly allowNoTools: Sourced<boolean>;
}

/** What people call the two lists: each has two names, and whoever reads about it looks for the one they wrote. */
export function includeName({ include }: Filter): string {
  return include?.called ?? "includeTools";
}

export function excludeName({ exclude }: Filter): string {
  return exclude.called ?? "excludeTools";
}

/** A filter that can only take away: unlike `filter`, it never lifts what another list says of a tool. */
export interface Limit {
  readonly include: NameList | null;
  readonly exclude: NameList;
  /** Whose it is; the client's if absent. */
  readonly by?: (typeof LIMITERS)[number];
}

/**
 * Managed policy, a project whose include list nobody trusts yet, what agents below the top level do without, what the
 * agent above them names for itself, and what a program requested.
 */
export const LIMITERS = ["policy", "project", "subagent", "parent", "requested"] as const;

export interface Agent {
  readonly name: string;
  readonly origin: Origin;
  /** Null: all tools. */
  readonly tools: NameList | null;
  readonly disallowed: NameList;
  readonly toolGroups: NameList | null;
  readonly prompt: string | null;
  readonly defer: Sourced<Deferral>;
  /** It directs others, and keeps tools that are for that alone. */
  readonly coordinator: Sourced<boolean>;
  /** It works for another agent, below the top level. */
  readonly isSubagent?: boolean;
}

export interface Model {
  readonly id: string;
  readonly origin: Origin;
  /** Absent means "no"; the value may say more, as `toolSearch: "native"` does. */
  readonly capabilities: ReadonlyMap<string, boolean | string>;
  readonly variants: readonly string[];
  readonly maxTools: number;
  readonly contextWindow: number;
  /** Its part of the prompt. */
  readonly instructions: string | null;
}

export interface Policy {
  /** Null: every server is allowed. */
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
  /** Null: all its tools. */
  readonly tools: NameList | null;
  readonly defer: Sourced<Deferral>;
  readonly group: Sourced<string> | null;
  /** The flag that all its tools wait for. */
  readonly feature: Sourced<string> | null;
  readonly url: string | null;
  readonly argv: readonly string[] | null;
  /** Hash of how it is started or reached, as a pin remembers it. */
  readonly launch: string | null;
  readonly instructions: string | null;
}

export interface Skill {
  readonly name: string;
  readonly origin: Origin;
  readonly active: boolean;
  /** Null: it declares nothing, so it restricts nothing. */
  readonly allowedTools: NameList | null;
  readonly prompt: string | null;
  /** What it is for, so that a model can tell when to load it. */
  readonly description: string | null;
  /** An agent wants it active and it is not there, so nobody knows what it would allow. */
  readonly missing?: true;
}

export interface Pin {
  readonly signature: string;
  readonly approved: boolean;
  readonly launch: string | null;
  /** What a scan found and a person accepted with this signature; nothing if absent. */
  readonly signals?: readonly string[];
  /** The line of the lock file; that of all pins if absent. */
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
