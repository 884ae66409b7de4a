import type { IconName } from "./icon.tsx";
import type { Tone } from "./status.tsx";

/** What became of a call, and what was decided about it. */
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
