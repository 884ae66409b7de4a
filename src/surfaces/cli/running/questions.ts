/** Commands that a Toolcrib which runs for the workspace answers without starting anything again. */
export const QUESTIONS: ReadonlySet<string | null> = new Set([
  ...["list", "why", "search", "diff", "snapshot", "check", "call", "doctor", "servers"],
]);

/**
 * Whether a command line is one of these beyond doubt, before anything of it is checked: the one that answers checks it. All
 * others take the longer way.
 */
export function isPlainQuestion([command = "", ...others]: readonly string[], env: { TOOLCRIB_LOG?: string }): boolean {
  const isOwn = (arg: string): boolean => OWN.test(arg) || (command === "servers" && !arg.startsWith("-"));
  return QUESTIONS.has(command) && (env.TOOLCRIB_LOG ?? "") === "" && !others.some(isOwn);
}

/** What has to be answered here, or said here on the way. */
const OWN = /^(?:-[^-].*|--(?:fresh|world|no-start|help|version|log-level)(?:=.*)?)$/s;
