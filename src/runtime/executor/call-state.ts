import type { Call } from "../../core/call/call.ts";

/** The progress of a call. Every complete call ends as `done`, exactly once. */
export type CallState =
  | { readonly kind: "preparing"; readonly call: Call }
  | { readonly kind: "judging"; readonly call: Call }
  | { readonly kind: "asking"; readonly call: Call }
  | { readonly kind: "queued"; readonly call: Call }
  | { readonly kind: "running"; readonly call: Call; readonly since: number }
  | { readonly kind: "finishing"; readonly call: Call }
  /** Its result is delivered, but its source has not stopped yet, so what it excludes still waits. */
  | { readonly kind: "lingering"; readonly call: Call; readonly since: number }
  | { readonly kind: "done"; readonly call: Call; readonly started: boolean };

/** Whether the tool itself may have had an effect by now. */
export function hasStarted(state: CallState): boolean {
  if (state.kind === "done") return state.started;
  return state.kind === "running" || state.kind === "finishing" || state.kind === "lingering";
}
