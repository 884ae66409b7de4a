import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { HookConfig } from "../../config/config.ts";
import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { runCommandHook } from "./command-hook.ts";
import { readHookAnswer } from "./read-answer.ts";

const DENY =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}';

/** Ways in which a hook says no, all of them clear to a person. */
const REFUSALS: Readonly<Record<string, string>> = {
  "as documented": DENY,
  "in a line": '{"permissionDecision":"deny"}\n',
  "over several lines": JSON.stringify(JSON.parse(DENY), null, 2),
  "behind blanks": `\n\n   \t${DENY}`,
  "behind a byte order mark": `\uFEFF${DENY}`,
  "behind a line of a log": `checking …\n${DENY}`,
  "behind a level in brackets": `[INFO] checking\n${DENY}`,
  "in the line of a log": `2026-11-18 INFO answer=${DENY} done`,
  "before a line of a log": `${DENY}\ndone`,
  "behind a log of objects": `{"level":"info","msg":"checking {"}\n{"level":"info"}\n${DENY}`,
  "behind something broken": `{ not json\n${DENY}`,
  "behind an allow": `{"permissionDecision":"allow"}\n${DENY}`,
  "in a list": `[${DENY}]`,
  "in a list behind an allow": `[{"permissionDecision":"allow"},${DENY}]`,
  "in a list of lists": `[[[${DENY}]]]`,
  "as a list of words": '["deny"]',
  "as a list of words behind allow": '["allow", "deny"]',
  "in a list that does not end": `[${DENY},`,
  "as a word": "deny",
  "as a word in capitals": "DENY\n",
  "as a word in quotes": '"deny"',
  "as another word": "blocked",
  "as a word with a reason": "deny: touches production",
  "as a word behind a mark": "❌ Denied.",
  "as a word behind a log": "checking\n  deny\n",
  "as YAML": "permissionDecision: deny\nreason: no\n",
  "as an assignment": "decision=block",
  "as block": '{"decision":"block","reason":"no"}',
  "as block beside an inner allow": '{"decision":"block","hookSpecificOutput":{"permissionDecision":"allow"}}',
  "inside, beside an outer approve": '{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"}}',
  "as a behaviour beside an allow": '{"permissionDecision":"allow","behavior":"deny"}',
  "as a behaviour inside": '{"hookSpecificOutput":{"decision":{"behavior":"deny"}},"permissionDecision":"allow"}',
  "as a list of decisions": '{"decision":["allow","block"]}',
  "in capitals": '{"permissionDecision":"DENY"}',
  "with blanks": '{"permissionDecision":" deny "}',
  "with another word": '{"permissionDecision":"denied"}',
  "with underscores": '{"hook_specific_output":{"permission_decision":"deny"}}',
  "wrapped once more": '{"output":{"hookSpecificOutput":{"permissionDecision":"deny"}}}',
  "beside a word that nobody knows": '{"decision":"alow","permissionDecision":"deny"}',
  "in single quotes": "{'permissionDecision': 'deny'}",
  "without quotes": "{permissionDecision: deny}",
  "with a comma too many": '{"permissionDecision":"deny",}',
  "cut off": '{"permissionDecision":"deny","permissionDecisionReas',
  "cut off behind a log": 'checking\n{"permissionDecision":"deny","permissionDecisionReas',
};

/** What may be meant as an answer and cannot be read. */
const UNREADABLE: Readonly<Record<string, string>> = {
  "a word that nobody knows": '{"permissionDecision":"alow"}',
  "the same in a list": '[{"permissionDecision":"alow"}]',
  "the same as text": "decision: maybe",
  "a number": '{"permissionDecision":0}',
  "a decision without a word": '{"decision":{"behaviour":"allow"}}',
  "JSON that is cut off": '{"hookSpecificOutput":{"permis',
  "the same behind a log": 'checking\n{"hookSpecificOutput":{"permis',
  "something that begins like an object": "{ nothing",
  "the same in a later line": "checking\n  { nothing",
  "two answers beside each other": '{"permissionDecision":"allow"}\n{"permissionDecision":"allow"}',
  "a list of something else": '["maybe"]',
  "a list with a number": "[5]",
  false: "false",
  no: "no",
  "a text of nothing but beginnings": "{".repeat(200_000),
};

/** What says nothing about the call. */
const SILENT: Readonly<Record<string, string>> = {
  nothing: "",
  blanks: " \n\t\n",
  "an empty object": "{}",
  "an empty list": "[]",
  null: "null",
  "an object about something else": '{"level":"info"}',
  "lines of a log": "checking 3 files\nall good\n",
  "a log of objects": '{"level":"info"}\n{"level":"info","msg":"{}"}',
  "a log with brackets": "[INFO] {x} is fine",
  "a yes in plain words, which is none": "allow",
  "a yes somewhere else, which is none": '{"log":{"permissionDecision":"allow","decision":"approve"}}',
  "a word in the arguments": '{"updatedInput":{"decision":"deny","permissionDecision":"deny"}}',
};

