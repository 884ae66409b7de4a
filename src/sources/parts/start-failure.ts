/** Why a server did not come up. `reason` continues "the server …". */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
  readonly reason: string;
  readonly stderr: string | null;
  /** It needs a login; trying again as before is useless. */
  readonly needsAuth: boolean;
  /** A process that ended on the very first question; an older protocol may suit it. */
  readonly diedWhileProbed: boolean;
  /** What to do, where more is known than that it failed. */
  readonly next: string | null;

  constructor(
    reason: string,
    stderr: string | null,
    needsAuth: boolean,
    diedWhileProbed = false,
    next: string | null = null,
  ) {
    super(reason);
    this.reason = reason;
    this.stderr = stderr;
    this.needsAuth = needsAuth;
    this.diedWhileProbed = diedWhileProbed;
    this.next = next;
  }
}
