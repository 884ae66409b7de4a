import type { IconName } from "./icon.tsx";
import type { Tone } from "./status.tsx";

/** The outcome of a call, and the decision about it. */
export const OUTCOMES: ReadonlyMap<string, readonly [Tone, IconName]> = new Map([
  ["success", ["good", "done"]],
  ["failure", ["bad", "hidden"]],
  ["denied", ["bad", "approvals"]],
  ["rejected", ["warn", "approvals"]],
  ["timeout", ["warn", "deferred"]],
  ["allow", ["good", "done"]],
  ["ask", ["warn", "approvals"]],
  ["deny", ["bad", "hidden"]],
  ["waiting", ["warn", "approvals"]],
  ["refused", ["bad", "approvals"]],
]);
