import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { type AuditCall, isCall, readRow } from "../../../runtime/audit/audit-row.ts";
import type { HookClientName } from "../../guard/hook-clients.ts";
import { PROBE_SESSION } from "../../guard/probe.ts";

export interface LastCall {
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly tool: string;
  readonly decision: string;
}

/** Bytes at the end of each log that are looked through. */
const TAIL = 512 * 1024;

/** The last call of each client that its guard has judged, in any workspace. */
export async function findLastCalls(places: Parameters<typeof stateFolder>[0]): Promise<ReadonlyMap<string, LastCall>> {
  const folder = join(stateFolder(places), "audit");
  const names = await readdir(folder).catch(() => []);
  const found = new Map<string, LastCall>();
  for (const name of names)
    for (const { time, tool, client, decision } of await judgedIn(join(folder, name, "audit.jsonl"))) {
      const known = found.get(client);
      if (known === undefined || known.time < time)
        found.set(client, { time, tool, decision: decision?.decision ?? "" });
    }
  return found;
}

type JudgedRow = AuditCall & { readonly time: string; readonly client: HookClientName | string };

async function judgedIn(path: string): Promise<readonly JudgedRow[]> {
  const size = (await stat(path).catch(() => null))?.size;
  if (size === undefined) return [];
  const rows: JudgedRow[] = [];
  const input = createReadStream(path, { encoding: "utf8", start: Math.max(0, size - TAIL) });
  for await (const line of createInterface({ input })) {
    const row = line.includes('"call.judged"') ? readRow(line) : null;
    if (row !== null && isCall(row) && row.session !== PROBE_SESSION) rows.push(row);
  }
  return rows;
}
