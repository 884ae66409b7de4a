import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { type Origin, sourced } from "../../core/codes/origin.ts";
import { parseRule } from "../../core/rules/rule.ts";
import { openGrants } from "../permissions/grant-store.ts";
import type { GuardAnswer } from "./guard-call.ts";
import { judgeGuarded } from "./judge-guarded.ts";

interface Case {
  readonly id: string;
  readonly command: string;
  readonly rules: Readonly<Record<"allow" | "ask" | "deny", readonly string[]>>;
  readonly context?: { readonly symlinks?: object; readonly sandbox?: boolean };
  readonly expect: "allow" | "ask" | "deny";
  readonly accept: readonly string[];
}

const FILES = ["shell-cases", "shell-cases-2", "shell-cases-3"];
/** What a hook may answer where the rules decide so: `pass` leaves it to the client, as if there were no hook. */
const FITTING = { deny: ["deny"], ask: ["ask", "pass"], allow: ["allow", "pass"] } as const;

function casesOf(file: string): readonly Case[] {
  const text = readFileSync(new URL(`../../../test/fixtures/security/${file}.jsonl`, import.meta.url), "utf8");
  const all = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Case); // Our own files.
  return all.filter(({ context = {} }) => context.symlinks === undefined && context.sandbox !== true);
}

/** The same place as in the cases, which need no such folder. */
const PLACE = { cwd: "/home/dev/project", workspace: "/home/dev/project", home: "/home/dev", path: "" };

const machine = createWorkspace();
const config = await machine.load();
const grants = await openGrants({ home: machine.home, env: {}, workspace: machine.cwd });

function answer(
  { id, command, rules }: Pick<Case, "id" | "command" | "rules">,
  typesUnseen = false,
): Promise<GuardAnswer> {
  const origin: Origin = { kind: "world", file: "cases", path: id };
  const toRules = (texts: readonly string[]) => texts.map((text) => sourced(parseRule(text, origin), origin));
  const { deny, ask, allow } = rules;
  const lists = { deny: toRules(deny), ask: toRules(ask), allow: toRules(allow) };
  return judgeGuarded(
    { tool: { kind: "builtin", name: "bash" }, args: { command } },
    {
      ...PLACE,
      config: { ...config, permissions: { ...config.permissions, ...lists } },
      ...{ grants, now: () => 0, typesUnseen },
    },
  );
}

test.each(FILES)(
  "every line of %s is judged as its rules decide, or passed on where none is about it",
  async (file) => {
    const wrong: string[] = [];
    for (const one of casesOf(file)) {
      const given = await answer(one);
      const fitting = [one.expect, ...one.accept].flatMap((word) => FITTING[word as keyof typeof FITTING]); // Decisions.
      if (!fitting.some((word) => word === given.answer)) wrong.push(`${one.id}: ${given.answer}, not ${one.expect}`);
    }
    expect(wrong).toEqual([]);
  },
);

const NO_RULES = { allow: [], ask: [], deny: [] };

test.each([
  "bash",
  "sh -i",
  "python3",
  "sudo -u me bash",
  "env A=1 bash --norc",
  "ssh host",
  "psql -d app",
  "cd x && node",
])("a client that shows no typed lines may not start %s, which would run them", async (command) => {
  expect(await answer({ id: "typed", command, rules: NO_RULES }, true)).toMatchObject({ answer: "deny" });
  expect(await answer({ id: "typed", command, rules: NO_RULES })).toEqual({ answer: "pass" });
});

test.each([
  "bash -c 'make all'",
  "bash build.sh",
  "python3 -c 'print(1)'",
  "python3 -m pytest",
  "python3 --version",
  "node index.js",
  "ssh host uptime",
  "psql -c 'select 1'",
  "echo ls | bash",
  "make all",
])("%s is no such program", async (command) => {
  expect(await answer({ id: "typed", command, rules: NO_RULES }, true)).toEqual({ answer: "pass" });
});
