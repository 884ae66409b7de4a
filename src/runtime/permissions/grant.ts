import { createHash, randomUUID } from "node:crypto";
import type { Entry } from "../../core/catalog/entry.ts";
import type { SessionGrant } from "../../core/events/state-events.ts";
import { toCanonicalJson } from "../../core/tool/canonical-json.ts";
import { toPinnedSignature } from "../../core/tool/pinned-signature.ts";
import { isUntrusted } from "../../core/tool/tool.ts";
import type { GrantScope } from "./permission-request.ts";

/** A stored approval: what it allows, for how long and for whom. */
export interface Grant extends SessionGrant {
  readonly scope: Exclude<GrantScope, "once">;
}

export interface NewGrant {
  readonly scope: Grant["scope"];
  readonly rules: readonly string[];
  readonly args: unknown;
  readonly now: number;
  readonly expiresIn: number | null;
}

export function toGrant(entry: Entry, { scope, rules, args, now, expiresIn }: NewGrant): Grant {
  return {
    id: randomUUID().slice(0, 8),
    scope,
    tool: entry.identity,
    signature: isUntrusted(entry.tool) ? toPinnedSignature(entry.tool) : null,
    rules,
    digest: rules.length === 0 ? digestOf(args) : null,
    created: now,
    expires: expiresIn === null ? null : now + expiresIn,
  };
}

/**
 * Whether a grant applies to this tool as it is now, including its claims about itself. Rules for files and commands
 * apply to all our tools that use them.
 */
export function isFor({ tool, signature, digest, expires }: Grant, entry: Entry, now: number): boolean {
  if (expires !== null && expires <= now) return false;
  if (isUntrusted(entry.tool)) return tool === entry.identity && signature === toPinnedSignature(entry.tool);
  return signature === null && (digest === null || tool === entry.identity);
}

export function digestOf(args: unknown): string {
  return createHash("sha256").update(toCanonicalJson(args).text).digest("hex");
}

export function describeGrant({ tool, rules, digest }: Pick<Grant, "tool" | "rules" | "digest">): string {
  return digest === null ? rules.join(", ") : `${tool} with arguments ${digest.slice(0, 12)}…`;
}
