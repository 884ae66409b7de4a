import { MODES } from "../../core/scene/scene.ts";

export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const STANDINGS = ["visible", "deferred", "hidden"] as const;

/** Every option of every command; help, the reference page and the parser are made from this table. */
export const OPTIONS = {
  config: { value: "FILE", repeats: false, text: "read this configuration file instead of looking for one" },
  world: { value: "FILE", repeats: false, text: 'ask about a world file, "-" for stdin; no configuration is read' },
  agent: { value: "NAME", repeats: false, text: "select this agent" },
  model: { value: "ID", repeats: false, text: "for this model" },
  mode: { value: "MODE", repeats: false, text: `one of ${MODES.join(", ")}` },
  include: { value: "LIST", repeats: true, text: "only these tools, toolsets, servers or patterns; comma separated" },
  exclude: { value: "LIST", repeats: true, text: "all but these; added to what is excluded already" },
  standing: { value: "STANDING", repeats: false, text: `show only tools that are ${STANDINGS.join(", ")}` },
  yes: { value: null, repeats: false, text: "do it without asking" },
  json: { value: null, repeats: false, text: "print one JSON document and nothing else" },
  "log-level": {
    value: "LEVEL",
    repeats: false,
    text: `what to tell on stderr: one of ${LOG_LEVELS.join(", ")} (or TOOLCRIB_LOG)`,
  },
  help: { value: null, repeats: false, text: "show this text" },
  version: { value: null, repeats: false, text: "show the version" },
} as const satisfies Record<string, OptionSpec>;

interface OptionSpec {
  /** What stands for its value in help; null for a switch. */
  readonly value: string | null;
  /** Given twice it accumulates instead of being a mistake. */
  readonly repeats: boolean;
  readonly text: string;
}

export type OptionName = keyof typeof OPTIONS;

export const SCENE_OPTIONS = ["config", "world", "agent", "model", "mode", "include", "exclude"] as const;
export const COMMON_OPTIONS = ["json", "log-level", "help", "version"] as const;

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(OPTIONS, name);
}
