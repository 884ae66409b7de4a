import type { HookClientName } from "./hook-clients.ts";
import { CLIENT_SECONDS } from "./hook-line.ts";
import { opencodePlugin } from "./opencode-plugin.ts";

/** What goes into a file of a client; everything else in it stays. */
export type GuardPart =
  /** An item of the list under these keys, in place of an earlier one of ours. */
  | { readonly kind: "item"; readonly keys: readonly string[]; readonly item: unknown }
  | { readonly kind: "value"; readonly keys: readonly string[]; readonly value: unknown }
  /** Items of a list, behind those of others. */
  | { readonly kind: "more"; readonly keys: readonly string[]; readonly items: readonly unknown[] }
  /** All of the file. */
  | { readonly kind: "text"; readonly text: string; readonly mode: number };

interface ClientHook {
  readonly parts: (line: string) => readonly GuardPart[];
  /** Besides those in the machine's files: what keeps hooks on there. */
  readonly pins: readonly GuardPart[];
  /** What a file of the client's holds that says nothing else. */
  readonly blank: Readonly<Record<string, unknown>>;
}

const MILLISECONDS = CLIENT_SECONDS * 1_000;
const PLAIN: Pick<ClientHook, "pins" | "blank"> = { pins: [], blank: {} };

/** Lists of events, each with the same item. */
function items(events: readonly string[], item: unknown): readonly GuardPart[] {
  return events.map((event) => ({ kind: "item", keys: ["hooks", event], item }));
}

/** Claude Code's form, which others have taken over. */
function group(event: string, outer: object, inner: object): ClientHook {
  const parts: ClientHook["parts"] = (line) =>
    items([event], { ...outer, hooks: [{ type: "command", command: line, ...inner }] });
  return { ...PLAIN, parts };
}

function atCursor(line: string) {
  return { command: line, timeout: CLIENT_SECONDS, failClosed: true };
}

/** This answer is the only no that Cline documents. */
function clineScript(line: string): string {
  const no = JSON.stringify({ cancel: true, errorMessage: "Toolcrib did not answer; the call is refused" });
  return `#!/bin/sh
# Written by "toolcrib guard install"; "toolcrib guard remove cline" takes it away.
( ${line} ) || printf '%s\\n' '${no}'
`;
}

/** How each client is told to ask: one row for each, in the units that it counts in. */
export const CLIENT_HOOKS: Readonly<Record<HookClientName, ClientHook>> = {
  "claude-code": group("PreToolUse", { matcher: "*" }, { timeout: CLIENT_SECONDS }),
  codex: {
    ...group("PreToolUse", { matcher: ".*" }, { timeout: CLIENT_SECONDS }),
    pins: [{ kind: "value", keys: ["features", "hooks"], value: true }],
  },
  "gemini-cli": {
    ...group("BeforeTool", { matcher: "*" }, { name: "toolcrib", timeout: MILLISECONDS }),
    pins: [{ kind: "value", keys: ["hooksConfig", "enabled"], value: true }],
  },
  "copilot-cli": {
    ...PLAIN,
    parts: (line) => items(["preToolUse"], { type: "command", bash: line, timeoutSec: CLIENT_SECONDS }),
    blank: { version: 1 },
  },
  "qwen-code": {
    ...group("PreToolUse", { matcher: "*" }, { timeout: MILLISECONDS }),
    pins: [{ kind: "value", keys: ["disableAllHooks"], value: false }],
  },
  opencode: { ...PLAIN, parts: (line) => [{ kind: "text", text: opencodePlugin(line), mode: 0o644 }] },
  cursor: {
    ...PLAIN,
    parts: (line) => [
      ...items(["beforeShellExecution", "beforeMCPExecution", "beforeReadFile"], atCursor(line)),
      ...items(["preToolUse"], { ...atCursor(line), matcher: "Write|Delete|Grep|Task" }),
    ],
    blank: { version: 1 },
  },
  windsurf: {
    ...PLAIN,
    parts: (line) =>
      items(["pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use"], {
        command: line,
        show_output: true,
      }),
  },
  cline: { ...PLAIN, parts: (line) => [{ kind: "text", text: clineScript(line), mode: 0o755 }] },
};
