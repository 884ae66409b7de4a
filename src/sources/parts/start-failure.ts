import type { Loss } from "../../system/rpc/framed-process.ts";
import type { SourceFault } from "../source.ts";

export interface StartFailureDetails {
  readonly stderr?: string | null;
  /** It needs a login; retrying is useless. */
  readonly needsAuth?: boolean;
  /** The process exited on the very first question; an older protocol may suit it. */
  readonly diedWhileProbed?: boolean;
  /** There was no place for one more connection: it is tried again when somebody wants it, and not before. */
  readonly isUnadmitted?: boolean;
  /** What to do, if more is known than that it failed. */
  readonly next?: string | null;
  readonly fault?: SourceFault;
}

/** Why a server did not come up. `reason` continues "the server …". */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
  readonly reason: string;
  readonly details: StartFailureDetails;

  constructor(reason: string, details: StartFailureDetails = {}) {
    super(reason);
    this.reason = reason;
    this.details = details;
  }
}

/** A program whose files differ from what was trusted; `why` is a clause that follows "because". */
export function heldBack(why: string): StartFailure {
  return new StartFailure(`is not started, because ${why}`, { next: "Review and allow it with: toolcrib trust" });
}

/** `seen` is what its connection shows. A program that ended by itself mostly said why on its error stream. */
export function toFault(
  loss: Loss | null,
  { seen = null, stderr }: { readonly seen?: SourceFault | null; readonly stderr: string | null },
): SourceFault {
  if (loss?.how === "missing") return { kind: "no-program" };
  return seen === null || (loss?.how === "ended" && stderr !== null) ? { kind: "other" } : seen;
}
