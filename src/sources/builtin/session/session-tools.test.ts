import { describe, expect, test } from "vitest";
import { loadHandler } from "../../../../test/support/builtin-handler.ts";
import { makeFolder, makeHost, makeRun } from "../../../../test/support/builtin-host.ts";
import type { Host } from "../../host.ts";
import type { Question } from "../../people-port.ts";
import { createDocs } from "./docs.ts";
import { splitSections } from "./docs-index.ts";

function setUp(more: Partial<Host> = {}, docsFolder?: string) {
  const host = makeHost(null, more);
  const docs = docsFolder === undefined ? null : createDocs(docsFolder);
  const call = async (name: string, args: Readonly<Record<string, unknown>>) => {
    const handler = name === "docs" && docs !== null ? docs : await loadHandler(name);
    return handler(args, makeRun(), host);
  };
  return {
    host,
    call,
    text: async (...args: Parameters<typeof call>) => (await call(...args)).textResultForLlm,
  };
}

test("think changes nothing and says so in a word", async () => {
  const { call, host } = setUp();
  expect(await call("think", { thought: "hm" })).toEqual({ resultType: "success", textResultForLlm: "Noted." });
  expect(host.state.size).toBe(0);
});

describe("todo", () => {
  const items = [
    { text: "read", status: "completed" },
    { text: "write", status: "in_progress" },
    { text: "test\n it", status: "pending" },
  ];

  test("keeps the list for the session and shows it", async () => {
    const { text } = setUp();
    expect(await text("todo", {})).toBe("The list is empty.");
    const shown = "1 of 3 done\n[x] read\n[>] write\n[ ] test it";
    expect(await text("todo", { items })).toBe(shown);
    expect(await text("todo", {})).toBe(shown);
    expect(await text("todo", { items: [] })).toBe("The list is empty.");
  });

  test("keeps one list per session", async () => {
    const [one, two] = [setUp(), setUp()];
    await one.call("todo", { items });
    expect(await two.text("todo", {})).toBe("The list is empty.");
  });

  test.each([
    ["no list", "x"],
    ["an unknown status", [{ text: "a", status: "done" }]],
    ["an empty step", [{ text: " ", status: "pending" }]],
    ["a very long step", [{ text: "x".repeat(501), status: "pending" }]],
    ["too many steps", Array.from({ length: 101 }, () => ({ text: "a", status: "pending" }))],
  ])("refuses %s and keeps what it had", async (_, wrong) => {
    const { call, text } = setUp();
    await call("todo", { items });
    expect(await call("todo", { items: wrong })).toMatchObject({ resultType: "failure" });
    expect(await text("todo", {})).toContain("1 of 3 done");
  });
});

describe("skill", () => {
  test("returns what the model should now know", async () => {
    const { call } = setUp({ activateSkill: async (name) => ({ folder: "/kit", prompt: `Use ${name} so.` }) });
    expect(await call("skill", { name: "pdf" })).toMatchObject({
      resultType: "success",
      textResultForLlm: 'The skill "pdf" is active. Its files are in /kit.\n\nUse pdf so.',
    });
  });

  test("names the nearest skill for an unknown one, and all there are", async () => {
    const { call } = setUp({ activateSkill: async () => ({ unknown: ["review", "release"] }) });
    expect(await call("skill", { name: "reviw" })).toEqual({
      resultType: "failure",
      textResultForLlm: 'There is no skill "reviw". Did you mean review? The skills are: review, release.',
    });
  });
});

describe("ask_user", () => {
  test("passes question and choices on, and returns the answer", async () => {
    const asked: Question[] = [];
    const { text } = setUp({
      askUser: async (question) => {
        asked.push(question);
        return "blue";
      },
    });
    expect(await text("ask_user", { question: "Which?", choices: ["red", "blue"] })).toBe("The user answered: blue");
    expect(asked).toEqual([{ question: "Which?", choices: ["red", "blue"] }]);
  });

  test("says what to do when nobody answers, or nobody is there", async () => {
    expect(await setUp({ askUser: async () => " " }).text("ask_user", { question: "?" })).toBe(
      "The user gave no answer.",
    );
    expect(await setUp().call("ask_user", { question: "?" })).toMatchObject({ resultType: "failure" });
  });
});

