import { MODES } from "../../../core/scene/scene.ts";
import { COMMAND_NAMES, COMMANDS, type CommandName } from "../command-line/commands.ts";
import {
  AUDIT_DECISIONS,
  MCP_CLIENTS,
  OPTIONS,
  type OptionName,
  SERVER_TYPES,
  SESSION_ACTIONS,
  STANDINGS,
} from "../command-line/options.ts";
import { LOG_DETAILS } from "../terminal/log.ts";

/** Names that only the workspace knows; the shell asks for them when they are wanted. */
export const ASKED = ["agents", "servers", "tools", "keys"] as const;
export type CompletionKind = (typeof ASKED)[number];
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** What may stand at a place of a command line. */
export type Values =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "asked"; readonly asked: CompletionKind }
  | { readonly kind: "files" }
  | { readonly kind: "unknown" };

const words = (list: readonly string[]): Values => ({ kind: "words", words: list });
const asked = (what: CompletionKind): Values => ({ kind: "asked", asked: what });
const FILES: Values = { kind: "files" };
const UNKNOWN: Values = { kind: "unknown" };

const OF_OPTIONS: ReadonlyMap<OptionName, Values> = new Map<OptionName, Values>([
  ["mode", words(MODES)],
  ["standing", words(STANDINGS)],
  ["type", words(SERVER_TYPES)],
  ["write", words(MCP_CLIENTS)],
  ["decision", words(AUDIT_DECISIONS)],
  ["log-level", words(LOG_DETAILS)],
  ["agent", asked("agents")],
  ["server", asked("servers")],
  ["include", asked("tools")],
  ["exclude", asked("tools")],
  ["approve", asked("tools")],
  ["tool", asked("tools")],
]);

/** By what help calls an operand. */
const OF_OPERANDS: ReadonlyMap<string, Values> = new Map<string, Values>([
  ["TOOL", asked("tools")],
  ["SERVER", asked("servers")],
  ["NAME", asked("servers")],
  ["KEY", asked("keys")],
  ["FILE", FILES],
  ["DIR", FILES],
  ["COMMAND", words(COMMAND_NAMES)],
]);

const OF_COMMANDS: ReadonlyMap<string, Values> = new Map<string, Values>([
  ["servers ACTION", words(["restart", "login", "logout", "logs"])],
  ["grants ACTION", words(["list", "revoke"])],
  ["sessions ACTION", words(SESSION_ACTIONS)],
  ["eval KIND", words(["search", "rules", "scan", "tokens"])],
  ["completion SHELL", words(SHELLS)],
  ["add SERVER", UNKNOWN],
]);

/** The value behind an option; null for a switch. */
export function valuesOfOption(name: OptionName): Values | null {
  const { value } = OPTIONS[name];
  if (value === null) return null;
  return OF_OPTIONS.get(name) ?? (value === "FILE" ? FILES : UNKNOWN);
}

/** What each operand of a command may be, in order. */
export function valuesOfOperands(command: CommandName): readonly Values[] {
  return COMMANDS[command].operands.map((operand) => {
    const name = operand.replace(/^\[|[\]…]+$/g, "");
    return OF_COMMANDS.get(`${command} ${name}`) ?? OF_OPERANDS.get(name) ?? UNKNOWN;
  });
}
