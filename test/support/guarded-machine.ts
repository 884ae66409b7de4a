import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hookScriptFile } from "../../src/config/layers/state-folder.ts";
import type { HookClientName } from "../../src/surfaces/guard/hook-clients.ts";
import { hookLine, hookScript } from "../../src/surfaces/guard/hook-line.ts";
import { BIN, finish } from "./built-cli.ts";
import { createWorkspace } from "./config-workspace.ts";
import { spawnShell } from "./spawn-shell.ts";

const PROGRAM = [process.execPath, BIN];

/** Claude's event about a command, which most clients understand. */
export function claudeEvent(command: string, cwd: string): string {
  const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: "toolu_1" };
  return JSON.stringify({ session_id: "s1", cwd, hook_event_name: "PreToolUse", ...call });
}

/** A person's machine with the script in place; `env` is the whole environment of the client, beside HOME and PATH. */
export function createGuarded(rules: string, program: readonly string[] = PROGRAM) {
  const machine = createWorkspace({ user: rules });
  const script = hookScriptFile({ home: machine.home, env: {} });
  mkdirSync(dirname(script), { recursive: true, mode: 0o700 });
  writeFileSync(script, hookScript({ program }), { mode: 0o600 });
  const folder = dirname(script);
  const env = { HOME: machine.home, PATH: process.env.PATH ?? "" };
  const start = (
    client: HookClientName,
    event: string,
    { shell = "/bin/sh", before = "", more = {}, ends = true } = {},
  ) =>
    spawnShell(before + hookLine(client, script), event, { cwd: machine.cwd, env: { ...env, ...more }, shell, ends });
  const ask = (command: string, shell?: string) =>
    finish(start("claude-code", claudeEvent(command, machine.cwd), shell === undefined ? {} : { shell }));
  return { ...machine, script, folder, env, start, ask };
}
