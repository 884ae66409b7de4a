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

/** The options of a session. Keys that a configuration file also has mean the same here. */
export interface SessionOptions {
  /** The program's own tools: made by `defineTool`, or plain data whose calls `session.answer` answers. */
  readonly tools?: readonly ExternalTool[];
  /** Which built-in tools there are: those that only read, all, or a list of names and sets; none if absent. */
  readonly builtins?: false | "off" | "read" | "all" | readonly string[];
  /** Sources of tools that the program wrote; the session closes them when it ends or when they are left out. */
  readonly sources?: readonly Source[];
  /** MCP servers by name, in the shape of `.mcp.json`. */
  readonly mcpServers?: Readonly<Record<string, McpServerOption>>;
  /** APIs whose operations are tools, by name; they share names with `mcpServers`. */
  readonly openapi?: Readonly<Record<string, OpenApiOption>>;
  /** Processes that register tools over JSON-RPC. */
  readonly extensions?: readonly ExtensionOption[];
  /** Folders of skills, or folders that contain such folders. */
  readonly skillDirectories?: readonly string[];
  /** Names of skills to leave out. */
  readonly disabledSkills?: readonly string[];
  /**
   * What an active skill does with the tools that it names: `restrict` hides all others, `preapprove` lets them run
   * without asking, `off` does nothing.
   */
  readonly skillToolPolicy?: "restrict" | "preapprove" | "off";
  /** Agents that `agent` can select. */
  readonly customAgents?: readonly AgentOption[];
  /** The custom agent to use; null for the default one. */
  readonly agent?: string | null;
  /** An agent that watches the session: after each request it may add a note to the next one. */
  readonly sidekick?: string | null;
  /**
   * Only these tools and those that the mode needs, by any of their names, as in an agent's `tools`. It can only
   * remove tools. If none of them exists, the session does not open.
   */
  readonly requestedTools?: readonly string[] | null;
  /** Settings of the default agent. */
  readonly defaultAgent?: {
    /** Tools that only custom agents get. */
    readonly excludedTools?: readonly string[];
  };
  /** Only these tools, by any of their names, toolsets or patterns; all if absent. */
  readonly availableTools?: readonly string[] | null;
  /** Never these tools, by any of their names, toolsets or patterns. */
  readonly excludedTools?: readonly string[] | null;
  /** Allows a session without any tool, which is an error otherwise. */
  readonly allowNoTools?: boolean;
  /** With `include`, `excludedTools` has no effect if there are `availableTools`. */
  readonly filterPrecedence?: "exclude" | "include";
  /** Only tools of these groups, and those without one; null for all. */
  readonly toolGroups?: readonly string[] | null;
  /** Names for groups of tools, which every list can use. */
  readonly toolsets?: Readonly<
    Record<
      string,
      | readonly string[]
      | {
          /** Another name for it in lists; `toolset:NAME` if absent. */
          readonly id?: string;
          /** The tools in it, by any of their names. */
          readonly members: readonly string[];
        }
    >
  >;
  /** Changes to single tools, by any of their names. */
  readonly toolOverrides?: Readonly<Record<string, OverrideOption>>;
  /** Feature flags; one that is absent is off. */
  readonly features?: Readonly<Record<string, boolean>>;
  /** The model that gets the tools. It decides how many there are and in which form. */
  readonly model?:
    | string
    | {
        /** The provider, such as `anthropic`. */
        readonly provider?: string;
        /** The provider's id of the model. */
        readonly id: string;
      }
    | null;
  /** How much a model that reasons may think; its provider's default if absent. */
  readonly reasoningEffort?: Effort;
  /** The beginning of the system prompt, before the parts about tools. */
  readonly systemPrompt?: string;
  /** Providers of models by name: new ones, or other addresses of known ones. */
  readonly providers?: Readonly<Record<string, GivenProvider>>;
  /** Sends requests to models instead of the global `fetch`. */
  readonly fetch?: Carrier;
  /** A model of the program's own, used instead of a provider. */
  readonly modelClient?: ModelClient | null;
  /** What models can do, by id; `*` stands for any part of an id. */
  readonly models?: Readonly<Record<string, ModelOption>>;
  /** How much may happen without asking; `default` if absent. */
  readonly mode?: Mode;
  /** Rules about calls, and whether the program's own tools run without asking. */
  readonly permissions?: PermissionsOption;
  /** How built-in tools run commands. */
  readonly sandbox?: {
    /** `auto`: in a sandbox if the machine has one; `on`: only in a sandbox; `off`: without one. */
    readonly shell?: "auto" | "on" | "off";
    /** The program that makes the sandbox; `auto` uses the first that works. */
    readonly backend?: "auto" | "bubblewrap" | "sandbox-runtime";
    /** Lets commands run on the machine itself if there is no sandbox. */
    readonly allowHostShell?: boolean;
    /** Hides files that `Read` rules deny from commands; with `false`, commands that may read them are asked about. */
    readonly hideDenied?: boolean;
  };
  /** How `tool_search` finds tools. */
  readonly search?: {
    /** The search engine of `web_search`; `{query}` in its address is replaced by the query. */
    readonly web?: AddressOption;
    /** An address that makes vectors, instead of the program's own `embedder`. */
    readonly embedder?: {
      /** The base address of an API compatible with OpenAI's, without `/embeddings`. */
      readonly url: string;
      /** The model that makes the vectors. */
      readonly model: string;
      /** Sent as a bearer token. */
      readonly key?: string;
    };
  };
  /**
   * Whether the model calls tools from code, with the tool `run_code`, instead of one by one; `auto`: if definitions are
   * too large and there is no tool search.
   */
  readonly code?: "off" | "on" | "auto";
  /** A server that stores memories, if `features.memory` is on. */
  readonly memoryServer?: AddressOption;
  /** When tools are deferred to `tool_search`: never, always, or above a number of tools or a share of the window. */
  readonly toolSearch?:
    | "auto"
    | "on"
    | "off"
    | {
        /** Tools are deferred if there are more than this. */
        readonly threshold?: number;
        /** Tools are deferred if they take more than this percentage of the model's window. */
        readonly percent?: number;
      };
  /** How names of MCP tools are formed. */
  readonly wireNames?: "server__tool" | "server-tool" | "mcp__server__tool";
  /** The project's own checks, which the built-in `validate` runs. */
  readonly checks?: readonly {
    /** The name that people read. */
    readonly name: string;
    /** The program and its arguments. */
    readonly command: readonly string[];
    /** Milliseconds it may take. */
    readonly timeout?: number;
  }[];
  /** Asked about calls that no rule covers. Without it they are denied, except calls of the program's own tools. */
  readonly onPermissionRequest?: PermissionHandler | null;
  /** Functions that see calls before and after they run, and may change or refuse them. */
  readonly hooks?: SessionHooks;
  /** Judges calls that no rule covers, before anybody is asked; off if absent. */
  readonly classifier?: Classifier | null;
  /** Limits of calls whose tools have none of their own: time, and size of a result that a model gets at once. */
  readonly limits?: Partial<ExecutorLimits>;
  /** Answers the tool `ask_user`, which is hidden without it. */
  readonly onUserInputRequest?: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  /** Answers questions that MCP servers ask during a call; without it servers are told that nobody can be asked. */
  readonly onElicitationRequest?: ElicitationHandler | null;
  /** Gets the plan when the model wants to leave plan mode; if it is approved, the mode becomes `default`. */
  readonly approvePlan?:
    | ((
        plan: string,
        signal: AbortSignal,
      ) => Promise<{
        /** The session leaves plan mode. */
        readonly approved: boolean;
        /** What the model reads, whether approved or not. */
        readonly feedback: string | null;
      }>)
    | null;
  /** Where `store_memory` and `recall_memory` store facts; both tools need it. */
  readonly memory?: Memory | null;
  /** The tools that searches of an earlier session loaded: its `promotions`, also after a round trip through JSON. */
  readonly promoted?: SavedPromotions | null;
  /** Whose searches these are. What they lead to affects only later searches of the same tenant. */
  readonly tenant?: string;
  /** Where to store what searches led to; only this session knows it if absent. */
  readonly usage?: UsageStore | null;
  /** Turns texts into vectors, for searches that words cannot answer. It gets the text of every searchable tool. */
  readonly embedder?: Embedder | null;
  /** A `toolcrib.lock` to check servers and their tools against; none if absent. */
  readonly lock?: string | null;
  /** The folder of file tools, where relative paths start; the current folder if absent, none if null. */
  readonly workspace?: string | null;
  /**
   * Where the session is stored, so that it outlives its process: `sqlite:` for a file of this person and workspace,
   * `sqlite:PATH`, `postgres://…`, or a store from `openStore`. Nowhere if absent.
   */
  readonly store?: string | Store | null;
  /** The id of the session; generated if absent. */
  readonly sessionId?: string;
  /** Gets internal errors with `error(text, error)`, and details with `debug(text)`; silent if absent. */
  readonly logger?: Logger;
  /** Aborting it ends the session. */
  readonly signal?: AbortSignal;
}

/** The options about how the model is asked. */
export type AskingOptions = Pick<
  SessionOptions,
  "modelClient" | "providers" | "fetch" | "systemPrompt" | "reasoningEffort"
>;

/** Absent and undefined mean the same: an option that was left undefined must not remove a guard. */
export function withoutUndefined(options: SessionOptions): SessionOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

const SYNONYMS = [
  ["availableTools", "includeTools"],
  ["excludedTools", "excludeTools"],
] as const;

/** Both names mean one list, so a change under one name replaces the value under the other. */
export function withoutSynonyms(options: SessionOptions, changes: SessionOptions): SessionOptions {
  const said = SYNONYMS.flatMap(([one, other]): string[] => [
    ...(Object.hasOwn(changes, one) ? [other] : []),
    ...(Object.hasOwn(changes, other) ? [one] : []),
  ]);
  return Object.fromEntries(Object.entries(options).filter(([key]) => !said.includes(key)));
}
