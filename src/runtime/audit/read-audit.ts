import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { guessShownName } from "../../core/catalog/shown-name.ts";
import { type AuditRow, isCall, readRow } from "./audit-row.ts";

/** Longer lines are not rows of ours. */
const MOST_LINE = 1024 * 1024;

export interface AuditLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Null if it is not a row. */
  readonly row: AuditRow | null;
  /** Bytes of the file up to here, with the end of the line. */
  readonly end: number;
}

/** The lines of a log after some bytes; none if there is no file. */
export async function* readAudit(path: string, signal: AbortSignal, start = 0): AsyncGenerator<AuditLine, void, void> {
  if ((await stat(path).catch(() => null)) === null) return;
  const input = createReadStream(path, { encoding: "utf8", signal, start });
  const lines = createInterface({ input, crlfDelay: 0 });
  let number = 0;
  let end = start;
  try {
    for await (const text of lines) {
      number += 1;
      end += Buffer.byteLength(text) + 1;
      yield { number, text, row: text.length > MOST_LINE ? null : readRow(text), end };
    }
  } finally {
    lines.close();
    input.destroy();
  }
}

/** What to look for. Absent means any. */
export interface AuditFilter {
  /** By either of its names, with `*` for any characters. */
  readonly tool?: string;
  readonly client?: string;
  /** As the log names them. */
  readonly person?: string;
  /** Of ours or of a client's own; the beginning is enough. */
  readonly session?: string;
  /** `ask` and `pass` only of calls that a client runs itself. */
  readonly decision?: "allow" | "ask" | "deny" | "pass";
  /** Milliseconds since 1970. */
  readonly since?: number;
}

export function toAuditFilter({
  tool,
  client,
  person,
  session,
  decision,
  since,
}: AuditFilter): (row: AuditRow) => boolean {
  const isTool = tool === undefined ? null : toPattern(tool);
  const isClient = client === undefined ? null : toPattern(client);
  return (row) => {
    if (isTool !== null && !(isCall(row) && (isTool.test(row.tool) || isTool.test(guessShownName(row.tool)))))
      return false;
    if (isClient !== null && !(isClient.test(row.client ?? "") || isClient.test(row.principal ?? ""))) return false;
    if (person !== undefined && row.principal !== person) return false;
    if (session !== undefined && !(row.session ?? "").startsWith(session)) return false;
    if (decision !== undefined && !(isCall(row) && row.decision?.decision === decision)) return false;
    return since === undefined || Date.parse(row.time) >= since;
  };
}

function toPattern(text: string): RegExp {
  const parts = text.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "is");
}
