import type { AcpConfig } from "../../config/shape/server-shape.ts";
import type { RunStopReason } from "../../core/events/turn-events.ts";
import { type AcpAgent, openAcpAgent } from "../../sources/acp/acp-agent.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import type { ChildRun } from "../agents/agents.ts";
import type { Emitter } from "../events/emitter.ts";
import { NOTHING_USED, type RunEnd } from "../loop/run-loop.ts";
import { judgeAsked } from "./judge-asked.ts";
import { openChild } from "./open-child.ts";
import type { OpenSession } from "./session.ts";
import type { SessionSetting } from "./setting.ts";
import type { Surroundings } from "./surroundings.ts";

interface AcpRunPorts {
  readonly id: string;
  readonly name: string;
  readonly acp: AcpConfig;
  readonly parent: OpenSession;
  readonly setting: () => SessionSetting;
  readonly around: Surroundings;
  readonly emit: Emitter["emit"];
}

/** Milliseconds that such an agent may work, and how often hooks and messages send it on. */
const LONGEST_RUN = 3_600_000;
const SENT_ON = 10;

/** A subagent that another program is (B8). Its session here is what its questions are judged by, and runs nothing. */
export async function openAcpRun(ports: AcpRunPorts): Promise<ChildRun> {
  const { id, name, acp, parent, around } = ports;
  if (acp.unset.length > 0) throw new Error(`The agent "${name}" needs ${acp.unset.join(", ")}, which is not set.`);
  const { calls, ...rest } = ports.setting();
  // What it runs is outside our sandbox, whatever that lets pass.
  const judging = calls === undefined ? rest : { ...rest, calls: { ...calls, confinement: () => null } };
  const child = await openChild(parent, judging, name);
  const tell: Emitter["emit"] = (type, data) => ports.emit(type, data, id);
  child.on("*", ({ type, data }) => tell(type, data));
  const waiting: string[] = [];
  let agent: AcpAgent | null = null;
  let turns = 0;

  const say = async (prompt: string, signal: AbortSignal): Promise<RunEnd> => {
    const messageId = around.newId();
    tell("user.message", { messageId, content: [{ type: "text", text: prompt }], source: "agent" });
    const replyId = around.newId();
    agent ??= await openAcpAgent(
      {
        name,
        argv: [acp.command, ...acp.args],
        cwd: acp.cwd ?? rest.place.cwd,
        env: around.env,
        extra: Object.fromEntries(acp.env),
        version: rest.place.version,
        clock: around.clock,
        spawn: spawnProcess,
        permits: (asked, gone) => judgeAsked(child, asked, AbortSignal.any([gone, signal])),
        onText: (deltaContent) => tell("assistant.message_delta", { messageId: replyId, deltaContent }),
      },
      signal,
    );
    const { stopReason, text } = await agent.prompt(prompt, signal);
    turns += 1;
    const content = [{ type: "text" as const, text }];
    const about = { messageId: replyId, originatingMessageId: messageId, native: null, model: `acp:${name}` };
    if (text !== "") tell("assistant.message", { ...about, content, stop: stopReason });
    return {
      stopReason: STOP_REASONS.get(stopReason) ?? "error",
      text,
      totals: { ...NOTHING_USED, turns, cost: null },
    };
  };
  return {
    get turns() {
      return turns;
    },
    send: (message) => void waiting.push(`A message of another agent, for your information:\n${message}`),
    async run(prompt, given) {
      const signal = AbortSignal.any([given, AbortSignal.timeout(LONGEST_RUN)]);
      const own = { id, name };
      const hooks = await child.calls();
      let end = await say([prompt, ...(await hooks.starting(own))].join("\n\n"), signal);
      for (let sentOn = 0; sentOn < SENT_ON && end.stopReason === "end"; sentOn += 1) {
        const next = waiting.shift() ?? (await hooks.stopping(sentOn > 0, own));
        if (next === null) break;
        end = await say(next, signal);
      }
      return end;
    },
    async close() {
      await agent?.close();
      await child.close();
    },
  };
}

const STOP_REASONS: ReadonlyMap<string, RunStopReason> = new Map([
  ["end_turn", "end"],
  ["cancelled", "aborted"],
  ["refusal", "refusal"],
  ["max_tokens", "max-tokens"],
  ["max_turn_requests", "max-turns"],
]);