describe("a hook before a call", () => {
  test.each(Object.entries(REFUSALS))("refuses %s", (_, text) => {
    for (const event of ["preToolUse", "permissionRequest"] as const)
      expect(readHookAnswer(text, event)).toMatchObject({ verdict: { decision: "deny" }, hasAnswer: true });
  });

  test.each(Object.entries(UNREADABLE))("that says %s is not understood", (_, text) => {
    expect(readHookAnswer(text, "preToolUse")).toBeNull();
  });

  test.each(Object.entries(SILENT))("that says %s decides nothing", (_, text) => {
    expect(readHookAnswer(text, "preToolUse")).toMatchObject({ verdict: { decision: null } });
  });

  test("gives the reason that it wrote, in JSON and in plain words", () => {
    const reasonOf = (text: string) => readHookAnswer(text, "preToolUse")?.verdict.reason;
    expect([reasonOf(`log\n${DENY}`), reasonOf("deny: touches production"), reasonOf("deny")]).toEqual([
      ...["r", "touches production", null],
    ]);
  });

  test("allows only where an answer has its place for that, and asks where it says two things", () => {
    const decisionOf = (text: string) => readHookAnswer(text, "preToolUse")?.verdict.decision;
    expect(decisionOf('{"hookSpecificOutput":{"permissionDecision":"allow"}}')).toBe("allow");
    expect(decisionOf('log\n{"decision":"approve"}')).toBe("allow");
    expect(decisionOf('{"decision":"approve","permissionDecision":"ask"}')).toBe("ask");
    expect(decisionOf('[{"permissionDecision":"allow"},"ask"]')).toBe("ask");
    expect(decisionOf("ask")).toBe("ask");
  });

  test("stops the turn wherever it says so", () => {
    expect(
      readHookAnswer('{"continue":false,"hookSpecificOutput":{"continue":true}}', "preToolUse")?.verdict.endTurn,
    ).toBe(true);
  });

  test("refuses with any text around a no (property)", () => {
    const noise = fc.stringMatching(/^[\w .:[\]()#/+-]{0,60}$/);
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 4 }), fc.array(noise, { maxLength: 4 }), (before, after) => {
        const text = [...before, DENY, ...after].join("\n");
        expect(readHookAnswer(text, "preToolUse")?.verdict.decision).toBe("deny");
      }),
    );
  });
});

describe("a hook elsewhere", () => {
  const EVENTS: readonly HookEvent[] = ["userPromptSubmitted", "sessionStart", "agentStop", "postToolUse"];
  test.each(EVENTS)("%s: plain words are text, and JSON behind a log counts", (event) => {
    expect(readHookAnswer("deny", event)).toMatchObject({
      verdict: { decision: null },
      text: "deny",
      hasAnswer: false,
    });
    expect(readHookAnswer('log\n{"decision":"block","reason":"no"}', event)).toMatchObject({
      verdict: { decision: "deny", reason: "no" },
      text: "log",
    });
    expect(readHookAnswer("{ nothing", event)).toBeNull();
  });
});

describe("a command, by what it prints and how it ends", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-answers-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (output: string, code: number, dialect: HookConfig["dialect"], more = "") => {
    const file = join(folder, `${Math.random()}`);
    writeFileSync(file, output);
    const hook = { command: `cat >/dev/null; cat '${file}'; ${more} exit ${code}`, args: null, dialect };
    const spec = {
      hook,
      event: "preToolUse",
      cwd: folder,
      env: { PATH: process.env.PATH ?? "" },
      timeout: 60_000,
    } as const;
    return runCommandHook(spec, {}, new AbortController().signal, SYSTEM_CLOCK);
  };
  const isNo = (ran: Awaited<ReturnType<typeof run>>) =>
    ran.outcome === "blocked" || (ran.outcome === "ok" && ran.verdict.decision === "deny");
  const FORMS = [
    "as documented",
    "behind a line of a log",
    "in a list",
    "as a word",
    "as block beside an inner allow",
    "cut off",
  ];

  test.each([0, 1, 2, 3, 126, 127, 255])("status %i: every no is one", async (code) => {
    for (const dialect of ["toolcrib", "claude", "copilot"] as const) {
      const ran = await Promise.all(FORMS.map((form) => run(REFUSALS[form] ?? "", code, dialect)));
      expect([code, dialect, ran.map(isNo)]).toEqual([code, dialect, FORMS.map(() => true)]);
    }
  });

  test("what cannot be read is a failure, which blocks, and so is a yes beside another status", async () => {
    for (const dialect of ["toolcrib", "copilot"] as const) {
      expect(await run('{"permissionDecision":"alow"}', 0, dialect)).toMatchObject({ outcome: "failed" });
      expect(await run("log\n{ nothing", 0, dialect)).toMatchObject({ outcome: "failed" });
      expect(await run('{"permissionDecision":"allow"}', 1, dialect)).toMatchObject({ outcome: "failed" });
      expect(await run("all good", 0, dialect)).toMatchObject({ outcome: "ok", verdict: { decision: null } });
      expect(await run("", 0, dialect)).toMatchObject({ outcome: "ok", verdict: { decision: null } });
      expect(await run("", 1, dialect)).toMatchObject({ outcome: "failed" });
      expect(await run("", 2, dialect)).toMatchObject({ outcome: "blocked" });
    }
  });

  test("an answer that is too long to be read to its end is no consent", async () => {
    expect(await run(`${"x".repeat(1024 * 1024)}\n{"a":1}`, 0, "toolcrib")).toMatchObject({ outcome: "failed" });
    expect(await run(`deny\n${"x".repeat(1024 * 1024)}`, 0, "toolcrib")).toMatchObject({
      verdict: { decision: "deny" },
    });
  });

  test("a no counts also from a hook that then hangs", async () => {
    const hook = { command: "echo deny; exec sleep 600", args: null, dialect: "toolcrib" } as const;
    const spec = {
      hook,
      event: "preToolUse",
      cwd: folder,
      env: { PATH: process.env.PATH ?? "" },
      timeout: 3000,
    } as const;
    const ran = await runCommandHook(spec, {}, new AbortController().signal, SYSTEM_CLOCK);
    expect(ran).toMatchObject({ outcome: "ok", verdict: { decision: "deny" } });
  });
});
