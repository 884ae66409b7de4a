import type { Toolset } from "../../core/toolset/toolset.ts";
import type { Emitter } from "../events/emitter.ts";
import type { AuditLog } from "./audit-log.ts";

const MOST_KNOWN = 10_000;

/** Logs each tool that the trust gate holds back, once for each reason, for as long as it does. */
export function noteHeldTools({ toolset, on }: SessionView, audit: Pick<AuditLog, "note">): void {
  let known = new Set<string>();
  const look = (): void => {
    const held = new Map<string, { readonly id: string; readonly text: string }>();
    for (const { entry, trace } of toolset().placements) {
      for (const { gate, verdict, reason } of trace) {
        if (gate !== "trust" || verdict !== "hide" || held.size >= MOST_KNOWN) continue;
        held.set(`${entry.id}\n${entry.signature}\n${reason.code}`, { id: entry.id, text: reason.text });
      }
    }
    for (const [key, { id, text }] of held)
      if (!known.has(key)) audit.note({ type: "tool.quarantined", text: `${id}: ${text}`, names: [id] });
    known = new Set(held.keys());
  };
  on("session.tools_updated", look);
  look();
}

interface SessionView {
  readonly toolset: () => Toolset;
  readonly on: Emitter["on"];
}
