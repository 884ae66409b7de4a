import { buildChildEnv } from "./child-env.ts";
import { isSecretVariable } from "./secret-variables.ts";

/** What a server gets of the environment: all of it, none but the short list, or these beside what is no secret. */
export type InheritEnv = boolean | readonly string[];

interface ServerEnv {
  readonly env: Readonly<Record<string, string>>;
  /** Names of what looks like a secret and was not passed on, in byte order. */
  readonly heldBack: readonly string[];
}

/**
 * The environment of an MCP server: the person's own, as in other clients, less what looks like a secret. What the
 * entry sets comes on top, and a variable that it sets is not held back.
 */
export function buildServerEnv(
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
  inherit: InheritEnv = [],
): ServerEnv {
  const env: Record<string, string> = inherit === false ? buildChildEnv(parent) : {};
  const heldBack: string[] = [];
  for (const [name, value] of Object.entries(parent)) {
    // A value of this form is a function to some versions of bash, and would be run.
    if (value === undefined || value.startsWith("()") || Object.hasOwn(env, name)) continue;
    const isWanted = inherit === true || (inherit !== false && inherit.includes(name));
    const isSecret = isSecretVariable(name, value);
    if (isWanted || (inherit !== false && !isSecret)) env[name] = value;
    else if (isSecret && !Object.hasOwn(extra, name)) heldBack.push(name);
  }
  return { env: { ...env, ...extra }, heldBack: heldBack.sort() };
}

/** Values that a process gets and nobody should read in what it says. */
export function secretsIn(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => (isSecretVariable(name, value) ? [value] : []));
}
