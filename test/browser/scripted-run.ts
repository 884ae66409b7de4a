import type { QuestionView, RunAgent, RunCall, RunDetails } from "../../src/surfaces/http/api/api.ts";

const NOW = Date.UTC(2026, 0, 15, 9, 30);
const USED = { requests: 1, input: 2_100, output: 80, cached: 1_500, cost: 0.0123 };
const LONG = "averylongwordthatnothingbreaks".repeat(12);

/** A run with everything that a run can have, and words that are too long for any window. */
export function buildRun(): RunDetails {
  return {
    run: {
      ...{ id: "r1", label: "run r1", prompt: `Tidy up ${LONG}`, model: "openai/gpt-5", started: NOW, changed: NOW },
      ...{ state: "waiting", stopReason: null, error: null, used: USED, calls: 3, agents: 2, isOpen: true },
    },
    agents: [
      buildAgent(null, null, "running"),
      buildAgent("explore-1", null, "done"),
      buildAgent("general-1", "explore-1", "failed"),
    ],
    entries: [
      { kind: "said", key: 1, at: NOW, agent: null, by: "user", text: `Tidy up <b>everything</b> ${LONG}` },
      {
        ...{ kind: "turn", key: 2, at: NOW, agent: null, number: 1, model: "openai/gpt-5", text: `I look. ${LONG}` },
        ...{ hidden: 12, thoughts: "Hm.", isStreaming: true, used: USED, hiddenCalls: 2 },
        calls: [
          { ...buildCall("run_code", "success"), inside: [buildCall("view", "success"), buildCall("grep", "running")] },
          { ...buildCall("task", "waiting"), agent: "explore-1", progress: `half ${LONG}` },
        ],
      },
      { kind: "note", key: 3, at: NOW, agent: null, tone: "warn", text: `asking again ${LONG}` },
      { kind: "said", key: 4, at: NOW, agent: "explore-1", by: "agent", text: "Look around" },
    ],
    isCut: true,
  };
}

export function buildQuestions(): QuestionView[] {
  const from = { session: "r1", client: "run r1", since: NOW };
  const schema = { type: "object", properties: { street: { type: "string" } }, required: ["street"] };
  return [
    { ...from, id: "q1", kind: "user_input", question: "Which one?", choices: ["this", LONG] },
    { ...from, id: "q2", kind: "plan", plan: "1. Look\n2. Tidy up" },
    { ...from, id: "q3", kind: "elicitation", server: "town", message: "Where do you live?", schema, url: null },
  ];
}

function buildAgent(id: string | null, parent: string | null, state: RunAgent["state"]): RunAgent {
  return {
    ...{ id, name: id ?? "main", parent, description: id === null ? "" : `work ${LONG}`, state, mode: "background" },
    ...{ team: null, started: NOW, ended: NOW + 900, error: state === "failed" ? "it broke" : null, used: USED },
  };
}

let calls = 0;

function buildCall(tool: string, state: string): RunCall {
  calls += 1;
  return {
    ...{ id: `call-${calls}`, tool, arguments: { path: LONG }, started: NOW, duration: 12, state, progress: null },
    ...{ result: "ok", line: 2, agent: null, inside: [] },
  };
}
