/** `$${` stands for `${`; `${NAME}` and `${NAME:-default}` for the variable. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export interface Expanded {
  readonly text: string;
  /** Variables that are not set and have no default. */
  readonly unset: readonly string[];
}

/** Replaces references to variables. As in a shell, `:-` also takes the default for an empty variable. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  const unset: string[] = [];
  const expanded = text.replace(REFERENCE, (whole, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return "${";
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined) unset.push(name);
    return value ?? whole;
  });
  return { text: expanded, unset };
}
