import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { readFlag, readText } from "../../core/shape/read-node.ts";
import type { Covered } from "../../core/shape/shape.ts";

export function coveredByRule(node: ConfigNode): Covered | null {
  const rule = readText(node.kind === "map" ? nodeAt(node, "rule") : node);
  return rule === null ? null : { kind: "rule", rule: rule.value };
}

/** Only hooks that are waited for, before a call or before a person is asked, can refuse one. */
export function coveredByHook(node: ConfigNode, path: string): Covered | null {
  const event = BLOCKING.find((name) => path === `hooks.${name}[]`);
  if (event === undefined || readFlag(nodeAt(node, "async"))?.value === true) return null;
  const textAt = (key: string): string | null => readText(nodeAt(node, key))?.value ?? null;
  return { kind: "hook", event, matcher: textAt("matcher"), when: textAt("if"), dialect: textAt("dialect") };
}

const BLOCKING = ["preToolUse", "permissionRequest"] as const;

/** Null where it is not what was written: then nobody knows what has to stay denied. */
export function readCovered(value: unknown): Covered | null {
  if (typeof value !== "object" || value === null) return null;
  const at = (key: string): unknown => (Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined);
  const [kind, rule, event] = [at("kind"), at("rule"), at("event")];
  if (kind === "rule" && typeof rule === "string") return { kind, rule };
  const [matcher, when, dialect] = [at("matcher"), at("when"), at("dialect")].map((text) => text ?? null);
  if (kind !== "hook" || !isText(event) || !BLOCKING.some((name) => name === event)) return null;
  if (!isTextOrNull(matcher) || !isTextOrNull(when) || !isTextOrNull(dialect)) return null;
  return { kind, event, matcher, when, dialect };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
