import type { Command } from "./command.ts";
import type { CommandName } from "./commands.ts";

/** A command's code is loaded only to run it: what one needs must not slow the others down. Null: none was named. */
export async function loadCommand(name: CommandName | null): Promise<Command> {
  switch (name) {
    case null:
    case "up":
      return (await import("./up-command.ts")).runUp;
    case "connect":
      return (await import("./connect-command.ts")).runConnect;
    case "status":
      return (await import("./status-command.ts")).runStatus;
    case "down":
      return (await import("./down-command.ts")).runDown;
    case "serve":
      return (await import("./serve-command.ts")).runServe;
    case "audit":
      return (await import("./audit-command.ts")).runAudit;
    case "list":
      return (await import("./list-command.ts")).runList;
    case "why":
      return (await import("./why-command.ts")).runWhy;
    case "search":
      return (await import("./search-command.ts")).runSearch;
    case "check":
      return (await import("./check-command.ts")).runCheck;
    case "call":
      return (await import("./call-command.ts")).runCall;
    case "grants":
      return (await import("./grants-command.ts")).runGrants;
    case "diff":
      return (await import("./diff-command.ts")).runDiff;
    case "config":
      return (await import("./config-command.ts")).runConfig;
    case "snapshot":
      return (await import("./snapshot-command.ts")).runSnapshot;
    case "servers":
      return (await import("./servers-command.ts")).runServers;
    case "doctor":
      return (await import("./doctor-command.ts")).runDoctor;
    case "init":
      return (await import("./init-command.ts")).runInit;
    case "add":
      return (await import("./add-command.ts")).runAdd;
    case "remove":
      return (await import("./remove-command.ts")).runRemove;
    case "pin":
      return (await import("./pin-command.ts")).runPin;
    case "trust":
      return (await import("./trust-command.ts")).runTrust;
    case "completion":
      return (await import("./completion-command.ts")).runCompletion;
    case "eval":
      return (await import("./eval-command.ts")).runEval;
    case "help":
      return (await import("./help-command.ts")).runHelp;
  }
}
