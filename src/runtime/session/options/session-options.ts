import type { Mode } from "../../../core/scene/scene.ts";
import type { Embedder } from "../../../core/search/vector-store.ts";
import type { ExternalTool } from "../../../sources/external/external-source.ts";
import type { Memory, Question } from "../../../sources/people-port.ts";
import type { Source } from "../../../sources/source.ts";
import type { Logger } from "../../../system/logger.ts";
import type { ExecutorLimits } from "../../executor/executor-limits.ts";
import type { SessionHooks } from "../../hooks/hook-types.ts";
import type { GivenProvider } from "../../models/find-model.ts";
import type { Carrier } from "../../models/http-model.ts";
import type { Effort, ModelClient } from "../../models/model.ts";
import type { Classifier } from "../../permissions/classifier.ts";
import type { PermissionHandler } from "../../permissions/permission-request.ts";
import type { Store } from "../../store/store.ts";
import type { SavedPromotions } from "../search/promotion-state.ts";
import type { UsageStore } from "../search/search-usage.ts";
import type { ElicitationHandler } from "../sources/elicitation.ts";
import type {
  AddressOption,
  AgentOption,
  ExtensionOption,
  McpServerOption,
  ModelOption,
  OpenApiOption,
  OverrideOption,
  PermissionsOption,
} from "./option-types.ts";

