import type { BuiltinFamily } from "../parts/handler.ts";
import { createCommandTable } from "./command-table.ts";
import { createMonitor } from "./monitor.ts";
import {
  createBash,
  createListBash,
  createReadBash,
  createStopBash,
  createWriteBash,
  type ShellLimits,
} from "./shell-tools.ts";

const LIMITS: ShellLimits = { head: 12_000, tail: 28_000, grace: 2_000 };
const TABLE_LIMITS = { running: 32, ended: 64 } as const;

/** The tools that run commands, and their running commands. */
export function createShellFamily(limits: Partial<ShellLimits> = {}): BuiltinFamily {
  const table = createCommandTable(TABLE_LIMITS);
  return {
    handlers: new Map([
      ["bash", createBash(table, { ...LIMITS, ...limits })],
      ["read_bash", createReadBash(table)],
      ["write_bash", createWriteBash(table)],
      ["stop_bash", createStopBash(table)],
      ["monitor", createMonitor(table)],
      ["list_bash", createListBash(table)],
    ]),
    close: () => table.close(),
  };
}
