import type { Command } from "./command.ts";
import type { CommandName } from "./commands.ts";

/** A command's code is loaded only to run it: what one needs must not slow the others down. */
const CODE: Readonly<Record<CommandName, () => Promise<Command>>> = {
  up: async () => (await import("./up-command.ts")).runUp,
  run: async () => (await import("./run-command.ts")).runRun,
  chat: async () => (await import("./chat-command.ts")).runChat,
  acp: async () => (await import("./acp-command.ts")).runAcp,
  sessions: async () => (await import("./sessions-command.ts")).runSessions,
  schedules: async () => (await import("./schedules-command.ts")).runSchedules,
  connect: async () => (await import("./connect-command.ts")).runConnect,
  status: async () => (await import("./status-command.ts")).runStatus,
  down: async () => (await import("./down-command.ts")).runDown,
  serve: async () => (await import("./serve-command.ts")).runServe,
  rpc: async () => (await import("./rpc-command.ts")).runRpc,
  audit: async () => (await import("./audit-command.ts")).runAudit,
  list: async () => (await import("./list-command.ts")).runList,
  why: async () => (await import("./why-command.ts")).runWhy,
  search: async () => (await import("./search-command.ts")).runSearch,
  check: async () => (await import("./check-command.ts")).runCheck,
  call: async () => (await import("./call-command.ts")).runCall,
  grants: async () => (await import("./grants-command.ts")).runGrants,
  diff: async () => (await import("./diff-command.ts")).runDiff,
  config: async () => (await import("./config-command.ts")).runConfig,
  snapshot: async () => (await import("./snapshot-command.ts")).runSnapshot,
  servers: async () => (await import("./servers-command.ts")).runServers,
  doctor: async () => (await import("./doctor-command.ts")).runDoctor,
  enrich: async () => (await import("./enrich-command.ts")).runEnrich,
  init: async () => (await import("./init-command.ts")).runInit,
  add: async () => (await import("./add-command.ts")).runAdd,
  remove: async () => (await import("./remove-command.ts")).runRemove,
  plugins: async () => (await import("./plugins-command.ts")).runPlugins,
  pin: async () => (await import("./pin-command.ts")).runPin,
  trust: async () => (await import("./trust-command.ts")).runTrust,
  completion: async () => (await import("./completion-command.ts")).runCompletion,
  eval: async () => (await import("./eval-command.ts")).runEval,
  help: async () => (await import("./help-command.ts")).runHelp,
};

/** Null: none was named. */
export function loadCommand(name: CommandName | null): Promise<Command> {
  return CODE[name ?? "up"]();
}
