import { expect } from "vitest";
import type { Behaviour, ModelRequest, Plain, PlainRecord } from "../behaviour.ts";
import { textOf } from "../model-server.ts";

const SMITH = { name: "smith", description: "makes things", prompt: "You are a smith.", model: "gpt-5" };
const DONE = { text: "done" };

/** The argument that names the agent is called otherwise in the SDK, so that both are given. */
const start = (args: PlainRecord) => ({
  calls: [
    {
      name: "task",
      arguments: { agent: "smith", agent_type: "smith", prompt: "Make it", description: "Makes it", ...args },
    },
  ],
});

const toolNames = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name);

const editors = (request: ModelRequest): readonly string[] =>
  toolNames(request).filter((name) => name === "edit" || name === "apply_patch");

const answers = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => textOf(content));

/** Agents, and what a session is given for its model and its mode. */
export const AGENT_ROWS: readonly Behaviour[] = [
  {
    name: "a model has the tools that it knows, and another model has its own, in the system text too",
    app: { model: "gpt-5", acts: [{ send: "one" }, { setModel: "claude-sonnet-4.5" }, { send: "two" }] },
    replies: [DONE],
    otherReplies: { "gpt-5": [DONE] },
    check: ({ requests }) => {
      expect(requests.map(editors)).toEqual([["apply_patch"], ["edit"]]);
      const named = requests.map(({ system }) => /\bchanging files use ([^.]*)\./.exec(system)?.[1]);
      expect(named[0]).toMatch(/\band apply_patch$/);
      expect(named[1]).toMatch(/\band edit$/);
    },
  },
  {
    name: "an agent is asked with its own model, and has its tools",
    app: { options: { customAgents: [SMITH] }, acts: [{ send: "forge" }] },
    replies: [start({}), DONE],
    otherReplies: { "gpt-5": [{ text: "forged" }] },
    check: ({ replies, requests }) => {
      expect(replies).toEqual(["done"]);
      expect(requests.map(({ model }) => model)).toEqual(["claude-sonnet-4.5", "gpt-5", "claude-sonnet-4.5"]);
      expect(requests.map(editors)).toEqual([["edit"], ["apply_patch"], ["edit"]]);
      expect(answers(requests[2])).toEqual(["forged"]);
    },
  },
  {
    name: "an agent keeps its own model when the session's is changed",
    app: { options: { customAgents: [SMITH] }, acts: [{ setModel: "gpt-4.1" }, { send: "forge" }] },
    replies: [],
    otherReplies: { "gpt-4.1": [start({}), DONE], "gpt-5": [{ text: "forged" }] },
    check: ({ replies, requests }) => {
      expect(replies).toEqual(["done"]);
      expect(requests.map(({ model }) => model)).toEqual(["gpt-4.1", "gpt-5", "gpt-4.1"]);
    },
  },
  {
    name: "`task` describes the agents that it takes",
    app: { options: { customAgents: [SMITH] }, acts: [{ send: "hello" }] },
    replies: [DONE],
    check: ({ requests }) => {
      const task = requests[0]?.tools.find(({ name }) => name === "task");
      const properties = (task?.parameters.properties ?? {}) as Readonly<Record<string, { enum?: readonly Plain[] }>>;
      const described = [...(task?.description ?? "").matchAll(/^- ([^:]+): /gm)].map(([, name]) => name);
      expect(described).toContain("smith");
      expect((properties.agent_type ?? properties.agent)?.enum).toEqual(described);
    },
  },
  {
    name: "an agent in the background is known by the name that it was given",
    app: { options: { customAgents: [SMITH] }, acts: [{ send: "forge" }] },
    replies: [
      start({ name: "bg1", mode: "background" }),
      { calls: [{ name: "list_agents", arguments: {} }] },
      DONE,
      DONE,
    ],
    otherReplies: { "gpt-5": [{ text: "forged" }] },
    check: ({ events, requests }) => {
      const own = requests.filter(({ model }) => model !== "gpt-5");
      const [started = "", listed = ""] = answers(own[2]);
      expect(started).toContain("bg1");
      expect(listed).toContain("bg1 (smith)");
      expect(events.filter(({ type }) => type === "subagent.started").map(({ agentId }) => agentId)).toEqual(["bg1"]);
    },
  },
  {
    name: "an agent writes to the one that it works for",
    app: { options: { customAgents: [{ ...SMITH, tools: ["send_to_agent", "task"] }] }, acts: [{ send: "forge" }] },
    replies: [start({}), DONE],
    otherReplies: {
      "gpt-5": [
        {
          calls: [
            { name: "send_to_agent", arguments: { id: "main", agent_id: "main", message: "The iron is short." } },
          ],
        },
        { text: "forged" },
      ],
    },
    check: ({ requests }) => {
      expect(requests.map(({ model }) => model)).toEqual(["claude-sonnet-4.5", "gpt-5", "gpt-5", "claude-sonnet-4.5"]);
      expect(new Set(toolNames(requests[1] as ModelRequest))).toEqual(new Set(["send_to_agent", "task"]));
      expect(answers(requests[2])).toEqual(["Sent."]);
      expect(answers(requests[3])).toEqual(["forged"]);
      expect(JSON.stringify(requests[3]?.messages)).toContain("The iron is short.");
    },
  },
  {
    name: "autopilot offers `task_complete`, which ends the run",
    app: { acts: [{ send: "one" }, { setMode: "autopilot" }, { send: "two" }] },
    replies: [DONE, { calls: [{ name: "task_complete", arguments: { summary: "All done." } }] }, DONE],
    check: ({ events, requests }) => {
      expect(requests.map((one) => toolNames(one).includes("task_complete"))).toEqual([false, true]);
      const ends = events.filter(({ type }) => type === "session.task_complete");
      expect(ends.map(({ data }) => data.summary)).toEqual(["All done."]);
    },
  },
];
