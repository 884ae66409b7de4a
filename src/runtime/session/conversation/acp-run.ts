import type { Config } from "../../../config/config.ts";
import { createHostGate, REVIEW } from "../../../config/host-gate.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import type { AcpConfig } from "../../../config/shape/server-shape.ts";
import { acpProgram } from "../../../config/trust/host-programs.ts";
import { defaultOrigin } from "../../../core/codes/origin.ts";
import type { RunStopReason } from "../../../core/events/turn-events.ts";
import { type AcpAgent, openAcpAgent } from "../../../sources/acp/acp-agent.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import type { ChildRun, NewAgent } from "../../agents/agent-node.ts";
import type { Emitter } from "../../events/emitter.ts";
import { NOTHING_USED } from "../../loop/run-totals.ts";
import type { RunEnd } from "../../loop/run-types.ts";
import type { ChildPorts, Employer } from "./child-ports.ts";
import { judgeAsked } from "./judge-asked.ts";
import { prepareChild } from "./open-child.ts";

/** Milliseconds that such an agent may work, and how often hooks and messages send it on. */
const LONGEST_RUN = 3_600_000;
const SENT_ON = 10;

/** A subagent that another program is (B8). Its session here is what its questions are judged by, and runs nothing. */
export async function openAcpRun(
  { id, agent: name, inbox }: NewAgent,
  acp: AcpConfig,
  employer: Employer,
  { around, emit, tree }: Pick<ChildPorts, "around" | "emit" | "tree">,
): Promise<ChildRun> {
  if (acp.unset.length > 0) throw new Error(`The agent "${name}" needs ${acp.unset.join(", ")}, which is not set.`);
  const { node, session: parent, setting } = employer;
  const place = { id, name, depth: node.depth + 1, folder: null, isOutside: true };
  const { open, follow } = prepareChild(employer, place);
  const child = await open(tree.portOf(node));
  const stopFollowing = follow(child);
  const tell: Emitter["emit"] = (type, data) => emit(type, data, id);
  child.on("*", ({ type, data }) => tell(type, data));
  let agent: AcpAgent | null = null;
  let turns = 0;

  const say = async (prompt: string, signal: AbortSignal): Promise<RunEnd> => {
    const messageId = around.newId();
    tell("user.message", { messageId, content: [{ type: "text", text: prompt }], source: "agent" });
    const replyId = around.newId();
    if (agent === null) refuseHeld(name, acp, parent.config, around.env, setting.cwd);
    agent ??= await openAcpAgent(
      {
        name,
        argv: [acp.command, ...acp.args],
        cwd: acp.cwd ?? setting.cwd,
        env: around.env,
        extra: Object.fromEntries(acp.env),
        version: setting.version,
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
    get totals() {
      return { ...NOTHING_USED, turns, cost: null };
    },
    async run(prompt, given) {
      const signal = AbortSignal.any([given, AbortSignal.timeout(LONGEST_RUN)]);
      const own = { id, name };
      const hooks = await child.calls();
      let end = await say([prompt, ...(await hooks.starting(own))].join("\n\n"), signal);
      for (let sentOn = 0; sentOn < SENT_ON && end.stopReason === "end"; sentOn += 1) {
        const next = inbox.shift() ?? (await hooks.stopping(sentOn > 0, own));
        if (next === null) break;
        end = await say(next, signal);
      }
      return end;
    },
    async close() {
      await agent?.close();
      stopFollowing();
      await child.close();
      return null;
    },
  };
}

/** Its files have to be what was trusted, each time that it starts. */
function refuseHeld(
  name: string,
  acp: AcpConfig,
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  workspace: string,
): void {
  const origin = config.agents.get(name)?.origin ?? defaultOrigin;
  const gate = createHostGate(config, { workspace, home: homeFolder(env) });
  const why = gate.refuses(acpProgram(name, acp, origin, { workspace }));
  if (why !== null) throw new Error(`The agent "${name}" is not started, because ${why}. ${REVIEW}`);
}

const STOP_REASONS: ReadonlyMap<string, RunStopReason> = new Map([
  ["end_turn", "end"],
  ["cancelled", "aborted"],
  ["refusal", "refusal"],
  ["max_tokens", "max-tokens"],
  ["max_turn_requests", "max-turns"],
]);