/** What a program decides about its session. Keys that a configuration file has too mean the same here. */
export interface SessionOptions {
  /** Tools of the program itself: what `defineTool` returns, or data whose calls `session.answer` answers. */
  readonly tools?: readonly ExternalTool[];
  /** The built-in tools to have: those that only read, all, or the named ones and sets of them; none if absent. */
  readonly builtins?: false | "off" | "read" | "all" | readonly string[];
  /** Further sources of tools, written by the program; the session closes them when it ends or they are left out. */
  readonly sources?: readonly Source[];
  /** MCP servers by name, in the shape of `.mcp.json`. */
  readonly mcpServers?: Readonly<Record<string, McpServerOption>>;
  /** APIs whose operations are tools, by name; they share names with `mcpServers`. */
  readonly openapi?: Readonly<Record<string, OpenApiOption>>;
  /** Processes that register tools over JSON-RPC. */
  readonly extensions?: readonly ExtensionOption[];
  /** Folders of skills, or folders that hold such folders. */
  readonly skillDirectories?: readonly string[];
  /** Names of skills to leave out. */
  readonly disabledSkills?: readonly string[];
  /** What the tools that an active skill names mean: no others, no question about them, or nothing. */
  readonly skillToolPolicy?: "restrict" | "preapprove" | "off";
  /** Agents that `agent` can select. */
  readonly customAgents?: readonly AgentOption[];
  /** The custom agent that works here; null for the default one. */
  readonly agent?: string | null;
  /** An agent that looks on while the session runs: after each request it may add a note to the next one. */
  readonly sidekick?: string | null;
  /**
   * Only these tools, and those that the mode needs; by any of their names, as in an agent's `tools`. It only takes away.
   * Where none of them is there, the session is refused.
   */
  readonly requestedTools?: readonly string[] | null;
  /** What the default agent does without. */
  readonly defaultAgent?: {
    /** Tools that only custom agents get. */
    readonly excludedTools?: readonly string[];
  };
  /** Only these tools, by any of their names, toolsets or patterns; all if absent. */
  readonly availableTools?: readonly string[] | null;
  /** Never these tools, by any of their names, toolsets or patterns. */
  readonly excludedTools?: readonly string[] | null;
  /** A run without any tool is meant, and no mistake. */
  readonly allowNoTools?: boolean;
  /** `include` makes `excludedTools` idle where there are `availableTools`. */
  readonly filterPrecedence?: "exclude" | "include";
  /** Only tools of these groups, and those without one; null for all. */
  readonly toolGroups?: readonly string[] | null;
  /** Names for several tools each, to be used in every list. */
  readonly toolsets?: Readonly<
    Record<
      string,
      | readonly string[]
      | {
          /** What lists can call it by beside its name; `toolset:` and its name if absent. */
          readonly id?: string;
          /** The tools in it, by any of their names. */
          readonly members: readonly string[];
        }
    >
  >;
  /** Changes to single tools, by any identifier of theirs. */
  readonly toolOverrides?: Readonly<Record<string, OverrideOption>>;
  /** Feature flags; one that is absent is off. */
  readonly features?: Readonly<Record<string, boolean>>;
  /** The model that gets the tools, which decides how many and in which form. */
  readonly model?:
    | string
    | {
        /** Who serves it, such as `anthropic`. */
        readonly provider?: string;
        /** As its provider calls it. */
        readonly id: string;
      }
    | null;
  /** How much a model that reasons may think; its provider's default if absent. */
  readonly reasoningEffort?: Effort;
  /** Text for the model in front of what its tools need said. */
  readonly systemPrompt?: string;
  /** Providers of models besides the known ones, or other addresses for those, by name. */
  readonly providers?: Readonly<Record<string, GivenProvider>>;
  /** Carries requests to models in place of the global `fetch`. */
  readonly fetch?: Carrier;
  /** Asked in place of a provider: a model of the program's own. */
  readonly modelClient?: ModelClient | null;
  /** Facts about models, by id, with `*` for any part of it. */
  readonly models?: Readonly<Record<string, ModelOption>>;
  /** How much may happen without a question; `default` if absent. */
  readonly mode?: Mode;
  /** Rules about calls, and what becomes of the program's own tools. */
  readonly permissions?: PermissionsOption;
  /** How built-in tools run commands. */
  readonly sandbox?: {
    /** `auto`: in a sandbox where the machine has one; `on`: only in one; `off`: in none. */
    readonly shell?: "auto" | "on" | "off";
    /** Which program makes the sandbox; `auto` takes the first that works. */
    readonly backend?: "auto" | "bubblewrap" | "sandbox-runtime";
    /** Lets commands run on the machine itself where there is no sandbox. */
    readonly allowHostShell?: boolean;
    /** Covers files that `Read` rules deny while commands run; `false` asks about commands that may read them. */
    readonly hideDenied?: boolean;
  };
  /** How `tool_search` finds tools. */
  readonly search?: {
    /** The search engine of `web_search`; `{query}` in its address is what is looked for. */
    readonly web?: AddressOption;
    /** An address that makes vectors, in place of an `embedder` of the program. */
    readonly embedder?: {
      /** Of an API compatible with OpenAI's, up to what stands before `/embeddings`. */
      readonly url: string;
      /** The model that makes the vectors. */
      readonly model: string;
      /** Sent as a bearer token. */
      readonly key?: string;
    };
  };
  /**
   * Whether the model calls tools from code, through the one tool `run_code`, in place of single calls; `auto`: when
   * definitions are too large and nobody searches.
   */
  readonly code?: "off" | "on" | "auto";
  /** A server that keeps what `store_memory` stores, where `features.memory` is on. */
  readonly memoryServer?: AddressOption;
  /** When tools wait behind `tool_search`: never, always, or over so many tools or percent of the model's window. */
  readonly toolSearch?:
    | "auto"
    | "on"
    | "off"
    | {
        /** More tools than this wait. */
        readonly threshold?: number;
        /** Tools that take more than this percentage of the model's window wait. */
        readonly percent?: number;
      };
  /** How names of MCP tools are put together. */
  readonly wireNames?: "server__tool" | "server-tool" | "mcp__server__tool";
  /** The project's own checks, which the built-in `validate` runs. */
  readonly checks?: readonly {
    /** What people call it. */
    readonly name: string;
    /** The program and its arguments. */
    readonly command: readonly string[];
    /** Milliseconds it may take. */
    readonly timeout?: number;
  }[];
  /** Asked about calls that no rule covers; without it they are denied, save those of the program's own tools. */
  readonly onPermissionRequest?: PermissionHandler | null;
  /** Functions that see calls before and after they run, and may change or refuse them. */
  readonly hooks?: SessionHooks;
  /** Judges calls that no rule covers before anybody is asked; off if absent. */
  readonly classifier?: Classifier | null;
  /** Milliseconds for calls of tools that say nothing themselves, and bytes of a result that a model gets at once. */
  readonly limits?: Partial<ExecutorLimits>;
  /** Answers the tool `ask_user`, which is there only with it. */
  readonly onUserInputRequest?: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  /** Answers what MCP servers ask people in the middle of a call; without it they hear that nobody can be asked. */
  readonly onElicitationRequest?: ElicitationHandler | null;
  /** Shown the plan when a model wants to leave plan mode; with its yes the mode becomes `default`. */
  readonly approvePlan?:
    | ((
        plan: string,
        signal: AbortSignal,
      ) => Promise<{
        /** The session leaves plan mode. */
        readonly approved: boolean;
        /** What the model is to read, with a yes or a no. */
        readonly feedback: string | null;
      }>)
    | null;
  /** Where `store_memory` and `recall_memory` keep facts; with it both tools are there. */
  readonly memory?: Memory | null;
  /** What searches of an earlier session had loaded: its `promotions`, as they were or through JSON. */
  readonly promoted?: SavedPromotions | null;
  /** Whose searches these are; what they lead to ranks later searches of the same tenant and of nobody else. */
  readonly tenant?: string;
  /** Where it is kept what searches led to; only this session knows it if absent. */
  readonly usage?: UsageStore | null;
  /** Turns texts into vectors, for searches that words alone do not answer; it gets the text of every searchable tool. */
  readonly embedder?: Embedder | null;
  /** A `toolcrib.lock` to check servers and their tools against; none if absent. */
  readonly lock?: string | null;
  /** The folder that file tools work in and relative paths start from; the current one if absent, none if null. */
  readonly workspace?: string | null;
  /**
   * Where the session is stored, so that it outlives its process: `sqlite:` for the person's own file of this workspace,
   * `sqlite:PATH`, `postgres://…`, or a store that `openStore` gave. Nowhere if absent.
   */
  readonly store?: string | Store | null;
  /** The id of the session; made up if absent. */
  readonly sessionId?: string;
  /** Told of what goes wrong inside, with `error(text, error)` and `debug(text)`; silent if absent. */
  readonly logger?: Logger;
  /** Ends the session when it is aborted. */
  readonly signal?: AbortSignal;
}

