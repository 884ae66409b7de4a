import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { evalRules } from "./eval-rules.ts";

const FILES = new URL("../../../../test/fixtures/security/", import.meta.url);

test.each([
  ["shell-cases.jsonl", 145],
  ["shell-attacks.jsonl", 1263],
  ["own-shell-cases.jsonl", 1124],
  ["shell-reading.jsonl", 568],
])("%s: nothing escapes, no deny is weakened, nothing benign is blocked", async (file, cases) => {
  const decided = new Map<string, string>();
  const summary = await evalRules({
    text: readFileSync(new URL(file, FILES), "utf8"),
    file,
    now: () => 0,
    onDecision: (id, { decision }) => decided.set(id, decision),
  });
  const perfect = { right: cases, escapes: 0, denyWeakened: 0, overBlocked: 0, wrong: [] };
  expect(summary).toMatchObject({ cases, ...perfect, p50Ms: 0, p95Ms: 0 });
  expect(decided.size).toBe(cases);
});

test("shell-cases-2.jsonl: options, sub-commands, variables and scripts are judged by what they do", async () => {
  const file = "shell-cases-2.jsonl";
  const { categories } = await evalRules({
    text: readFileSync(new URL(file, FILES), "utf8"),
    file,
    now: () => 0,
    onDecision: () => undefined,
  });
  expect(categories.deny).toMatchObject({ escapes: 0, denyWeakened: 0 });
  expect(categories["readonly-default"]).toMatchObject({ escapes: 0 });
  expect(categories["prefix-allow"]).toMatchObject({ escapes: 0 });
  expect(categories.benign).toMatchObject({ overBlocked: 0 });
  expect(categories["benign-sandboxed"]).toMatchObject({ overBlocked: 0 });
});

/** How many lines of each kind are decided wrongly: fewer is better, and more is a fault. */
const MOST_WRONG = {
  "deny-address": 0,
  "deny-fetch": 0,
  "deny-read": 0,
  "deny-runner": 0,
  "deny-subcommand": 0,
  everyday: 0,
  "everyday-sandboxed": 0,
  "prefix-escape": 0,
  "readonly-auto": 0,
  "readonly-nested-repository": 0,
};

test("shell-cases-3.jsonl: lines aimed at the tables of programs are decided no worse than before", async () => {
  const file = "shell-cases-3.jsonl";
  const { cases, denyWeakened, categories } = await evalRules({
    text: readFileSync(new URL(file, FILES), "utf8"),
    file,
    now: () => 0,
    onDecision: () => undefined,
  });
  expect({ cases, denyWeakened }).toEqual({ cases: 642, denyWeakened: 0 });
  expect(Object.keys(categories)).toEqual(Object.keys(MOST_WRONG));
  const worse = Object.entries(MOST_WRONG).flatMap(([name, most]) => {
    const wrong = (categories[name]?.cases ?? 0) - (categories[name]?.right ?? 0);
    return wrong > most ? [`${name}: ${wrong} of at most ${most}`] : [];
  });
  expect(worse).toEqual([]);
});

test("a case says whether what only reads needs a rule", async () => {
  const line = (id: string, context: object) => JSON.stringify({ id, command: "cat a | wc -l", context });
  const decided = new Map<string, string>();
  await evalRules({
    text: [line("alone", {}), line("reading", { readOnlyDefault: true })].join("\n"),
    file: "f",
    now: () => 0,
    onDecision: (id, { decision }) => decided.set(id, decision),
  });
  expect(Object.fromEntries(decided)).toEqual({ alone: "ask", reading: "allow" });
});

test("each kind of mistake is counted as what it is", async () => {
  const line = (id: string, expected: string, allow: readonly string[]) =>
    JSON.stringify({
      id,
      category: `of-${expected}`,
      command: "ls",
      rules: { allow, ask: [], deny: [] },
      expect: expected,
    });
  const { right, escapes, denyWeakened, overBlocked, wrong, categories } = await evalRules({
    text: [line("a", "ask", ["Bash(ls)"]), line("b", "deny", []), line("c", "allow", []), line("d", "ask", [])].join(
      "\n",
    ),
    file: "f",
    now: () => 0,
    onDecision: () => undefined,
  });
  expect({ right, escapes, denyWeakened, overBlocked, wrong }).toEqual({
    right: 1,
    escapes: 1,
    denyWeakened: 1,
    overBlocked: 1,
    wrong: ["a", "b", "c"],
  });
  expect(categories["of-ask"]).toEqual({ cases: 2, right: 1, escapes: 1, denyWeakened: 0, overBlocked: 0 });
  expect(categories["of-deny"]?.denyWeakened).toBe(1);
});

test("a line that cannot be read is named with its number", async () => {
  const run = evalRules({
    text: '{"id":"a","command":"ls"}\n{"id":1}',
    file: "f.jsonl",
    now: () => 0,
    onDecision: () => undefined,
  });
  await expect(run).rejects.toThrow('f.jsonl:2: "id" and "command" have to be strings');
});
