import type { RuledCallSubject } from "./decide.ts";
import { normalize, type PathWorld, placesOf } from "./paths.ts";
import type { ShellCommand } from "./shell/command-line.ts";
import { quoteWord } from "./shell/quote-word.ts";
import { isWorthKeeping } from "./shell/worth-keeping.ts";

/** More parts than this make a grant that nobody reads. */
const MAX_RULES = 5;

/**
 * The narrowest rules that would allow the call next time: one per command of a line, never a prefix. Empty if no rule
 * could, if only a rule for the whole tool would do and that is too much, and for commands that destroy something or
 * hide what they do: those are better asked about every time.
 */
export function narrowestRules(call: RuledCallSubject, identity: string, world: PathWorld): readonly string[] {
  const { subject } = call;
  switch (subject.kind) {
    case "shell": {
      if (subject.line.problems.length > 0 || subject.line.commands.length > MAX_RULES) return [];
      if (!subject.line.commands.every(isWorthKeeping)) return [];
      const rules = subject.line.commands.map(commandRule);
      return rules.every((rule) => rule !== null) ? [...new Set(rules)] : [];
    }
    case "read":
    case "write": {
      const rules = subject.paths.flatMap((path) => {
        const [place] = placesOf(path, world.cwd, world) ?? [];
        const isLiteral = place !== undefined && !/[*?[\](){}\\\r\n]|\s$/.test(place);
        return isLiteral ? [`${subject.kind === "read" ? "Read" : "Write"}(/${normalize(place)})`] : [];
      });
      // If one file cannot be named by a rule, the person is asked again anyway, so a part is not worth storing.
      return rules.length === subject.paths.length ? rules : [];
    }
    case "url":
      return URL.canParse(subject.url) ? addressRule(new URL(subject.url)) : [];
    case "plan":
    case "typed":
      return [];
    case "other":
      return /[()*]/.test(identity) ? [] : [identity];
  }
}

/** Another port of the host may be another server, and on this machine every port is one. */
function addressRule({ protocol, hostname, host, port }: URL): readonly string[] {
  const isOwn = /^(?:127\.|0\.0\.0\.0$|localhost$|.*\.localhost$)/.test(hostname);
  // No pattern can spell these.
  if (hostname === "" || hostname.startsWith("[")) return [];
  return port === "" && !isOwn ? [`WebFetch(domain:${hostname})`] : [`WebFetch(${protocol}//${host}/*)`];
}

/** The exact command; null if the shell decides part of it, or if it also sets or writes something. */
function commandRule({ words, assignments, redirections }: ShellCommand): string | null {
  const isPlain = assignments.length === 0 && redirections.every(({ effect }) => effect === "descriptor");
  if (!isPlain || words.length === 0 || !words.every(({ isStatic }) => isStatic)) return null;
  const text = words.map(({ text: word }) => quoteWord(word)).join(" ");
  return /\*|[\r\n]/.test(text) || /^\/.*\/$/.test(text) ? null : `Bash(${text})`;
}