/** What a program decides about how its model is asked. */
export type AskingOptions = Pick<
  SessionOptions,
  "modelClient" | "providers" | "fetch" | "systemPrompt" | "reasoningEffort"
>;

/** Options that only a program has, and no configuration file could hold. */
const OWN_KEYS = {
  tools: true,
  sources: true,
  onPermissionRequest: true,
  hooks: true,
  classifier: true,
  limits: true,
  onUserInputRequest: true,
  onElicitationRequest: true,
  approvePlan: true,
  memory: true,
  reasoningEffort: true,
  systemPrompt: true,
  providers: true,
  fetch: true,
  modelClient: true,
  promoted: true,
  tenant: true,
  usage: true,
  embedder: true,
  lock: true,
  workspace: true,
  allowNoTools: true,
  filterPrecedence: true,
  requestedTools: true,
  store: true,
  sessionId: true,
  logger: true,
  signal: true,
} as const satisfies Partial<Record<keyof SessionOptions, true>>;

/** The part of the options that a configuration file could hold, under the file's keys. */
export function toFileKeys(options: SessionOptions): Readonly<Record<string, unknown>> {
  const { customAgents, mode, permissions, builtins, ...others } = options;
  const rest = Object.fromEntries(Object.entries(others).filter(([key]) => !Object.hasOwn(OWN_KEYS, key)));
  return {
    ...rest,
    ...(builtins === undefined ? {} : { builtins: builtins === false ? "off" : builtins }),
    ...(customAgents === undefined ? {} : { agents: customAgents }),
    ...(mode === undefined && permissions === undefined
      ? {}
      : { permissions: { ...permissions, ...(mode === undefined ? {} : { mode }) } }),
  };
}

/** What a program wrote where a file has another key for it. */
export function toOptionName(path: string): string {
  return path === "permissions.mode" ? "mode" : path.replace(/^agents(?=\[|$)/, "customAgents");
}

/** Absent and undefined are the same: what somebody left undefined must not lift a guard. */
export function withoutUndefined(options: SessionOptions): SessionOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const SYNONYMS = [
  ["availableTools", "includeTools"],
  ["excludedTools", "excludeTools"],
] as const;

/** What the changes say under another name is theirs to say: both names mean one list. */
export function withoutSynonyms(options: SessionOptions, changes: SessionOptions): SessionOptions {
  const said = SYNONYMS.flatMap(([one, other]): string[] => [
    ...(Object.hasOwn(changes, one) ? [other] : []),
    ...(Object.hasOwn(changes, other) ? [one] : []),
  ]);
  return Object.fromEntries(Object.entries(options).filter(([key]) => !said.includes(key)));
}
