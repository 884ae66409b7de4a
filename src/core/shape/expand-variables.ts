/** `$${` is an escaped `${`; `${NAME}` and `${NAME:-default}` are references. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export interface Expanded {
  readonly text: string;
  /** Variables that are not set and have no default. */
  readonly unset: readonly string[];
}

/** Replaces references to variables. As in a shell, `:-` also takes the default for an empty variable. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  const unset: string[] = [];
  const [head, tail] = splitBehindReferences(text);
  const expanded = head.replace(REFERENCE, (whole, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return "${";
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined) unset.push(name);
    return value ?? whole;
  });
  return { text: expanded + tail.replaceAll("$${", () => "${"), unset };
}

/** The names of all referenced variables, including those with a default. */
export function referencesIn(text: string): readonly string[] {
  return [...splitBehindReferences(text)[0].matchAll(REFERENCE)].flatMap(([, name]) => name ?? []);
}

/**
 * References end with a brace, so there is none after the last brace. Without this, a text of nothing but opening marks
 * would be scanned to its end for each of them.
 */
export function splitBehindReferences(text: string): readonly [string, string] {
  const end = text.lastIndexOf("}") + 1;
  return [text.slice(0, end), text.slice(end)];
}
