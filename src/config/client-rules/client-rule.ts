import type { Origin } from "../../core/codes/origin.ts";
import type { ForeignFile } from "../import/find-foreign.ts";
import type { NotImported } from "../import/import-servers.ts";

/** The clients whose permissions can be read. */
export const RULE_CLIENTS = {
  "claude-code": "Claude Code",
  codex: "Codex",
  "gemini-cli": "Gemini CLI",
  "copilot-cli": "Copilot CLI",
  opencode: "opencode",
  vscode: "VS Code",
} as const;
export type RuleClient = keyof typeof RULE_CLIENTS;
export const RULE_LISTS = ["deny", "ask", "allow"] as const;
export type RuleList = (typeof RULE_LISTS)[number];

/** A permission as a client's file has it, in our words. */
export interface ClientRule {
  readonly client: RuleClient;
  /** A project's file says something about that project alone. */
  readonly side: ForeignFile["side"];
  readonly list: RuleList;
  /** As written there, on one line. */
  readonly said: string;
  /** What it is here: each an entry of the list. */
  readonly rules: readonly string[];
  /** How they differ from it; null if they mean the same. */
  readonly change: string | null;
  readonly origin: Origin;
}

/** A permission that has no form here. */
export interface LeftRule extends NotImported {
  readonly client: RuleClient;
}

/** What reading one file came to. */
interface ReadRules {
  readonly rules: readonly ClientRule[];
  readonly left: readonly LeftRule[];
}

/** Rules of one entry, and how they differ from it; a text says why there are none. */
export type Words = { readonly rules: readonly string[]; readonly change?: string } | string;

/** Collects what one file says. */
export interface RuleTaker {
  take(list: RuleList, said: string, words: Words, origin: Origin): void;
  leave(what: string, why: string, origin: Origin): void;
  readonly side: ForeignFile["side"];
}

export function createTaker(client: RuleClient, side: ForeignFile["side"]): FileTaker {
  const rules: ClientRule[] = [];
  const left: LeftRule[] = [];
  const leave: RuleTaker["leave"] = (what, why, origin) => void left.push({ client, what, why, origin });
  return {
    client,
    side,
    leave,
    take(list, said, words, origin) {
      if (typeof words === "string") leave(said, words, origin);
      else rules.push({ client, side, list, said, rules: words.rules, change: words.change ?? null, origin });
    },
    done: () => ({ rules, left }),
  };
}

interface FileTaker extends RuleTaker {
  readonly client: RuleClient;
  done(): ReadRules;
}
