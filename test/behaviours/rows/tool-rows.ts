import { expect } from "vitest";
import type { Behaviour, Observed } from "../behaviour.ts";
import { textOf } from "../model-server.ts";

const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const CALL = { calls: [{ name: "get_weather", arguments: { city: "Oslo" } }] };
const DONE = { text: "done" };

/** What the model was given for the calls of its last reply. */
const results = ({ requests }: Observed, at = 1): readonly string[] =>
  (requests[at]?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => textOf(content));

const types = ({ events }: Observed, prefix: string): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type.startsWith(prefix));

/** Tools of the app: what they are given, and what the model hears of them. */
export const TOOL_ROWS: readonly Behaviour[] = [
  {
    name: "a text that a tool returns is what the model reads",
    app: { tools: [{ name: "get_weather", parameters: CITY, returns: "8 degrees" }], acts: [{ send: "weather?" }] },
    replies: [CALL, DONE],
    check: (seen) => {
      expect(seen.replies).toEqual(["done"]);
      expect(seen.calls).toEqual([{ name: "get_weather", arguments: { city: "Oslo" } }]);
      expect(results(seen)).toEqual(["8 degrees"]);
    },
  },
  {
    name: "a value that a tool returns is read as JSON",
    app: { tools: [{ name: "get_weather", parameters: CITY, returns: { degrees: 8 } }], acts: [{ send: "weather?" }] },
    replies: [CALL, DONE],
    check: (seen) => expect(results(seen).map((text) => JSON.parse(text))).toEqual([{ degrees: 8 }]),
  },
  {
    name: "the message of an error that a handler throws stays in the app",
    app: { tools: [{ name: "get_weather", parameters: CITY, throws: "secret-detail" }], acts: [{ send: "weather?" }] },
    replies: [CALL, DONE],
    check: (seen) => {
      expect(seen.replies).toEqual(["done"]);
      expect(results(seen)).toHaveLength(1);
      expect(JSON.stringify(seen.requests)).not.toContain("secret-detail");
    },
  },
  {
    name: "a call whose arguments do not fit is refused before the handler",
    app: { tools: [{ name: "get_weather", parameters: CITY, returns: "8" }], acts: [{ send: "weather?" }] },
    replies: [{ calls: [{ name: "get_weather", arguments: {} }] }, DONE],
    check: (seen) => {
      expect(seen.calls).toEqual([]);
      expect(results(seen)[0]).toContain("city");
    },
  },
  {
    name: "a rejected call does not run, and the model reads why",
    app: {
      tools: [{ name: "get_weather", parameters: CITY, returns: "8" }],
      permission: "reject",
      acts: [{ send: "weather?" }],
    },
    replies: [CALL, DONE],
    check: (seen) => {
      expect(seen.calls).toEqual([]);
      expect(seen.questions).toHaveLength(1);
      expect(results(seen)[0]).toContain("not today");
    },
  },
  {
    name: "a tool that needs no permission runs without a question",
    app: {
      tools: [{ name: "get_weather", parameters: CITY, skipPermission: true, returns: "8" }],
      permission: "reject",
      acts: [{ send: "weather?" }],
    },
    replies: [CALL, DONE],
    check: (seen) => {
      expect(seen.questions).toEqual([]);
      expect(seen.calls).toHaveLength(1);
    },
  },
  {
    name: "a call begins once and ends once, in this order",
    app: { tools: [{ name: "get_weather", parameters: CITY, returns: "8" }], acts: [{ send: "weather?" }] },
    replies: [CALL, DONE],
    check: (seen) => expect(types(seen, "tool.execution")).toEqual(["tool.execution_start", "tool.execution_complete"]),
  },
  {
    name: "excluded tools are not shown to the model",
    app: {
      tools: [{ name: "get_weather", parameters: CITY, returns: "8" }],
      options: { excludedTools: ["get_weather"] },
      acts: [{ send: "weather?" }],
    },
    replies: [DONE],
    check: ({ requests }) => expect(requests[0]?.tools.map(({ name }) => name)).not.toContain("get_weather"),
  },
  {
    name: "only available tools are shown to the model",
    app: {
      tools: [
        { name: "get_weather", parameters: CITY, returns: "8" },
        { name: "get_time", returns: "9" },
      ],
      options: { availableTools: ["get_time"] },
      acts: [{ send: "time?" }],
    },
    replies: [DONE],
    check: ({ requests }) => expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["get_time"]),
  },
  {
    name: "more than thirty tools are searched for",
    app: {
      tools: Array.from({ length: 31 }, (_, at) => ({ name: `look_up_${at}`, parameters: CITY, returns: "found" })),
      acts: [{ send: "look" }],
    },
    replies: [
      { calls: [{ name: "tool_search", arguments: { query: "look_up_7" } }] },
      { calls: [{ name: "look_up_7", arguments: { city: "Oslo" } }] },
      DONE,
    ],
    check: (seen) => {
      const names = (at: number) => seen.requests[at]?.tools.map(({ name }) => name);
      expect(names(0)).toContain("tool_search");
      expect(names(0)).not.toContain("look_up_7");
      expect(names(1)).toContain("look_up_7");
      expect(seen.calls).toEqual([{ name: "look_up_7", arguments: { city: "Oslo" } }]);
    },
  },
];
