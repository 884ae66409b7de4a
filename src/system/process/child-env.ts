/** What a child may know about the machine it runs on. None of these holds a secret by custom. */
const ALLOWED = new Set(["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "TZ", "TMPDIR"]);
const ALLOWED_PREFIX = "LC_";

/**
 * The environment of a child: the harmless part of the parent's, then what is configured for it. Everything else that
 * the parent knows, such as its tokens, stays with the parent.
 */
export function buildChildEnv(
  parent: Readonly<Record<string, string | undefined>>,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent)) {
    const allowed = ALLOWED.has(name) || name.startsWith(ALLOWED_PREFIX);
    // A value of this form is a function to some versions of bash, and would be run.
    if (!allowed || value === undefined || value.startsWith("()")) continue;
    env[name] = value;
  }
  return { ...env, ...extra };
}
