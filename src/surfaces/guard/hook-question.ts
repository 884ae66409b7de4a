/** What of an environment changes which settings count. Who asks says them; a running Toolcrib that has others does not answer. */
export const SETTING_VARIABLES = [
  ...["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TOOLCRIB_POLICY"],
  ...["CLAUDE_CONFIG_DIR", "COPILOT_HOME", "CODEX_HOME"],
] as const;

/** What a hook asks a running Toolcrib. */
export interface AskedQuestion {
  readonly client: string;
  /** The values of `SETTING_VARIABLES`, empty where they are not set. */
  readonly settings: readonly string[];
  /** The client's variable PATH. */
  readonly path: string;
  readonly folder: string;
  readonly event: string;
}

/** What a question begins with: the names of its parts, so that a Toolcrib that reads others does not answer. */
export const QUESTION_HEAD = ["toolcrib hook:", "client", ...SETTING_VARIABLES, "PATH", "folder", "event"].join(" ");

/** A question is its parts with a NUL between them, which no variable and no path can hold, up to the end of what is sent. */
export function writeQuestion({ client, settings, path, folder, event }: AskedQuestion): string {
  return [QUESTION_HEAD, client, ...settings, path, folder, event].join("\0");
}

/** Null: it is something else, or not whole. */
export function parseQuestion(text: string): AskedQuestion | null {
  const [head, client, ...rest] = text.split("\0");
  const settings = rest.slice(0, SETTING_VARIABLES.length);
  const [path, folder, ...event] = rest.slice(SETTING_VARIABLES.length);
  if (head !== QUESTION_HEAD || client === undefined || path === undefined || folder === undefined) return null;
  return event.length === 0 ? null : { client, settings, path, folder, event: event.join("\0") };
}
