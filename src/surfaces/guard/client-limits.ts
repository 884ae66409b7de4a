import type { GuardSide } from "./guard-places.ts";
import type { HookClientName } from "./hook-clients.ts";

/** A setting with which a file of the client turns hooks off. */
export interface HookSwitch {
  /** Of the repository, from its root. */
  readonly files: readonly string[];
  readonly keys: readonly string[];
  /** Where it is off: with this value, or in a list of names or commands of hooks. */
  readonly off: boolean | "listed";
  /** Hooks of these sides go with it. */
  readonly sides: readonly GuardSide[];
  /** Only in a folder that the person has told the client to trust. */
  readonly isIfTrusted?: true;
}

interface ClientLimits {
  /** The version with which all of this was tried; null: its documentation says so. */
  readonly tried: string | null;
  /** What runs although the guard is there, and for hooks of which sides. */
  readonly open: readonly { readonly text: string; readonly sides: readonly GuardSide[] }[];
  readonly switches: readonly HookSwitch[];
}

const ALL: readonly GuardSide[] = ["user", "project", "managed"];
const OWN: readonly GuardSide[] = ["user", "project"];

/** A client that waited in vain. */
const SLOW = {
  text: "it goes on with a call whose hook is killed, or takes longer than the time-out in its file",
  sides: ALL,
};

/** Tried with a second hook: what ran was not what the first had judged. */
const CHANGED = { text: "another hook may change a call after this one has judged it", sides: ALL };

/** What a guard cannot hold by the client's own doing: one row for each. */
export const CLIENT_LIMITS: Readonly<Record<HookClientName, ClientLimits>> = {
  "claude-code": {
    tried: "2.1.197",
    open: [
      SLOW,
      CHANGED,
      { text: "claude --bare runs no hooks; managed deny rules still count", sides: ALL },
      { text: "claude --setting-sources project leaves your own hooks out", sides: ["user"] },
    ],
    switches: [
      {
        files: [".claude/settings.json", ".claude/settings.local.json"],
        ...{ keys: ["disableAllHooks"], off: true, sides: OWN },
      },
    ],
  },
  codex: {
    tried: "0.169.0",
    open: [
      SLOW,
      CHANGED,
      { text: "codex exec skips a hook that it does not trust, and says nothing", sides: OWN },
      { text: "codex -c features.hooks=false runs no hooks", sides: OWN },
      { text: "what is typed into a program that runs already fires no hook, so bare shells are refused", sides: ALL },
      { text: "web_search runs at the provider and fires no hook", sides: ALL },
    ],
    switches: [
      { files: [".codex/config.toml"], keys: ["features", "hooks"], off: false, sides: OWN, isIfTrusted: true },
    ],
  },
  "gemini-cli": {
    tried: "0.61.0",
    open: [SLOW, CHANGED],
    switches: [
      { files: [".gemini/settings.json"], keys: ["hooksConfig", "enabled"], off: false, sides: OWN },
      { files: [".gemini/settings.json"], keys: ["hooksConfig", "disabled"], off: "listed", sides: ALL },
    ],
  },
  "copilot-cli": {
    tried: "1.0.102",
    open: [
      { text: "it goes on with a call whose hook takes longer than the time-out in its file", sides: ALL },
      CHANGED,
      { text: "hooks of a repository run only in a folder that it trusts", sides: ["project"] },
    ],
    switches: [],
  },
  "qwen-code": {
    tried: "0.15.10",
    open: [SLOW],
    switches: [{ files: [".qwen/settings.json"], keys: ["disableAllHooks"], off: true, sides: OWN }],
  },
  opencode: {
    tried: "1.18.33",
    open: [CHANGED, { text: "it skips a plugin file that is broken, and says nothing", sides: ALL }],
    switches: [],
  },
  cursor: {
    tried: null,
    open: [
      {
        text: "it asks no hook about tools other than shell, MCP, reading, writing, deleting, searching and tasks",
        sides: ALL,
      },
    ],
    switches: [],
  },
  windsurf: {
    tried: null,
    open: [{ text: "it asks no hook about searches and web pages, and knows no time-out", sides: ALL }],
    switches: [],
  },
  cline: { tried: null, open: [{ text: "hooks must be enabled in its settings", sides: ALL }], switches: [] },
};
