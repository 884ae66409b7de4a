import { createHash } from "node:crypto";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Shared } from "./shared.ts";

/** A client of another machine, for people. */
export interface ClientElsewhere {
  readonly id: string;
  readonly label: string;
  readonly principal: string;
  readonly era: "legacy";
  readonly agent: string | null;
  readonly since: number;
  readonly calls: number;
  /** The name of the machine. */
  readonly machine: string;
}

/** Milliseconds by which the clocks of two machines may differ: a minute each way. */
const CLOCKS_APART = 120_000;

/** Clients that are not here and were seen lately by another living machine. */
export async function listElsewhere(
  { rows, machines, seenWithin }: Shared,
  here: ReadonlySet<string>,
): Promise<readonly ClientElsewhere[]> {
  try {
    const [all, names] = await Promise.all([rows.all(), machines.names()]);
    return [...all].flatMap(([id, { label, principal, asked, since, seen, calls, machine }]) => {
      const name = names.get(machine);
      if (here.has(id) || machine === machines.self || name === undefined) return [];
      if (Date.now() - seen > seenWithin + CLOCKS_APART) return [];
      // The session's own id is as good as a credential.
      const shown = createHash("sha256").update(id).digest("hex").slice(0, 16);
      return [{ id: shown, label, principal, era: "legacy" as const, agent: asked.agent, since, calls, machine: name }];
    });
  } catch (error) {
    if (isToolcribError(error)) return [];
    throw error;
  }
}
