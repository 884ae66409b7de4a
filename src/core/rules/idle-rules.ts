import type { CompiledRule, CompiledRules } from "./compile-rules.ts";
import type { ShellWord } from "./shell/command-line.ts";
import { type CommandPattern, coveredWords, meansCommand } from "./shell/command-pattern.ts";

/** A rule that changes nothing, and why, for `toolcrib doctor`. */
export interface IdleRule {
  readonly rule: CompiledRule;
  readonly list: keyof CompiledRules;
  readonly kind: "dead" | "shadowed" | "repeated";
  readonly text: string;
  /** The rule that decides instead. */
  readonly by: CompiledRule | null;
}

const STRICTER = { deny: [], ask: ["deny"], allow: ["deny", "ask"] } as const satisfies Record<
  keyof CompiledRules,
  readonly (keyof CompiledRules)[]
>;

/** Rules that can never decide anything. No false positives, but not every idle rule is found. */
export function findIdleRules(rules: CompiledRules): readonly IdleRule[] {
  return (["deny", "ask", "allow"] as const).flatMap((list) =>
    rules[list].flatMap((rule, at): readonly IdleRule[] => {
      const dead = findDeath(rule, list);
      if (dead !== null) return [{ rule, list, kind: "dead", text: dead, by: null }];
      const over = STRICTER[list].flatMap((stricter) => rules[stricter]).find((other) => contains(other, rule));
      if (over !== undefined)
        return [
          {
            rule,
            list,
            kind: "shadowed",
            text: `${over.text} decides first, and means everything that ${rule.text} means`,
            by: over,
          },
        ];
      const same = rules[list]
        .slice(0, at)
        .find((other) => other.tool === rule.tool && other.text.trim() === rule.text.trim());
      if (same !== undefined) return [{ rule, list, kind: "repeated", text: `${rule.text} appears twice`, by: same }];
      const wider = rules[list].find((other) => contains(other, rule) && !contains(rule, other));
      if (wider === undefined) return [];
      const text = `${wider.text} means everything that ${rule.text} means`;
      return [{ rule, list, kind: "repeated", text, by: wider }];
    }),
  );
}

function findDeath({ tool, text, matcher }: CompiledRule, list: keyof CompiledRules): string | null {
  if (list !== "allow") return null;
  if (matcher.kind === "parameter") return `${text}: a parameter narrows what is denied or asked, and allows nothing`;
  if (tool.includes("*") && !/^(?:mcp__[^*]+__|[^*/]+\/)/.test(tool))
    return `${text}: a pattern allows tools only behind the name of a server, as server/* does`;
  if (matcher.kind !== "command" || (matcher.pattern.kind !== "prefix" && matcher.pattern.kind !== "exact"))
    return null;
  if (matcher.pattern.words.length === 0) return `${text}: it names no command`;
  const isCompound = /[;&|<>`\n]|\$\(/.test(text) && matcher.pattern.kind === "prefix";
  if (isCompound) return `${text}: a prefix is matched against single commands, which never contain operators`;
  return null;
}

/** Whether the first rule matches every call that the second one matches. */
function contains(outer: CompiledRule, inner: CompiledRule): boolean {
  if (outer.family !== inner.family || (outer.family === "other" && outer.tool !== inner.tool)) return false;
  if (outer.matcher.kind === "any") return true;
  if (outer.matcher.kind === "command" && inner.matcher.kind === "command")
    return containsCommand(outer.matcher.pattern, inner.matcher.pattern);
  return outer.tool === inner.tool && outer.text.trim() === inner.text.trim();
}

function containsCommand(outer: CommandPattern, inner: CommandPattern): boolean {
  if (outer.kind === "any") return true;
  if (inner.kind !== "exact" && inner.kind !== "prefix") return false;
  const words = toWords(inner.words);
  if (outer.kind === "prefix") return meansCommand(outer, words);
  return inner.kind === "exact" && outer.kind === "exact" && coveredWords(outer, words) !== null;
}

function toWords(texts: readonly string[]): readonly ShellWord[] {
  return texts.map((text) => ({ text, isStatic: true, hasGlob: false, hasTilde: false }));
}
