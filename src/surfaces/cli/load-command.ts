import type { Command } from "./command-line/command.ts";
import type { CommandName } from "./command-line/commands.ts";

/** A command's code is loaded only to run it: what one needs must not slow the others down. */
const CODE: Readonly<Record<CommandName, () => Promise<Command>>> = {
  up: async () => (await import("./up/up-command.ts")).runUp,
  run: async () => (await import("./agent/run-command.ts")).runRun,
  chat: async () => (await import("./agent/chat-command.ts")).runChat,
  acp: async () => (await import("./agent/acp-command.ts")).runAcp,
  models: async () => (await import("./agent/models-command.ts")).runModels,
  sessions: async () => (await import("./stored/sessions-command.ts")).runSessions,
  schedules: async () => (await import("./agent/schedules-command.ts")).runSchedules,
  connect: async () => (await import("./clients/connect-command.ts")).runConnect,
  status: async () => (await import("./up/status-command.ts")).runStatus,
  down: async () => (await import("./up/down-command.ts")).runDown,
  serve: async () => (await import("./up/serve-command.ts")).runServe,
  rpc: async () => (await import("./clients/rpc-command.ts")).runRpc,
  audit: async () => (await import("./people/company-audit.ts")).runAudit,
  list: async () => (await import("./ask/list-command.ts")).runList,
  why: async () => (await import("./ask/why-command.ts")).runWhy,
  search: async () => (await import("./ask/search-command.ts")).runSearch,
  check: async () => (await import("./ask/check-command.ts")).runCheck,
  call: async () => (await import("./ask/call-command.ts")).runCall,
  rehearse: async () => (await import("./ask/rehearse-command.ts")).runRehearse,
  grants: async () => (await import("./trust/grants-command.ts")).runGrants,
  diff: async () => (await import("./ask/diff-command.ts")).runDiff,
  config: async () => (await import("./configuration/config-command.ts")).runConfig,
  snapshot: async () => (await import("./ask/snapshot-command.ts")).runSnapshot,
  servers: async () => (await import("./servers/servers-command.ts")).runServers,
  doctor: async () => (await import("./servers/doctor-command.ts")).runDoctor,
  enrich: async () => (await import("./agent/enrich-command.ts")).runEnrich,
  init: async () => (await import("./configuration/init-command.ts")).runInit,
  add: async () => (await import("./configuration/add-command.ts")).runAdd,
  remove: async () => (await import("./configuration/remove-command.ts")).runRemove,
  people: async () => (await import("./people/people-command.ts")).runPeople,
  logins: async () => (await import("./servers/logins-command.ts")).runLogins,
  keys: async () => (await import("./people/keys-command.ts")).runKeys,
  plugins: async () => (await import("./plugins/plugins-command.ts")).runPlugins,
  pin: async () => (await import("./trust/pin-command.ts")).runPin,
  guard: async () => (await import("./guard/guard-command.ts")).runGuard,
  hook: async () => (await import("./guard/hook-command.ts")).runHook,
  trust: async () => (await import("./trust/trust-command.ts")).runTrust,
  completion: async () => (await import("./help/completion-command.ts")).runCompletion,
  eval: async () => (await import("./ask/eval-command.ts")).runEval,
  help: async () => (await import("./help/help-command.ts")).runHelp,
};

/** Null: none was named. */
export function loadCommand(name: CommandName | null): Promise<Command> {
  return CODE[name ?? "up"]();
}
