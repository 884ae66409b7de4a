import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../src/sources/host.ts";
import type { RunContext } from "../../src/sources/source.ts";
import { makeTempFolder } from "./temp-folder.ts";

/** A new folder with these files in it. */
export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = makeTempFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** A host with a workspace and nobody to ask. */
export function makeHost(workspace: string | null, more: Partial<Host> = {}): Host {
  return {
    workspace,
    addedDirectories: [],
    env: process.env,
    askUser: null,
    memory: null,
    checks: [],
    wrapLaunch: (launch) => launch,
    activateSkill: null,
    approvePlan: null,
    agents: null,
    schedules: null,
    webSearch: null,
    database: null,
    files: null,
    instructionsFor: null,
    onTaskComplete: () => {},
    onTodo: () => {},
    state: new Map(),
    ...more,
  };
}

export function makeRun(signal: AbortSignal = new AbortController().signal): RunContext {
  return { sessionId: "session", toolCallId: "call", signal };
}

/** Dead processes that nobody has reaped yet do not count: where process 1 reaps nothing they stay for good. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== "linux") return true;
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.charAt(stat.lastIndexOf(")") + 2) !== "Z";
  } catch {
    return false;
  }
}
