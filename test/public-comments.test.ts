import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
/** The number of a rule in the design, which says nothing to anyone who reads it in an editor. */
const RULE_NUMBER = /\b[A-Z]\d{1,2}b?\b/;

/** Every declaration file that somebody who imports the package can come to, with its text. */
const DECLARATIONS = readDeclarations();

/** Options that a program writes, and what it writes inside them. */
const OPTION_TYPES = [
  ...[
    "SessionOptions",
    "McpServerOption",
    "OpenApiOption",
    "ProcessOption",
    "ExtensionOption",
    "ModelOption",
    "PermissionsOption",
  ],
  ...["RuleOption", "AgentOption", "OverrideOption", "ToolOverride", "ExecutorLimits", "SessionHooks", "Classifier"],
  ...["Memory", "Embedder", "UsageStore", "Logger", "ToolOptions", "Traits", "ExternalDefinition", "Invocation"],
];

describe("what an editor shows of the package", () => {
  test("cites no rule by its number", () => {
    const cited = [...DECLARATIONS].flatMap(([path, text]) =>
      (text.match(COMMENT) ?? [])
        .filter((comment) => RULE_NUMBER.test(comment))
        .map((comment) => `${path}: ${comment}`),
    );
    expect(DECLARATIONS.size).toBeGreaterThan(100);
    expect(cited).toEqual([]);
  });

  test.each(OPTION_TYPES)("has a sentence for every member of %s, also for those inside others", (name) => {
    const members = membersOf(name);
    expect(members).not.toEqual([]);
    expect(members.filter(({ isExplained }) => !isExplained).map(({ key }) => key)).toEqual([]);
  });
});

interface Member {
  readonly key: string;
  readonly isExplained: boolean;
}

/** The members of a type, each on a line of its own as the compiler writes them. */
function membersOf(type: string): readonly Member[] {
  const start = new RegExp(
    `^(?:export )?(?:declare )?(?:interface|type) ${type}\\b[^\\n]*\\{\\n|^(?:export )?type ${type} = [^\\n]*\\{\\n`,
    "m",
  );
  for (const text of DECLARATIONS.values()) {
    const found = start.exec(text);
    if (found === null) continue;
    const body = text.slice(found.index + found[0].length);
    const lines = body.slice(0, body.search(/^\}/m)).split("\n");
    return lines.flatMap((line, at) => {
      const key = /^\s+(?:readonly )?(\w+)\??(?:: |\(|<)/.exec(line)?.[1];
      return key === undefined ? [] : [{ key, isExplained: lines[at - 1]?.trimEnd().endsWith("*/") === true }];
    });
  }
  return [];
}

function readDeclarations(): ReadonlyMap<string, string> {
  const entries = Object.values(packageJson.exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [entry.types],
  );
  const found = new Map<string, string>();
  const waiting = entries.map((types) => resolve(ROOT, types));
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = relative(ROOT, path);
    if (found.has(name)) continue;
    const text = readFileSync(path, "utf8");
    found.set(name, text);
    for (const [, imported = ""] of text.matchAll(/(?:\bfrom|\bimport\()\s*"(\.[^"]+)"/g))
      waiting.push(resolve(dirname(path), imported.replace(/\.[jt]s$/, ".d.ts")));
  }
  return found;
}
