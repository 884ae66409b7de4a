import { parseRule } from "../core/rules/rule.ts";
import type { Config } from "./config.ts";
import { HOOK_DIALECTS, type HookConfig, type HookEvent } from "./shape/hook-shape.ts";
import { describeLost, type LostGuard, type Trust } from "./trust/trust.ts";

/**
 * Calls covered by trusted guards that are changed or gone stay denied: a rule that asked now denies, and a hook
 * refuses without being run. Editing a file must not open what somebody had closed.
 */
export function withLostGuards<T extends Pick<Config, "permissions" | "hooks">>(
  config: T,
  trust: Pick<Trust, "lost" | "workspace">,
): T {
  const { lost } = trust;
  if (lost.length === 0) return config;
  const rules = lost.flatMap(({ covers }) =>
    covers.kind === "rule" ? [{ value: parseRule(covers.rule, TRUST), origin: TRUST }] : [],
  );
  const hooks = new Map(config.hooks);
  for (const guard of lost) {
    if (guard.covers.kind !== "hook") continue;
    const event = guard.covers.event as HookEvent; // Only events of calls are read as guards.
    hooks.set(event, [...(hooks.get(event) ?? []), toHeldHook(guard, guard.covers, trust)]);
  }
  return { ...config, hooks, permissions: { ...config.permissions, deny: [...rules, ...config.permissions.deny] } };
}

const TRUST = { kind: "trust" } as const;

function toHeldHook(
  guard: LostGuard,
  { matcher, when, dialect }: Extract<LostGuard["covers"], { kind: "hook" }>,
  trust: Pick<Trust, "workspace">,
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
    refusal: `${describeLost(guard, trust)}: toolcrib trust`,
  } satisfies HookConfig;
}
