import { resolve } from "node:path";
import type { Config } from "./config.ts";
import { fileReaders } from "./layers/readers.ts";
import { type ConfigInput, loadConfig } from "./load-config.ts";

/** A file that nobody uses yet, and what it would mean if it were in use. */
export interface Supposed {
  readonly now: Config;
  readonly next: Config;
  /** The file whose place it takes; null where there is none yet. */
  readonly replaces: string | null;
}

/**
 * What the configuration is, and what it would be with another file in the place of one of it: of managed policy if it has
 * what only that may have, else of the file that was named, of the project's, or of the person's own. A person supposes it, so
 * nothing of it waits for trust. `text` is for what is in no file; paths in it start from the folder of `path`.
 */
export async function loadSupposed(
  input: ConfigInput,
  { path, text = null }: { readonly path: string; readonly text?: string | null },
): Promise<Supposed> {
  const { readers = fileReaders, env, flags = {} } = input;
  const file = resolve(input.cwd, path);
  const given = text ?? (await readers.readText(file));
  const first = await loadConfig(input);
  const place = (layer: string): string | null => first.files.find((found) => found.layer === layer)?.path ?? null;
  const withText = {
    ...readers,
    readText: async (asked: string) => (asked === file ? given : readers.readText(asked)),
    exists: async (asked: string) => (asked === file ? true : readers.exists(asked)),
  };
  const project = place("project");
  // Both are named, so that files beside them which are this machine's alone count for neither.
  const own =
    project === null || flags.config !== undefined ? input : { ...input, flags: { ...flags, config: project } };
  const now = own === input ? first : await loadConfig(own);
  if (given !== null && isPolicy(given)) {
    const supposed = { ...own, readers: withText, env: { ...env, TOOLCRIB_POLICY: file }, systemPolicy: NOWHERE };
    return { now, next: await loadConfig(supposed), replaces: place("policy") };
  }
  const user = project === null ? place("user") : null;
  const hiding = {
    ...withText,
    exists: async (asked: string) => (asked === user ? false : withText.exists(asked)),
  };
  const next = await loadConfig({ ...input, readers: hiding, flags: { ...flags, config: file } });
  return { now, next, replaces: project ?? user };
}

/** No managed policy is there. */
const NOWHERE = resolve("/nonexistent/toolcrib/policy.yaml");

/** Only managed policy has this key; whether the rest can be read is not asked here. */
function isPolicy(text: string): boolean {
  return /^(?:policy|"policy")\s*:/m.test(text) || /^\s*\{\s*"policy"\s*:/.test(text);
}
