import { findLongFunctions } from "./function-lengths.ts";

interface CodeFile {
  readonly path: string;
  readonly text: string;
}

interface CodeOffence extends CodeFile {
  readonly rule: "twice" | "long-function" | "sleep" | "schema-walk";
}

/** One name, one function or constant: what two files export under the same name reads as one thing. */
export function checkValueNames(files: readonly CodeFile[]): CodeOffence[] {
  const exported = /^export (?:async )?(?:function\*?|const|let) (\w+)/gm;
  const homes = new Map<string, string>();
  return files.flatMap(({ path, text }) =>
    // Overloads of one function are one name.
    [...new Set([...text.matchAll(exported)].map(([, name = ""]) => name))].flatMap((name): CodeOffence[] => {
      const home = homes.get(name);
      homes.set(name, home ?? path);
      return home === undefined ? [] : [{ rule: "twice", path, text: `${name} is exported by ${home} already` }];
    }),
  );
}

const MAX_FUNCTION_LINES = 80;

/** By physical lines, which is what a reader has to scroll. */
export function checkFunctions({ path, text }: CodeFile): CodeOffence[] {
  return findLongFunctions(path, text, MAX_FUNCTION_LINES).map(({ name, line, lines }) => ({
    rule: "long-function",
    path,
    text: `line ${line}: ${name} has ${lines} lines; the cap for functions is ${MAX_FUNCTION_LINES}`,
  }));
}

/** Keywords that hold schemas, and that nothing but JSON Schema has. */
const HOLDING = /\b(?:anyOf|allOf|prefixItems|patternProperties)\b/;
const WALK = /from "[^"]*schema\/(?:fold-schema|keywords|walk-parts)\.ts"/;
/** They write schemas, or list what a provider takes, and read none. */
const NO_READERS: readonly string[] = ["src/config/shape/json-schema.ts", "src/core/dialects/limits/schema-rules.ts"];

/** Schemas come from servers: a walk of one's own would need its own bounds for depth, circles and size. */
export function checkSchemaWalks({ path, text }: CodeFile): CodeOffence[] {
  if (path.startsWith("src/core/schema/") || NO_READERS.includes(path)) return [];
  const keyword = HOLDING.exec(text)?.[0];
  if (keyword === undefined || WALK.test(text)) return [];
  return [
    { rule: "schema-walk", path, text: `reads ${keyword} by itself; walk schemas by src/core/schema/fold-schema.ts` },
  ];
}

const POLLING = "test/support/poll.ts";
/** Tests of time itself: a kill at a random moment, what must not happen meanwhile, a limit by the system's clock. */
const TIMED_TESTS: readonly string[] = [
  "src/runtime/audit/audit-trouble.test.ts",
  "src/runtime/session/calls/session-calls.test.ts",
  "src/runtime/session/stored/stored-session.test.ts",
  "src/system/process/spawn-process.test.ts",
  "test/conformance/fixture.ts",
  "test/e2e/connect.test.ts",
  "test/e2e/killed.test.ts",
  "test/fault/hook-faults.test.ts",
  "test/store/crashes.test.ts",
];
const SLEEP = /new Promise(?:<\w+>)?\(\(?(\w+)\)? => (?:void )?setTimeout\(\1\b|from "(?:node:)?timers\/promises"/g;

/** A test that sleeps is slow on a fast machine and wrong on a slow one: it waits for a condition. */
export function checkSleeps({ path, text }: CodeFile): CodeOffence[] {
  if (path === POLLING || path === "test/code-rules.test.ts") return [];
  const sleeps = [...text.matchAll(SLEEP)].filter(([found]) => !isOtherTimer(found, text));
  const passes = TIMED_TESTS.includes(path) ? [] : [...text.matchAll(/\bletTimePass\(/g)];
  return [...sleeps, ...passes].map((match) => ({
    rule: "sleep",
    path,
    text: `line ${text.slice(0, match.index).split("\n").length}: waits for time; wait for a condition (${POLLING})`,
  }));
}

/** `setImmediate` of the same module waits for a turn, not for time. */
function isOtherTimer(found: string, text: string): boolean {
  return (
    found.startsWith("from") && !/import \{[^}]*\bset(?:Timeout|Interval)\b[^}]*\} from "(?:node:)?timers/.test(text)
  );
}
