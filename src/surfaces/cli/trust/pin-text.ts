import type { DefinitionChange } from "../../../config/lock/changes.ts";
import { writeLines } from "../../../system/text/escape-text.ts";

const HEADINGS = {
  changed: "changed since it was pinned",
  new: "is not pinned yet",
  quarantined: "is held back by the scanner",
  launch: "would be started in another way than when it was pinned",
} as const satisfies Record<DefinitionChange["kind"], string>;

const UNSEEN =
  "  Its text, schemas and claims read as they did, and the signature in the lock is another one: the lock was changed by hand, or another version of Toolcrib wrote it, or the tool differs in what is not shown here.";

/** One change for people: what it is about, what the scanner says, what was and what is. */
export function formatChange({ kind, tool, signals, diff, remark }: DefinitionChange): string {
  return writeLines([
    `${tool} ${HEADINGS[kind]}`,
    ...signals.flatMap(({ name, text, where, quote }) => [
      `  ! ${name}: ${where} ${text}`,
      ...(quote === undefined ? [] : [`      "${quote}"`]),
    ]),
    ...(remark === null ? [] : [`  ${remark}`]),
    ...(kind === "changed" && diff.length === 0 ? [UNSEEN] : []),
    ...diff.map(({ mark, text }) => `  ${mark} ${text}`.trimEnd()),
  ]);
}
