import type { ClientAnswer } from "./hook-answer.ts";

/** The last line of an answer that has arrived whole. */
export const SEAL = "toolcrib end";

/**
 * A whole answer as one text for the script that the installed line runs: status, what is printed, what is said on stderr, and
 * the seal. Without the seal nothing of it counts, for half a no may look like a yes.
 */
export function sealAnswer({ out, err, status }: ClientAnswer): string {
  return `toolcrib ${status}\n${out.trimEnd().replaceAll("\n", " ")}\n${endLine(err)}${SEAL}\n`;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Null: it has not arrived whole, or is something else. */
export function readSealed(text: string): ClientAnswer | null {
  const [head, out = "", ...rest] = text.split("\n");
  const status = head === "toolcrib 0" ? 0 : head === "toolcrib 2" ? 2 : null;
  const [seal, nothing] = rest.slice(-2);
  if (status === null || seal !== SEAL || nothing !== "") return null;
  const err = rest.slice(0, -2).map((line) => `${line}\n`);
  return { out: out === "" ? "" : `${out}\n`, err: err.join(""), status };
}
