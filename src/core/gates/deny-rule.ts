import { formatOrigin } from "../codes/origin.ts";
import { type AnyGate, hideFor, pass } from "./gate.ts";

/** A deny rule about every call of a tool leaves nothing to show; one with a pattern is for call time (G12). */
export const denyRuleGate = {
  name: "deny-rule",
  judge(entry, { lists }) {
    const denied = lists.deny.mentions.each(entry);
    if (denied.length === 0) return pass;
    return hideFor(
      denied.map(({ by: { value, origin } }) => ({
        code: "deny-rule.matched",
        text: `denied by the rule "${value}"`,
        origin,
        fix:
          origin.kind === "trust"
            ? 'put the rule back, or run "toolcrib trust" and accept that it is gone'
            : `remove "${value}" from permissions.deny (${formatOrigin(origin)})`,
      })),
    );
  },
} as const satisfies AnyGate;
