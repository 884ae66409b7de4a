import { parseRule } from "../core/rules/rule.ts";
import type { Config } from "./config.ts";
import { HOOK_DIALECTS, type HookConfig, type HookEvent } from "./shape/hook-shape.ts";
import { describeLost } from "./trust/trust.ts";
import type { TrustedGuard } from "./trust/trust-store.ts";

/**
 * What guards covered that were trusted and are changed or gone stays denied: a rule that asked denies from now on, and
 * a hook refuses without being run. Whoever edits a file must not open by that what somebody had closed.
 */
export function withLostGuards<T extends Pick<Config, "permissions" | "hooks">>(
  config: T,
  lost: readonly TrustedGuard[],
): T {
  if (lost.length === 0) return config;
  const rules = lost.flatMap(({ covers }) =>
    covers.kind === "rule" ? [{ value: parseRule(covers.rule, TRUST), origin: TRUST }] : [],
  );
  const hooks = new Map(config.hooks);
  for (const guard of lost) {
    if (guard.covers.kind !== "hook") continue;
    const event = guard.covers.event as HookEvent; // Only events of calls are read as guards.
    hooks.set(event, [...(hooks.get(event) ?? []), toHeldHook(guard, guard.covers)]);
  }
  return { ...config, hooks, permissions: { ...config.permissions, deny: [...rules, ...config.permissions.deny] } };
}

const TRUST = { kind: "trust" } as const;

function toHeldHook(
  guard: TrustedGuard,
  { matcher, when, dialect }: Extract<TrustedGuard["covers"], { kind: "hook" }>,
) {
  return {
    origin: TRUST,
    matcher,
    when,
    command: guard.name,
    args: null,
    cwd: null,
    env: new Map(),
    timeout: null,
    isAsync: false,
    dialect: HOOK_DIALECTS.find((known) => known === dialect) ?? "toolcrib",
    onFailure: "block",
    held: `${describeLost(guard)}: toolcrib trust`,
  } satisfies HookConfig;
}
