import { type ClientRule, type LeftRule, RULE_CLIENTS } from "../../../config/client-rules/client-rule.ts";
import type { Disagreement } from "../../../config/client-rules/compare-clients.ts";
import type { Leak } from "../../../config/client-rules/find-leaks.ts";
import type { WrittenRule } from "../../../config/edit/edit-rules.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { countText } from "../terminal/name-list.ts";

/** What the permissions of all clients come to in one file. */
export interface ImportedRules {
  readonly file: string;
  readonly side: ClientRule["side"];
  readonly readFiles: readonly string[];
  /** Those of this side. */
  readonly rules: readonly ClientRule[];
  /** Those that the file did not have. */
  readonly added: readonly WrittenRule[];
  /** Rules of the other side, which this file does not take. */
  readonly elsewhere: readonly ClientRule[];
  readonly left: readonly LeftRule[];
  readonly disagreements: readonly Disagreement[];
  readonly leaks: readonly Leak[];
  /** Rules that another one of them makes idle. */
  readonly idle: readonly string[];
  readonly diff: string;
}

const VERBS = { allow: "allows it", ask: "asks", deny: "denies it" } as const;

/** What was taken over, and what a person has to know about it. */
export function describeRules(imported: ImportedRules, tense: "would" | "did", trust: string | null): string {
  const { file, readFiles, rules, added, disagreements, leaks, left, idle, elsewhere, diff } = imported;
  const isFull = added.length === 0;
  const verb = tense === "did" ? "Wrote" : "Would write";
  const of = (list: ClientRule["list"]): readonly string[] =>
    leaks.filter(({ rule }) => rule.list === list).flatMap(describeLeak);
  const lines = [
    readFiles.length === 0
      ? "Found no permissions of another client."
      : isFull
        ? `${file} has every rule of ${readFiles.join(", ")} that it can have.`
        : `${verb} ${countText(added.length, "rule")} into ${file}, from ${readFiles.join(", ")}:`,
    ...(isFull ? [] : diff.trimEnd().split("\n")),
    ...section(
      "Not quite what the client's file says:",
      rules.filter(({ change }) => change !== null).map(describeChange),
    ),
    ...section("Clients disagree:", disagreements.map(describeDisagreement)),
    ...section("The client's own matcher also runs:", of("allow")),
    ...section("The client's own matcher does not stop, where it asks about nothing:", of("deny")),
    ...section("Without effect beside the others:", idle),
    ...section("Not taken over:", [
      ...left.map(describeLeft),
      ...elsewhere.map((rule) => whyElsewhere(rule, imported)),
    ]),
    ...(tense === "did" ? nextSteps(imported, trust) : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** For a person who has just read the rest. */
export function describeDone(imported: ImportedRules, trust: string | null): string {
  const { added, file } = imported;
  const lines = [`Wrote ${countText(added.length, "rule")} into ${file}.`, ...nextSteps(imported, trust)];
  return `${lines.join("\n")}\n`;
}

function nextSteps({ side }: ImportedRules, trust: string | null): readonly string[] {
  return [
    ...(trust === "untrusted" || trust === "changed" ? ['Next: "toolcrib trust", for the allow rules to count.'] : []),
    `To take them out: toolcrib init --rules${side === "project" ? " --project" : ""} --undo`,
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}

function describeLeft({ client, what, why, origin }: LeftRule): string {
  return `${RULE_CLIENTS[client]}: ${what} (${formatOrigin(origin)}): ${why}`;
}

function describeLeak({ rule, version, lines }: Leak): readonly string[] {
  const head = `${RULE_CLIENTS[rule.client]} ${version}, ${rule.said} (${formatOrigin(rule.origin)})`;
  if (rule.list === "deny") return [`${head}: ${lines.map(({ line }) => line).join(" | ")}`];
  return lines.map(({ line, why }) => `${head}: ${line}; Toolcrib asks: ${why}`);
}

function describeRule({ client, list, said, origin }: ClientRule): string {
  return `${RULE_CLIENTS[client]}: ${list} ${said} (${formatOrigin(origin)})`;
}

function describeChange(rule: ClientRule): string {
  return `${describeRule(rule)} became ${rule.rules.join(", ")}; ${rule.change}`;
}

function describeDisagreement({ call, answers, together }: Disagreement): string {
  const each = answers.map(
    ({ client, list, rule }) => `${RULE_CLIENTS[client]} ${VERBS[list]} (${formatOrigin(rule.origin)})`,
  );
  return `${call}: ${each.join(", ")}; together: ${together}`;
}

function whyElsewhere(rule: ClientRule, { side }: ImportedRules): string {
  const why =
    side === "user"
      ? 'it is for this project, and your own file is for all; "toolcrib init --rules --project" takes it'
      : 'it is for all your projects; "toolcrib init --rules" takes it';
  return `${describeRule(rule)}: ${why}`;
}

/** The same for programs. */
export function toRulesDocument(imported: ImportedRules, written: boolean, trust: string | null): object {
  const { file, readFiles, rules, added, disagreements, leaks, left, idle, elsewhere } = imported;
  return {
    file,
    written,
    readFiles,
    rules: rules.map(toRow),
    added: added.map(({ list, rule }) => ({ list, rule })),
    disagreements: disagreements.map(({ call, answers, together }) => ({
      call,
      answers: answers.map(({ client, list, rule }) => ({ client, decision: list, from: formatOrigin(rule.origin) })),
      together,
    })),
    leaks: leaks.map(({ rule, version, lines }) => ({
      client: rule.client,
      version,
      list: rule.list,
      said: rule.said,
      from: formatOrigin(rule.origin),
      lines,
    })),
    idle,
    notTaken: left.map(({ client, what, why, origin }) => ({ client, what, why, from: formatOrigin(origin) })),
    elsewhere: elsewhere.map(toRow),
    trust,
  };
}

function toRow({ client, list, said, rules, change, origin }: ClientRule): object {
  return { client, list, said, rules, change, from: formatOrigin(origin) };
}
