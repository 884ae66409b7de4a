import type { Config } from "../../config/config.ts";
import type { SceneFacts } from "../../config/to-scene.ts";
import type { Host, Memory, Question } from "../../sources/host.ts";
import type { McpSource } from "../../sources/mcp/mcp-source.ts";
import type { Source } from "../../sources/source.ts";
import type { WantedSource } from "./configured-sources.ts";
import { type Logger, type SessionSetting, SILENT } from "./setting.ts";

/** What the program around a session offers and decides. */
export interface HostOptions {
  readonly id?: string;
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; null where file tools have nothing to work on. */
  readonly workspace: string | null;
  readonly addedDirectories?: readonly string[];
  readonly askUser?: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  readonly memory?: Memory | null;
  readonly logger?: Logger;
  readonly signal?: AbortSignal;
  /** Sources that the program brings itself. */
  readonly sources?: readonly WantedSource[];
  readonly pins?: SceneFacts["pins"];
  readonly allowNoTools?: boolean;
  readonly filterPrecedence?: "exclude" | "include";
}

/** The setting of a session whose built-ins reach the machine through this host. */
export function createHostSetting(options: HostOptions): SessionSetting {
  const { cwd, env, version, workspace, askUser = null, memory = null, logger = SILENT } = options;
  const state = new Map<string, unknown>();
  const listeners = new Set<() => void>();
  const host: Host = {
    workspace,
    addedDirectories: options.addedDirectories ?? [],
    env,
    askUser,
    memory,
    checks: [],
    wrapLaunch: (launch) => launch,
    activateSkill: null,
    approvePlan: null,
    onTaskComplete: () => {},
    state,
  };
  const builtin: WantedSource = {
    key: "builtin",
    open: async () => (await import("../../sources/builtin/builtin-source.ts")).createBuiltinSource(host),
  };
  return {
    ...(options.id === undefined ? {} : { id: options.id }),
    place: { cwd, env, version },
    logger,
    signal: options.signal ?? new AbortController().signal,
    sources: (_config: Config) => [builtin, ...(options.sources ?? [])],
    facts: (sources) => ({
      handlers: { userInput: askUser !== null, elicitation: false },
      host: { workspace: workspace !== null, memory: memory !== null, schedule: false },
      sandboxActive: false,
      instructions: toInstructions(sources),
      ...(options.pins === undefined ? {} : { pins: options.pins }),
      ...(options.allowNoTools === undefined ? {} : { allowNoTools: options.allowNoTools }),
      ...(options.filterPrecedence === undefined ? {} : { filterPrecedence: options.filterPrecedence }),
    }),
    notices: () => [],
    onChange: (listener) => void listeners.add(listener),
  };
}

/** What connected servers say about themselves, for the prompt (P2). */
function toInstructions(sources: readonly Source[]): ReadonlyMap<string, string> {
  return new Map(
    sources.flatMap((source) => {
      const instructions = isServer(source) ? source.instructions : null;
      return instructions === null ? [] : [[source.name, instructions] as const];
    }),
  );
}

function isServer(source: Source): source is McpSource {
  return source.kind === "mcp" && "instructions" in source;
}
