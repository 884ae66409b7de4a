/** What a child may know about its machine. None of these holds a secret by custom. */
const ALLOWED = new Set(["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR"]);
const ALLOWED_PREFIX = "LC_";

/**
 * The environment of a child: the harmless part of the parent's, then what is configured for it. The parent's other
 * variables, such as tokens, are not passed on.
 */
export function buildChildEnv(
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const allowed = ALLOWED.has(name) || name.startsWith(ALLOWED_PREFIX);
    // Some versions of bash would run a value of this form as a function.
    if (!allowed || value === undefined || value.startsWith("()")) continue;
    env[name] = value;
  }
  return { ...env, ...extra };
}
