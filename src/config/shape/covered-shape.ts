import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { readFlag, readText } from "../../core/shape/read-node.ts";
import { type Covered, choice, type Flaw, record, text, to } from "../../core/shape/shape.ts";

export function coveredByRule(node: ConfigNode): Covered | null {
  const rule = readText(node.kind === "map" ? nodeAt(node, "rule") : node);
  return rule === null ? null : { kind: "rule", rule: rule.value };
}

/** Only hooks that are awaited, before a call or before a person is asked, can refuse one. */
export function coveredByHook(node: ConfigNode, path: string): Covered | null {
  const event = BLOCKING.find((name) => path === `hooks.${name}[]`);
  if (event === undefined || readFlag(nodeAt(node, "async"))?.value === true) return null;
  const textAt = (key: string): string | null => readText(nodeAt(node, key))?.value ?? null;
  return { kind: "hook", event, matcher: textAt("matcher"), when: textAt("if"), dialect: textAt("dialect") };
}

const BLOCKING = ["preToolUse", "permissionRequest"] as const;

/** As stored. Anything unreadable is an error, because then it would be unknown what has to stay denied. */
export const coveredShape = to(
  record(
    {
      kind: choice(["rule", "hook"], { required: true }),
      rule: text(),
      event: choice(BLOCKING),
      ...{ matcher: text(), when: text(), dialect: text() },
    },
    { oneOf: ["rule", "event"], required: true, valid: checkKind },
  ),
  ({ rule, event, matcher, when, dialect }): Covered =>
    rule === null ? { kind: "hook", event: event ?? "", matcher, when, dialect } : { kind: "rule", rule },
  (covered) => covered,
);

function checkKind(node: ConfigNode): Flaw | null {
  const isRule = readText(nodeAt(node, "kind"))?.value === "rule";
  return isRule === (readText(nodeAt(node, "rule")) !== null) ? null : { text: "is of another kind than it says" };
}
