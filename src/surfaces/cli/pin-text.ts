import type { DefinitionChange } from "../../config/lock/changes.ts";
import { escapeText } from "./escape-text.ts";

const HEADINGS = {
  changed: "changed since it was pinned",
  new: "is not pinned yet",
  quarantined: "is held back by the scanner",
  launch: "would be started otherwise than when it was pinned",
} as const satisfies Record<DefinitionChange["kind"], string>;

/** One change for people: what it is about, what the scanner says, what was and what is. */
export function formatChange({ kind, tool, signals, diff }: DefinitionChange): string {
  return [
    `${tool} ${HEADINGS[kind]}`,
    ...signals.map(({ name, text, where }) => `  ! ${name}: ${where} ${text}`),
    ...diff.map(({ mark, text }) => `  ${mark} ${text}`.trimEnd()),
  ]
    .map((line) => `${escapeText(line)}\n`)
    .join("");
}
