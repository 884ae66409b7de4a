import { expect } from "vitest";
import type { Behaviour, Observed } from "../behaviour.ts";
import { textOf } from "../model-server.ts";

const DONE = { text: "done" };
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const LOOK = { calls: [{ name: "look", arguments: {} }] };
const ACTS = [{ send: "go" }];

const results = ({ requests }: Observed, at = 1): readonly string[] =>
  (requests[at]?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => textOf(content));

const dataOf = (events: Observed["events"], wanted: string) =>
  events.flatMap(({ type, data }) => (type === wanted ? [data] : []));

/** What an app was promised of its tools, its handlers and what it attaches. */
export const PROMISE_ROWS: readonly Behaviour[] = [
  {
    name: "a member with a default that the model leaves out reaches the handler with it",
    app: {
      tools: [
        {
          name: "look",
          parameters: {
            type: "object",
            properties: { unit: { type: "string", default: "C" } },
            required: ["unit"],
          },
          returns: "8",
        },
      ],
      acts: ACTS,
    },
    replies: [LOOK, DONE],
    check: ({ calls }) => expect(calls).toEqual([{ name: "look", arguments: { unit: "C" } }]),
  },
  {
    name: "a turn goes on after a handler that returns nothing",
    app: { tools: [{ name: "look" }], acts: ACTS },
    replies: [LOOK, DONE],
    check: (seen) => {
      expect(seen.replies).toEqual(["done"]);
      expect(results(seen)).toHaveLength(1);
    },
  },
  {
    name: "what a tool says to people is in events, and the model does not read it",
    app: {
      tools: [
        {
          name: "look",
          returns: {
            ...{ textResultForLlm: "no luck", resultType: "failure" },
            ...{ error: "own-error", sessionLog: "own-log" },
          },
        },
      ],
      acts: ACTS,
    },
    replies: [LOOK, DONE],
    check: (seen) => {
      expect(results(seen)).toEqual(["no luck"]);
      expect(JSON.stringify(seen.requests)).not.toMatch(/own-(?:error|log)/);
      for (const events of [seen.events, seen.history]) {
        const said = JSON.stringify(dataOf(events, "tool.execution_complete"));
        expect(said).toContain("own-error");
        expect(said).toContain("own-log");
      }
    },
  },
  {
    name: "a skill.json skill is told of once it is loaded",
    app: {
      options: { skillDirectories: ["skills"] },
      files: {
        "skills/review/skill.json": JSON.stringify({ name: "review", description: "Reviews", prompts: ["how.md"] }),
        "skills/review/how.md": "Read twice.",
      },
      acts: ACTS,
    },
    replies: [DONE],
    check: ({ history }) =>
      expect(dataOf(history, "skill.invoked")).toMatchObject([
        { name: "review", path: expect.stringContaining("skill.json"), content: "Read twice." },
      ]),
  },
  {
    name: "a handler that answers with a decision allows a call",
    app: { tools: [{ name: "look", returns: "8" }], permission: "allow-by-decision", acts: ACTS },
    replies: [LOOK, DONE],
    check: (seen) => expect(results(seen)).toEqual(["8"]),
  },
  {
    name: "a handler that answers with a decision denies a call, and the model reads its reason",
    app: { tools: [{ name: "look", returns: "8" }], permission: "deny-by-decision", acts: ACTS },
    replies: [LOOK, DONE],
    check: (seen) => {
      expect(seen.calls).toEqual([]);
      expect(seen.replies).toEqual(["done"]);
      expect(results(seen)[0]).toContain("not today");
    },
  },
  {
    name: "searching the workspace asks nobody",
    app: { permission: "reject", files: { "notes/a.txt": "sunny" }, acts: ACTS },
    replies: [
      {
        calls: [
          { name: "glob", arguments: { pattern: "**/*.txt" } },
          { name: "grep", arguments: { pattern: "sun" } },
        ],
      },
      DONE,
    ],
    check: (seen) => {
      expect(seen.questions).toEqual([]);
      for (const text of results(seen)) expect(text).toContain("notes/a.txt");
    },
  },
  {
    name: "an attached image file is seen by the model, and its message can be read later",
    app: {
      files: { "dot.png": `base64:${DOT}` },
      acts: [{ send: "what is it?", attachments: [{ type: "file", path: "dot.png" }] }],
    },
    replies: [DONE],
    check: ({ requests, history }) => {
      expect(JSON.stringify(requests[0]?.messages)).toContain(`data:image/png;base64,${DOT}`);
      expect(dataOf(history, "user.message")).toHaveLength(1);
    },
  },
];
