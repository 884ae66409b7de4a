import type { Decision } from "../../core/call/decision.ts";
import type { CompiledRules } from "../../core/rules/compile-rules.ts";
import { decide, type RuledCallSubject } from "../../core/rules/decide.ts";
import { matchesName } from "../../core/rules/glob-match.ts";
import type { PathWorld } from "../../core/rules/paths.ts";
import { readRule } from "../../core/rules/rule.ts";
import { toCommandPattern } from "../../core/rules/shell/command-pattern.ts";
import { quoteWord } from "../../core/rules/shell/quote-word.ts";
import type { ShellReader } from "../../system/shell/read-command-line.ts";

/** A call that a rule is about. */
export type SampleCall =
  | { readonly kind: "command"; readonly line: string }
  | { readonly kind: "read" | "write"; readonly path: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "tool"; readonly name: string };

const FILES: ReadonlyMap<string, "read" | "write"> = new Map([
  ...["Read", "LS", "Grep", "Glob", "grep", "glob"].map((name) => [name, "read"] as const),
  ...["Edit", "Write", "MultiEdit", "NotebookEdit"].map((name) => [name, "write"] as const),
]);
const ANY = "x";

/** A call that the rule is about, as plain as it can be; null where no single one stands for the rule. */
export function sampleOf(text: string): SampleCall | null {
  const rule = readRule(text);
  if (rule === null) return null;
  const { tool, specifier } = rule;
  if (tool === "Bash") return specifier === null ? { kind: "command", line: "some-command" } : commandOf(specifier);
  const files = FILES.get(tool);
  if (files !== undefined) {
    const path = (specifier ?? ANY).replace(/\*\*\//g, "").replace(/\*+/g, ANY);
    return /[[\]{}]/.test(path) ? null : { kind: files, path: path.replace(/^\/(?=\/)/, "") };
  }
  if (tool === "WebFetch") return addressOf(specifier);
  return specifier === null ? { kind: "tool", name: toolName(tool).replace(/\*+/g, ANY) } : null;
}

function commandOf(specifier: string): SampleCall | null {
  const pattern = toCommandPattern(specifier);
  if (pattern.kind === "exact") return { kind: "command", line: pattern.text };
  if (pattern.kind === "prefix") return { kind: "command", line: pattern.words.map(quoteWord).join(" ") };
  if (/^\/.*\/$/s.test(specifier) || pattern.kind !== "wildcard") return null;
  return { kind: "command", line: pattern.text.replace(/ \*$/, "").replace(/\*+/g, ANY) };
}

function addressOf(specifier: string | null): SampleCall | null {
  const text = (specifier ?? "domain:example.com").replace(/^domain:/, "").replace(/\*+/g, ANY);
  const url = text.includes("://") ? text : `https://${text}/`;
  return URL.canParse(url) && !text.startsWith("/") ? { kind: "url", url } : null;
}

/** `mcp__server__tool` and `server/tool` are one. */
function toolName(tool: string): string {
  const [, server, name = "*"] = /^mcp__(.+?)(?:__(.+))?$/.exec(tool) ?? [];
  return server === undefined ? tool : `${server}/${name}`;
}

export function showSample(call: SampleCall): string {
  switch (call.kind) {
    case "command":
      return call.line;
    case "read":
    case "write":
      return `${call.kind} ${call.path}`;
    case "url":
      return call.url;
    case "tool":
      return call.name;
  }
}

interface SampleWorld extends PathWorld {
  /** Reading needs no rule. */
  readonly allowReadOnly: boolean;
}

/** What rules say about it. */
export function judgeSample(call: SampleCall, rules: CompiledRules, shell: ShellReader, world: SampleWorld): Decision {
  const name = call.kind === "tool" ? call.name : "";
  const ruled: RuledCallSubject = {
    toolName: name === "" ? "the tool" : name,
    isMeantBy: (identifier) => name !== "" && matchesName(toolName(identifier), name),
    subject: subjectOf(call, shell),
    arguments: {},
    readOnly: false,
  };
  return decide(ruled, rules, { ...world, mode: "default" });
}

function subjectOf(call: SampleCall, shell: ShellReader): RuledCallSubject["subject"] {
  switch (call.kind) {
    case "command":
      return { kind: "shell", line: shell.read(call.line) };
    case "read":
    case "write":
      return { kind: call.kind, paths: [call.path] };
    case "url":
      return { kind: "url", url: call.url };
    case "tool":
      return { kind: "other" };
  }
}
