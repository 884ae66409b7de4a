import { toNotification } from "../../../core/agent/between-agents.ts";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import type { SessionEvents } from "../../../core/events/event-types.ts";
import type { Surroundings } from "../../../system/surroundings.ts";
import type { AgentNode, ChildRun, NewAgent } from "../../agents/agent-node.ts";
import { describeEnd } from "../../agents/describe-end.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { InputMessage } from "../../loop/input-message.ts";
import { addTotals, fromUsage, NOTHING_USED } from "../../loop/run-totals.ts";
import type { SessionBase } from "../tools/session.ts";
import type { SessionSetting } from "../tools/setting.ts";
import type { ChildPorts, Employer } from "./child-ports.ts";
import { createExchange } from "./exchange.ts";
import { createModelFinder, toLoopSetting } from "./loop-setting.ts";
import { listStartable } from "./startable-agents.ts";

/** A subagent has its own session and history, and writes into its root's journal. */
export async function openChildRun(
  { id, agent, model: wanted, inbox }: NewAgent,
  employer: Employer,
  ports: ChildPorts,
): Promise<ChildRun> {
  const { root, tree, given, around } = ports;
  const acp = employer.session.config.agents.get(agent)?.acp ?? null;
  if (acp !== null) return (await import("./acp-run.ts")).openAcpRun({ id, agent, inbox }, acp, employer, ports);
  const [{ runLoop }, { followHistory }, { prepareChild }] = await Promise.all([
    import("../../loop/run-loop.ts"),
    import("../../loop/conversation-history.ts"),
    import("./open-child.ts"),
  ]);
  let totals = NOTHING_USED;
  const tell: Emitter["emit"] = (name, data) => {
    ports.emit(name, data, id);
    if (name === "assistant.usage") totals = addTotals(totals, fromUsage(data as SessionEvents["assistant.usage"])); // `emit` ties data to its name.
  };
  const toSaid = (text: string): InputMessage => ({
    messageId: around.newId(),
    content: [{ type: "text", text }],
    source: "peer",
  });
  const worktree = await checkOut(employer, agent, around);
  const depth = employer.node.depth + 1;
  const folder = worktree?.folder ?? null;
  const { base, setting, open, follow } = prepareChild(employer, { id, name: agent, model: wanted, depth, folder });
  const { node, end } = createNode(id, inbox, employer.node, setting, {
    known: () => listStartable(base.config, setting),
    open: (next, node) => openChildRun(next, { node, session: base, setting }, ports),
  });
  const child = await open(tree.portOf(node)).catch(async (error: unknown) => {
    await worktree?.close();
    throw error;
  });
  const stopFollowing = follow(child);
  // At once, so that waiting until everything is stored includes this.
  child.live((event: SessionEvent) => {
    if (!isSaidAbove(event, employer.session)) tell(event.type, event.data);
  });
  const history = followHistory(id, { history: [], past: [] }, root.live);
  return {
    get totals() {
      return totals;
    },
    async run(prompt, signal) {
      const messageId = around.newId();
      const calls = await child.calls();
      const own = { id, name: agent };
      const said = [prompt, ...(await calls.starting(own))].map((text) => ({ type: "text", text }) as const);
      tell("user.message", { messageId, content: said, source: "agent" });
      const model = await createModelFinder({ setting, given, around })(child);
      const loop = await toLoopSetting(child, createExchange(child, tell), model, {
        ...{ setting, given, around, emit: tell, agent, stored: root.stored },
        history: history.items,
        usedBelow: () => tree.usedBelow(node),
      });
      return runLoop(loop, {
        messageId,
        limits: { ...CHILD_LIMITS, turns: child.config.agents.get(agent)?.maxTurns ?? CHILD_LIMITS.turns },
        signal,
        takeSteered: () => inbox.splice(0).map(toSaid),
        takeNotes: () => [],
        hooks: {
          prompt: async (text) => ({ prompt: text, additionalContext: [], blocked: null }),
          stopping: (isAgain) => calls.stopping(isAgain, own),
          compacting: calls.compacting,
          failed: calls.failed,
        },
      });
    },
    async close() {
      end();
      stopFollowing();
      history.close();
      await child.close();
      return (await worktree?.close()) ?? null;
    },
  };
}

/** What is odd about the configuration of both is its parent's to report. */
function isSaidAbove({ type, data }: SessionEvent, { config }: SessionBase): boolean {
  const isNotice = type === "session.warning" || type === "session.info";
  return isNotice && config.notices.some(({ text }) => text === data.text);
}

/** Its place in the tree: the ends of its own agents are for it to read, and after its end for its parent. */
function createNode(
  id: string,
  inbox: string[],
  parent: AgentNode,
  { describeEnd: describe = describeEnd }: SessionSetting,
  {
    known,
    open,
  }: Pick<AgentNode, "known"> & { readonly open: (child: NewAgent, node: AgentNode) => Promise<ChildRun> },
): { readonly node: AgentNode; end(): void } {
  let isOver = false;
  const node: AgentNode = {
    ...{ id, depth: parent.depth + 1, parent, known },
    open: (child) => open(child, node),
    report(end) {
      if (isOver) parent.report(end);
      else inbox.push(toNotification(describe(end)));
    },
    tell: () => false,
  };
  return {
    node,
    end() {
      isOver = true;
    },
  };
}

const CHILD_LIMITS = { turns: 100, tokens: null, cost: null, time: 3_600_000 };

async function checkOut({ session, setting }: Employer, agent: string, { env }: Surroundings) {
  const { withShippedAgents } = await import("../../agents/shipped-agents.ts");
  if (withShippedAgents(session.config.agents, setting.shippedAgents?.()).get(agent)?.worktree !== true) return null;
  const { workspace } = setting;
  if (workspace === null) throw new Error(`the agent "${agent}" needs a git worktree, and there is no workspace`);
  const { createWorktree } = await import("../../agents/worktree.ts");
  return createWorktree(workspace, env);
}
