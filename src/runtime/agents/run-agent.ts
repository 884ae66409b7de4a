import type { Slots } from "../../system/slots.ts";
import type { AgentTreePorts, StartedAgent } from "./agent-node.ts";

/** From its slot to its end; any failure becomes its text. Never rejects. */
export async function runAgent(one: StartedAgent, slots: Slots, { emit, now }: AgentTreePorts): Promise<void> {
  const { id, task, toolCallId, stop, parent } = one;
  const about = { agentId: id, agentName: task.agent, toolCallId };
  try {
    if ((await slots.take(stop.signal)) === null) throw stop.signal.reason;
    try {
      one.status = "running";
      const { description, mode } = task;
      emit("subagent.started", { ...about, description, mode, parentId: parent.id, team: one.team }, id);
      const child = await parent.open({ id, agent: task.agent, model: task.model, inbox: one.inbox });
      one.child = child;
      const { stopReason, text } = await child.run(task.prompt, stop.signal);
      one.text = text;
      one.status = stopReason === "aborted" ? "stopped" : DONE.has(stopReason) ? "completed" : "failed";
      if (one.status === "failed")
        one.text = `it ended with ${stopReason}${text === "" ? "" : `, and last said: ${text}`}`;
      if (one.status === "completed") emit("subagent.completed", { ...about, stopReason }, id);
      else emit("subagent.failed", { ...about, error: one.text || stopReason }, id);
    } finally {
      slots.leave();
      const left = (await one.child?.close()) ?? null;
      if (left !== null) one.text = one.text === "" ? left : `${one.text}\n\n${left}`;
    }
  } catch (error) {
    one.status = stop.signal.aborted ? "stopped" : "failed";
    one.text = error instanceof Error ? error.message : String(error);
    emit("subagent.failed", { ...about, error: one.text }, id);
  }
  one.ended = now();
  const { status } = one;
  const isReported = status !== "stopped" || stop.signal.reason === STOPPED_BY_OTHERS;
  if (task.mode === "background" && isReported) parent.report({ agentId: id, agentType: task.agent, status });
}

/** The reason of a stop that its starter does not know about. */
export const STOPPED_BY_OTHERS = "stopped by others";

const DONE: ReadonlySet<string> = new Set(["end", "terminal-tool"]);
