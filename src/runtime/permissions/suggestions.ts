import type { Entry } from "../../core/catalog/entry.ts";
import type { Args } from "../executor/read-arguments.ts";
import { type CallSubject, toTouched } from "./call-subject.ts";
import { describeGrant, digestOf } from "./grant.ts";
import type { Suggestion } from "./permission-request.ts";

/** What could be kept of an approval: the narrowest rule, and these very arguments; never a broad prefix. */
export function suggest(entry: Entry, args: Args, subject: CallSubject): readonly Suggestion[] {
  const bound: Suggestion = {
    rules: [],
    text: describeGrant({ tool: entry.identity, rules: [], digest: digestOf(args) }),
  };
  const rules = toRules(entry, subject);
  const byRules: Suggestion = { rules, text: rules.join(", ") };
  return rules.length === 0 ? [bound] : [byRules, bound];
}

function toRules({ identity }: Entry, subject: CallSubject): readonly string[] {
  const { subject: about } = subject;
  switch (about.kind) {
    case "shell": {
      const line = about.line.text.trim();
      return isLiteral(line) && about.line.problems.length === 0 ? [`Bash(${line})`] : [];
    }
    case "read":
    case "write": {
      const paths = toTouched(subject) ?? [];
      if (!paths.every((path) => isLiteral(path))) return [];
      return paths.map((path) => `${about.kind === "read" ? "Read" : "Write"}(/${path})`);
    }
    case "url":
      return URL.canParse(about.url) ? [`WebFetch(domain:${new URL(about.url).hostname})`] : [];
    case "other":
      return /[()]/.test(identity) ? [] : [identity];
  }
}

/** Text that means itself in a rule, and nothing more. */
function isLiteral(text: string): boolean {
  return text !== "" && text.length <= 500 && !/[*?[\]{}\\\r\n]|:$|^\/.*\/$/.test(text) && !text.endsWith(":*");
}
