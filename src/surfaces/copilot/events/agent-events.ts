import type { SessionEvent } from "../../../core/events/envelope.ts";
import { type Live, tellIdle } from "../state/live.ts";
import { agentNotice } from "../tools/agent-notice.ts";
import { agentsOfApp } from "../tools/given-agents.ts";
import { agentsOf } from "../tools/known-agents.ts";
import { type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";

/** Keeps up which agents work in the background, and tells of those that are done. */
export function followAgents(live: Live, event: SessionEvent): void {
  switch (event.type) {
    case "subagent.started": {
      const { agentId, toolCallId, mode } = event.data;
      const { agent_type, name, prompt } = argumentsOf(live, toolCallId);
      agentsOf(live).set(agentId, {
        type: textOf(agent_type) ?? event.data.agentName,
        name: textOf(name) ?? agentId,
        toolCallId,
        prompt: textOf(prompt) ?? "",
        isBackground: mode === "background",
        startedAt: event.at,
      });
      if (mode === "background") live.background.add(agentId);
      return;
    }
    case "system.notification":
      if (event.data.kind.type === "agent_completed") live.background.delete(event.data.kind.agentId);
      return;
    case "session.idle":
      // Of a run that an agent's report began; others are told once nothing waits.
      if (!live.running) tellIdle(live);
  }
}

/** What clients call the agent of an event. */
export function nameAgent(live: Live, data: Json, agentId: string): Json {
  const type = agentsOf(live).get(agentId)?.type;
  if (type === undefined) return data;
  const custom = agentsOfApp(live).find(({ name }) => name === type);
  return {
    ...data,
    agentName: type,
    agentDisplayName: textOf(custom?.displayName) ?? type,
    ...(data.agentDescription === undefined
      ? {}
      : { agentDescription: textOf(custom?.description) ?? data.agentDescription }),
  };
}

/** The end of an agent in the words of these clients. */
export function nameNotice(live: Live, data: Json): Json {
  const kind = recordOf(data.kind);
  const id = textOf(kind.agentId);
  if (id === undefined) return { content: data.content, kind };
  const { name: agentId = id, type: agentType = kind.agentType } = agentsOf(live).get(id) ?? {};
  const status = kind.status === "completed" ? "completed" : "failed";
  return { content: agentNotice(id, status === "completed", live), kind: { ...kind, status, agentId, agentType } };
}

/** As the model wrote them, or the client that started it. */
function argumentsOf(live: Live, toolCallId: string): Json {
  const given = live.facts.get(`task ${toolCallId}`);
  if (given !== undefined) return recordOf(given);
  const asked = live.log
    .flatMap(({ data }) => recordsOf(data.toolRequests))
    .findLast((request) => request.toolCallId === toolCallId);
  return recordOf(asked?.arguments);
}
