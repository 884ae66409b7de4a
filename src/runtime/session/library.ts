import { ownSurroundings } from "../../system/surroundings.ts";
import { createSessionIn, resumeSessionIn } from "./create-session.ts";
import type { SessionOptions } from "./options/session-options.ts";
import type { ResumeOptions, Session } from "./public-session.ts";

/**
 * Opens a session on a program's own options. Values are literal, and no file is read but managed policy. If the signal is
 * already aborted, its reason is thrown.
 */
export function createSession(options: SessionOptions = {}): Promise<Session> {
  return createSessionIn(ownSurroundings(), options);
}

/**
 * Continues a stored session with its options, history, loaded tools and approvals, and whatever is given here. What holds
 * code or secrets (tools, handlers, hooks, servers) is not stored and has to be given. Calls that were running when its
 * process ended are closed as interrupted and do not run again by themselves; calls that waited for somebody keep waiting,
 * and run once they are answered. Nothing is sent to the model before the next message, unless `continue` is true.
 */
export function resumeSession(sessionId: string, options: ResumeOptions): Promise<Session> {
  return resumeSessionIn(ownSurroundings(), sessionId, options);
}
