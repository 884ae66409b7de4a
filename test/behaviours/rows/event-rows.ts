import { expect } from "vitest";
import type { Behaviour, Observed } from "../behaviour.ts";

const LOOK = { name: "glob", arguments: { pattern: "*.txt" } };

const typesOf = ({ events }: Observed): readonly string[] => events.map(({ type }) => type);

/** What an app hears, and in which order. */
export const EVENT_ROWS: readonly Behaviour[] = [
  {
    name: "calls that read start once, behind the message that makes them",
    app: { files: { "a.txt": "a" }, acts: [{ send: "look" }] },
    replies: [{ calls: [LOOK, { ...LOOK, arguments: { pattern: "a*" } }] }, { text: "done" }],
    check: (seen) => {
      const types = typesOf(seen).filter((type) =>
        /^(assistant\.message|tool\.execution_(start|complete))$/.test(type),
      );
      expect(types[0]).toBe("assistant.message");
      expect(types.filter((type) => type === "tool.execution_start")).toHaveLength(2);
      expect(types.filter((type) => type === "tool.execution_complete")).toHaveLength(2);
    },
  },
  {
    name: "a message right behind a failed turn has its own answer",
    app: { acts: [{ send: "one" }, { send: "two" }, { send: "three" }, { send: "four" }] },
    replies: [{ status: 400, message: "no" }, { text: "second" }, { status: 400, message: "no" }, { text: "fourth" }],
    check: ({ replies }) => {
      const refused = { error: expect.stringContaining("no") };
      expect(replies).toEqual([refused, "second", refused, "fourth"]);
    },
  },
  {
    name: "an app hears when the tools of its model are others, and only then",
    app: {
      model: "claude-sonnet-4.5",
      acts: [{ send: "one" }, { send: "two" }, { setModel: "gpt-5" }, { send: "three" }, { send: "four" }],
    },
    replies: [{ text: "1" }, { text: "2" }, { text: "3" }, { text: "4" }],
    check: ({ events }) => {
      const updates = events.filter(({ type }) => type === "session.tools_updated");
      expect(updates.map(({ data }) => data.model)).toEqual([
        expect.stringContaining("claude-sonnet-4.5"),
        expect.stringContaining("gpt-5"),
      ]);
    },
  },
];
