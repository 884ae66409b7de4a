import { type Rule, readRule } from "../../core/rules/rule.ts";
import type { GuardPart } from "./guard-parts.ts";
import type { HookClientName } from "./hook-clients.ts";

/** Deny rules in a client's own language: what still holds there when its hook does not. */
export interface Floor {
  readonly parts: readonly GuardPart[];
  /** Rules that have no form there that denies them and nothing else. */
  readonly left: readonly string[];
}

interface Language<T> {
  /** The rule in the client's words; null if they would deny more, or cannot say it. */
  readonly translate: (rule: Meant, all: readonly Meant[]) => T | null;
  readonly toParts: (words: readonly T[]) => readonly GuardPart[];
}

/** Null: the client has no language for this that was tried. */
export function compileFloor(client: HookClientName, rules: readonly string[]): Floor | null {
  switch (client) {
    case "claude-code":
      return compileIn(CLAUDE, rules);
    case "codex":
      return compileIn(CODEX, rules);
    case "gemini-cli":
      return compileIn(GEMINI, rules);
    case "opencode":
      return compileIn(OPENCODE, rules);
    default:
      return null;
  }
}

function compileIn<T>({ translate, toParts }: Language<T>, rules: readonly string[]): Floor {
  const read = rules.map((text) => ({ text, meant: meaningOf(text) }));
  const all = read.flatMap(({ meant }) => meant ?? []);
  const said = read.map(({ text, meant }) => ({ text, words: meant === null ? null : translate(meant, all) }));
  const words = said.flatMap((one) => (one.words === null ? [] : [one.words]));
  return {
    parts: words.length === 0 ? [] : toParts(words),
    left: said.flatMap((one) => (one.words === null ? [one.text] : [])),
  };
}

/** A rule that is simple enough to mean the same elsewhere. */
type Meant =
  | { readonly kind: "tool"; readonly tool: "Bash" | "WebFetch" | "Read" }
  /** A command with exactly these words, or one that begins with them. */
  | { readonly kind: "command"; readonly words: readonly string[]; readonly isPrefix: boolean }
  | { readonly kind: "path"; readonly tool: "Read" | "Edit" | "Write"; readonly path: string }
  | { readonly kind: "domain"; readonly domain: string }
  /** Null: every tool of the server. */
  | { readonly kind: "served"; readonly server: string; readonly tool: string | null };

const WORD = /^[\w./@+=-]+$/;

function meaningOf(text: string): Meant | null {
  const rule = readRule(text);
  if (rule === null) return null;
  const { tool, specifier } = rule;
  if (specifier === null)
    return tool === "Bash" || tool === "WebFetch" || tool === "Read" ? { kind: "tool", tool } : servedBy(rule);
  if (tool === "Bash") return commandOf(specifier);
  if (tool === "Read" || tool === "Edit" || tool === "Write") return pathOf(tool, specifier);
  const domain = /^domain:([\w-]+(?:\.[\w-]+)+)$/.exec(specifier)?.[1];
  return tool === "WebFetch" && domain !== undefined ? { kind: "domain", domain } : null;
}

function commandOf(specifier: string): Meant | null {
  const [, line = "", end] = /^(.*?)(:\*| \*)?$/s.exec(specifier) ?? [];
  const words = line.split(" ");
  return words.every((word) => WORD.test(word)) ? { kind: "command", words, isPrefix: end !== undefined } : null;
}

/** A name without a slash means any folder elsewhere, and one that begins with a single slash means another root. */
function pathOf(tool: "Read" | "Edit" | "Write", path: string): Meant | null {
  const isPlain = /^[\w./@+*~-]+$/.test(path) && /^(?:\/\/|~\/|\*\*\/|[\w.@+*-]+\/)/.test(path);
  return isPlain ? { kind: "path", tool, path } : null;
}

function servedBy({ tool }: Rule): Meant | null {
  const [, server, name] = /^([a-z\d-]+)\/([\w-]+|\*)$/i.exec(tool) ?? /^mcp__([a-z\d-]+)__([\w-]+)$/i.exec(tool) ?? [];
  if (server === undefined || name === undefined || name.includes("__")) return null;
  return { kind: "served", server, tool: name === "*" ? null : name };
}

const CLAUDE: Language<string> = {
  translate(meant, all) {
    switch (meant.kind) {
      case "tool":
        return meant.tool;
      case "command":
        return `Bash(${meant.words.join(" ")}${meant.isPrefix ? ":*" : ""})`;
      case "domain":
        return `WebFetch(domain:${meant.domain})`;
      case "served":
        return `mcp__${meant.server}${meant.tool === null ? "" : `__${meant.tool}`}`;
      case "path": {
        if (meant.tool === "Read") return `Read(${meant.path})`;
        // Its Edit rules are about new files too.
        const others = all
          .filter((one) => one.kind === "path" && one.path === meant.path)
          .map((one) => one.kind === "path" && one.tool);
        return others.includes("Edit") && others.includes("Write") ? `Edit(${meant.path})` : null;
      }
    }
  },
  toParts: (words) => [{ kind: "value", keys: ["permissions", "deny"], value: [...new Set(words)] }],
};

interface CodexRule {
  readonly pattern: readonly { readonly token: string }[];
  readonly decision: "forbidden";
}

const CODEX: Language<CodexRule> = {
  translate: (meant) =>
    meant.kind === "command" && meant.isPrefix
      ? { pattern: meant.words.map((token) => ({ token })), decision: "forbidden" }
      : null,
  toParts: (words) => [{ kind: "more", keys: ["rules", "prefix_rules"], items: words }],
};

interface GeminiRule {
  readonly toolName: string;
  readonly commandPrefix?: string;
  readonly decision: "deny";
  readonly priority: number;
}

/** Above what people and projects write, which is what these policies have numbers for. */
const PRIORITY = 999;
const GEMINI_TOOLS = { Bash: "run_shell_command", WebFetch: "web_fetch", Read: null } as const;

const GEMINI: Language<GeminiRule> = {
  translate(meant) {
    const rule = { decision: "deny", priority: PRIORITY } as const;
    if (meant.kind === "command" && meant.isPrefix)
      return { toolName: GEMINI_TOOLS.Bash, commandPrefix: meant.words.join(" "), ...rule };
    const toolName = meant.kind === "tool" ? GEMINI_TOOLS[meant.tool] : null;
    return toolName === null ? null : { toolName, ...rule };
  },
  toParts: (words) => [{ kind: "more", keys: ["rule"], items: words }],
};

const OPENCODE_TOOLS = { Bash: "bash", WebFetch: "webfetch", Read: "read" } as const;

/** Rules about single commands would take the place of a person's `"bash": "ask"`, and allow the rest. */
const OPENCODE: Language<string> = {
  translate: (meant) => (meant.kind === "tool" ? OPENCODE_TOOLS[meant.tool] : null),
  toParts: (words) => words.map((tool) => ({ kind: "value", keys: ["permission", tool], value: "deny" })),
};
