import { buildChildEnv } from "./child-env.ts";
import { isSecretVariable } from "./secret-variables.ts";

/** What a server inherits: the whole environment, only the short list, or these names and whatever is no secret. */
export type InheritEnv = boolean | readonly string[];

interface ServerEnv {
  readonly env: Readonly<Record<string, string>>;
  /** Names of apparent secrets that were not passed on, in byte order. */
  readonly heldBack: readonly string[];
}

/**
 * The environment of an MCP server: the person's own, as in other clients, without apparent secrets. The entry's own
 * variables are added, and never withheld.
 */
export function buildServerEnv(
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
  inherit: InheritEnv = [],
): ServerEnv {
  const env: Record<string, string> = inherit === false ? buildChildEnv(parent) : {};
  const heldBack: string[] = [];
  for (const [name, value] of Object.entries(parent)) {
    // Some versions of bash would run a value of this form as a function.
    if (value === undefined || value.startsWith("()") || Object.hasOwn(env, name)) continue;
    const isWanted = inherit === true || (inherit !== false && inherit.includes(name));
    const isSecret = isSecretVariable(name, value);
    if (isWanted || (inherit !== false && !isSecret)) env[name] = value;
    else if (isSecret && !Object.hasOwn(extra, name)) heldBack.push(name);
  }
  return { env: { ...env, ...extra }, heldBack: heldBack.sort() };
}

/** Values that a process gets and that must not appear in its output. */
export function secretsIn(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (isSecretVariable(name, value) ? [value] : []));
}