test("task_complete tells the host", async () => {
  const summaries: string[] = [];
  const { call } = setUp({ onTaskComplete: (summary) => summaries.push(summary) });
  expect(await call("task_complete", { summary: "" })).toMatchObject({ resultType: "failure" });
  expect(await call("task_complete", { summary: "all done" })).toMatchObject({ resultType: "success" });
  expect(summaries).toEqual(["all done"]);
});

describe("exit_plan_mode", () => {
  test.each([
    [true, null, "success", "The plan is approved and plan mode has ended; start with it."],
    [true, "go slow", "success", "The plan is approved and plan mode has ended; start with it. The user said: go slow"],
    [
      false,
      "too big",
      "rejected",
      "The plan is not approved, and the session stays in plan mode. The user said: too big",
    ],
  ])("approved %j with %j is a %s", async (approved, feedback, resultType, text) => {
    const { call } = setUp({ approvePlan: async () => ({ approved, feedback }) });
    expect(await call("exit_plan_mode", { plan: "1. x" })).toMatchObject({ resultType, textResultForLlm: text });
  });

  test("stays in plan mode when nobody can approve, or there is no plan", async () => {
    expect(await setUp().call("exit_plan_mode", { plan: "x" })).toMatchObject({ resultType: "failure" });
    const { call } = setUp({ approvePlan: async () => ({ approved: true, feedback: null }) });
    expect(await call("exit_plan_mode", { plan: " " })).toMatchObject({ resultType: "failure" });
  });
});

describe("docs", () => {
  const FILES = {
    "README.md": "# Toolcrib\n\nIssues tools.\n",
    "docs/guides/filters.md": "# Filters\n\n## Excluding tools\n\nSet `excludeTools` to a list.\n\n## Other\n\nText.\n",
    "docs/reference/servers.md":
      "# Servers\n\n## Time-outs\n\nA server has a `timeout`.\n\n```yaml\n# not a heading\n```\n",
    "docs/logo.svg": "<svg>exclude</svg>",
  };

  test("answers with file, heading and text, best first", async () => {
    const { call } = setUp({}, makeFolder(FILES));
    expect(await call("docs", { query: "how to exclude a tool" })).toMatchObject({
      resultType: "success",
      textResultForLlm: expect.stringMatching(
        /^docs\/guides\/filters\.md > Filters > Excluding tools\nSet `excludeTools` to a list\./,
      ),
      structured: expect.arrayContaining([{ file: "docs/guides/filters.md", heading: "Filters > Excluding tools" }]),
    });
  });

  test("names the documents when nothing fits, and asks for words when there are none", async () => {
    const { text } = setUp({}, makeFolder(FILES));
    expect(await text("docs", { query: "kubernetes" })).toBe(
      'Nothing in the documentation fits "kubernetes". Use other words. The documents are: README.md, docs/guides/filters.md, docs/reference/servers.md.',
    );
    expect(await text("docs", { query: " " })).toBe("Say in a few words what to look for.");
  });

  test("finds something in what this package ships", async () => {
    expect(await setUp().call("docs", { query: "Toolcrib tools" })).toMatchObject({ resultType: "success" });
  });

  test("a section keeps the headings above it, and code is not taken for a heading", () => {
    const sections = splitSections("a.md", "intro\n# A\n## B ##\ntext\n```sh\n# comment\n```\n# C\n### D\n");
    expect(sections.map(({ headings, text }) => [headings.join(">"), text])).toEqual([
      ["", "intro"],
      ["A", ""],
      ["A>B", "text\n```sh\n# comment\n```"],
      ["C", ""],
      ["C>D", ""],
    ]);
  });
});
