import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";

const FIRST_POLL = 5;
const LAST_POLL = 100;
/** After SIGKILL only the kernel can delay a process; waiting longer would not help. */
const PATIENCE = 2_000;

/** Sends a signal to every process of a group; a group that is already gone is fine. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // ESRCH: nothing is left. EPERM: what is left changed its user, and only root can end it.
  }
}

/** Whether a process of the group still runs. A zombie does not count. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const isAlive = (entry: ProcessEntry): boolean => entry.group === group && entry.state !== "Z";
  // Usually the first of them is the one that runs, and scanning all processes of a machine takes long.
  const first = readProcess(group);
  if (first !== null && isAlive(first)) return true;
  const table = readProcesses();
  return table === null || table.some(isAlive);
}

/** Whether a process of the group works or waits for the processor, as far as that can be known. */
export function isGroupBusy(group: number): boolean {
  return (readProcesses() ?? []).some((entry) => entry.group === group && /[RD]/.test(entry.state));
}

/**
 * The process groups below a process, its own first. A child that moved into a session of its own, as under a
 * pseudo-terminal, is found as long as its chain of parents up to the process exists.
 */
export function groupsBelow(pid: number): readonly number[] {
  const groups = new Set([pid]);
  const table = readProcesses() ?? [];
  const family = new Set([pid]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const entry of table) {
      if (!family.has(entry.parent) && entry.group !== pid) continue;
      family.add(entry.pid);
      groups.add(entry.group);
    }
  }
  return [...groups];
}

/**
 * The groups of all running processes that were started with this in their environment, even if reparented. Only on
 * Linux, and only for processes of the same user. Asynchronous, because a machine has many processes.
 */
export async function groupsMarked(variable: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  const names = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const groups = new Set<number>();
  const look = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const env = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
      const found = env.split("\0").includes(variable) ? readProcess(Number(name)) : null;
      if (found !== null && found.state !== "Z") groups.add(found.group);
    }
  };
  await Promise.all(Array.from({ length: LOOKING }, look));
  return [...groups];
}

/** How many files are read at a time. */
const LOOKING = 4;

/**
 * Ends a process, everything below it, and what `strays` finds: SIGTERM, and after `grace` milliseconds SIGKILL for the
 * rest.
 */
export async function endGroups(pid: number, grace: number, strays: FindGroups): Promise<void> {
  const groups = new Set<number>();
  const end = (found: readonly number[]): void => {
    const fresh = found.filter((group) => !groups.has(group));
    for (const group of fresh) {
      groups.add(group);
      signalGroup(group, "SIGTERM");
    }
    // A stopped process handles no signal but SIGKILL until it is continued.
    for (const group of fresh) signalGroup(group, "SIGCONT");
  };
  const gone = async () => [...groups].every((group) => !isGroupAlive(group)) && (await strays()).length === 0;
  end(groupsBelow(pid));
  end(await strays());
  if (grace > 0 && (await comesTrue(gone, grace))) return;
  // Processes started since are found as long as their parents exist.
  for (const group of groupsBelow(pid)) groups.add(group);
  for (const group of groups) signalGroup(group, "SIGKILL");
  await comesTrue(async () => {
    for (const group of await strays()) signalGroup(group, "SIGKILL");
    return gone();
  }, PATIENCE);
}

/** Finds groups that belong to a process but are not below it. */
export type FindGroups = () => Promise<readonly number[]>;

async function comesTrue(holds: () => Promise<boolean>, within: number): Promise<boolean> {
  const deadline = performance.now() + within;
  for (let poll = FIRST_POLL; !(await holds()); poll = Math.min(poll * 2, LAST_POLL)) {
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.min(poll, left)));
  }
  return true;
}

interface ProcessEntry {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** Its start time in a unit of the system, which distinguishes two processes with the same id. */
  readonly started: string;
}

/** Every process of the machine, from Linux's process table; null without one. */
function readProcesses(): readonly ProcessEntry[] | null {
  if (process.platform !== "linux") return null;
  let names: readonly string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return null;
  }
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => readProcess(Number(name)) ?? []);
}

/** One process, from Linux's process table; null if it is gone, or without a table. */
export function readProcess(pid: number): ProcessEntry | null {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return null;
  }
  // The second field is the name in brackets and may contain anything, so count from its end.
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ", 20);
  const [state = "", parent = "", group = ""] = fields;
  return { pid, state, parent: Number(parent), group: Number(group), started: fields[19] ?? "" };
}
