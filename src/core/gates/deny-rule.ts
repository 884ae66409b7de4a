import { formatOrigin } from "../codes/origin.ts";
import { type Gate, hide, pass } from "./gate.ts";

/** A deny rule about every call of a tool leaves nothing to show; one with a pattern is for call time (G12). */
export const denyRuleGate: Gate = {
  name: "deny-rule",
  judge(entry, { lists }) {
    const mention = lists.deny.mentions.get(entry);
    if (mention === undefined) return pass;
    const { value, origin } = mention.by;
    return hide({
      code: "deny-rule.matched",
      text: `denied by the rule "${value}"`,
      origin,
      fix: `remove "${value}" from permissions.deny (${formatOrigin(origin)})`,
    });
  },
};
