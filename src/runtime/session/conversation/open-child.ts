import type { Config } from "../../../config/config.ts";
import { serversOf } from "../../../config/servers-of.ts";
import type { AgentConfig } from "../../../config/shape/agent-shape.ts";
import { isServer, type Source } from "../../../sources/source.ts";
import { noneOf, PATIENCE, toChildConfig } from "../../agents/child-config.ts";
import { derive } from "../sources/with-client.ts";
import { toChildJournal } from "../stored/session-journal.ts";
import { type OpenSession, type PreparedSession, prepareSession } from "../tools/session.ts";
import { createSessionEmitter, type SessionSetting } from "../tools/setting.ts";
import type { Employer } from "./child-ports.ts";
import { followParent } from "./follow-parent.ts";

/** The agent that is to be opened. */
export interface ChildPlace {
  /** As its run is known. */
  readonly id: string;
  readonly name: string;
  /** In place of its own. */
  readonly model?: string | undefined;
  readonly depth: number;
  /** The folder that it works in, in place of its parent's. */
  readonly folder: string | null;
  /** What it runs is outside our sandbox, whatever that lets pass. */
  readonly isOutside?: boolean;
}

interface PreparedChild extends PreparedSession {
  readonly setting: SessionSetting;
  /** From now on what its parent may not do any longer counts for it too; returns how to stop. */
  follow(child: OpenSession): () => void;
}

/**
 * The session of a subagent: the same gates in a child scene. Its parent's filters, rules, mode and limits hold, its own
 * lists narrow further, and its own servers come with it. Servers, modules and the program's tools that run for the
 * parent are shared and stay open; what tools keep between calls is the child's own (A4).
 */
export function prepareChild(
  { session: parent, setting }: Pick<Employer, "session" | "setting">,
  { id, name, model, depth, folder, isOutside = false }: ChildPlace,
): PreparedChild {
  const before = parent.config;
  const { config, agent } = toChildConfig(before, name, depth, { shipped: setting.shippedAgents?.(), model });
  const known = serversOf(before);
  const own = serversOf(config);
  // One that the agent itself has under the same name is another server.
  const isSame = ({ name: server }: Source): boolean => !own.has(server) || own.get(server) === known.get(server);
  const servers = new Map(parent.sources.filter((one) => isServer(one) && isSame(one)).map((one) => [one.name, one]));
  const numbers = new Map<Source, number>();
  const numberOf = (source: Source): number => {
    const number = numbers.get(source) ?? numbers.size;
    numbers.set(source, number);
    return number;
  };
  const open = setting.open ?? ((wanted) => wanted.open());
  const childSetting: SessionSetting = {
    ...setting,
    ...(folder === null ? {} : { cwd: folder, workspace: folder }),
    ...{ agentId: id, isOutside },
    // The model that a program changed is that of the session's own agent.
    facts: () => ({ ...setting.facts?.(), modelIsForced: false }),
    sources: () =>
      parent.sources
        .filter((source) => isShared(source, parent.config))
        .map((source) => ({ key: `parent ${numberOf(source)}`, open: async () => share(source) })),
    open: async (wanted) => {
      const running = wanted.server === undefined ? undefined : servers.get(wanted.server);
      return running === undefined ? open(wanted) : share(running);
    },
    // Calls are refused like the parent's; what its searches loaded, its mode and the log of all calls stay its own.
    beforeRun: setting.audit?.beforeRun ?? setting.beforeRun,
    promoted: undefined,
    audit: undefined,
    onModeSet: undefined,
    journal: setting.journal && toChildJournal(setting.journal),
  };
  const prepared = prepareSession(config, childSetting, createSessionEmitter(childSetting));
  return {
    ...prepared,
    setting: childSetting,
    follow: (child) => followParent(parent, child, before, { name, depth, shippedAgents: setting.shippedAgents }),
    async open(agents) {
      const child = await prepared.open(agents);
      try {
        await child.settled(AbortSignal.timeout(PATIENCE));
        refuseWithoutTools(child, agent);
        return child;
      } catch (error) {
        await child.close();
        throw error;
      }
    },
  };
}

/**
 * Built-ins and skills hold what only one agent knows: its steps, its shells, what it has loaded. Configured servers are
 * wanted by name; those that only the parent has stay the parent's.
 */
function isShared(source: Source, { servers, agent, agents }: Config): boolean {
  const { kind, name } = source;
  if (kind === "builtin" || kind === "skill") return false;
  const own = agent === null ? undefined : agents.get(agent.value)?.servers;
  return !isServer(source) || (!servers.has(name) && own?.has(name) !== true);
}

function share(source: Source): Source {
  return derive(source, { close: async () => {} });
}

/** An agent that names tools and gets none would only waste its run (A5). */
function refuseWithoutTools({ toolset }: OpenSession, { name, tools }: AgentConfig): void {
  if (tools === null || tools.value.length === 0) return;
  if (toolset.placements.some(({ standing }) => standing !== "hidden")) return;
  const listed = tools.value.map(({ value }) => value);
  throw noneOf(`the agent "${name}"`, listed);
}
