import type { Loss } from "../../system/rpc/framed-process.ts";
import type { SourceFault } from "../source.ts";

export interface StartFailureDetails {
  readonly stderr?: string | null;
  /** It needs a login; trying again as before is useless. */
  readonly needsAuth?: boolean;
  /** A process that ended on the very first question; an older protocol may suit it. */
  readonly diedWhileProbed?: boolean;
  /** What to do, where more is known than that it failed. */
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

/** A program whose files are not what somebody trusted; `why` is a clause behind "because". */
export function heldBack(why: string): StartFailure {
  return new StartFailure(`is not started, because ${why}`, { next: "Review and allow it with: toolcrib trust" });
}

export function toFault(loss: Loss | null): SourceFault {
  return loss?.isMissing === true ? "no-program" : "other";
}
