import type { Config } from "../../../config/config.ts";
import { expandCommand, namedPrompt } from "../../../core/agent/prompt-command.ts";
import { type NameList, nameList, type Sourced } from "../../../core/codes/origin.ts";
import { unknownAgent } from "../../../core/scene/unknown-agent.ts";
import { SHIPPED } from "../../agents/shipped-agents.ts";
import type { OpenSession } from "../tools/session.ts";

/** What a person said, and what a named prompt says about the run that works on it. */
export interface SaidPrompt {
  readonly prompt: string;
  readonly agent: Sourced<string> | null;
  readonly limits: Config["limits"];
}

const LOOKING = ["read", "search", "web"];
/** The agents that VS Code brings, by what they can do there; null is everything. */
const VSCODE_AGENTS: ReadonlyMap<string, readonly string[] | null> = new Map([
  ["agent", null],
  ["ask", LOOKING],
  ["edit", [...LOOKING, "edit"]],
  ["plan", [...LOOKING, "agent", "ask_user"]],
]);

/** Text as it is, and `/name` as the prompt of that name. Throws if its agent does not exist. */
export function readSaid(said: string, { commands, agents }: Pick<Config, "commands" | "agents">): SaidPrompt {
  const prompt = expandCommand(said, commands) ?? said;
  const command = namedPrompt(said, commands);
  if (command === undefined) return { prompt, agent: null, limits: [] };
  const { tools, agent } = command;
  const only: NameList[] = tools === null || tools.value.some(({ value }) => value === "*") ? [] : [tools];
  const isOwn = agent !== null && agents.has(agent.value);
  if (agent !== null && !isOwn) {
    const known = toolsOfKnown(agent.value);
    if (known === undefined) {
      const names = [...agents.keys()];
      throw unknownAgent(
        agent,
        names,
        names.length === 0 ? "no agent is configured" : `there are ${names.join(", ")}`,
        "",
      );
    }
    if (known !== null) only.push(nameList(known, agent.origin));
  }
  const limits = only.map((include) => ({ include, exclude: nameList([]), by: "prompt" as const }));
  return { prompt, agent: isOwn ? agent : null, limits };
}

/** Of an agent that ships here or with VS Code; undefined if there is no such agent. */
function toolsOfKnown(name: string): readonly string[] | null | undefined {
  const shipped = SHIPPED.find((one) => one.name === name);
  if (shipped === undefined || VSCODE_AGENTS.has(name)) return VSCODE_AGENTS.get(name);
  return shipped.tools?.value.map(({ value }) => value) ?? null;
}

/** Sends it; its agent and its limits hold until `send` is over. */
export async function sendSaid<T>(
  session: Pick<OpenSession, "config" | "reconfigure">,
  { prompt, agent, limits }: SaidPrompt,
  send: (prompt: string) => PromiseLike<T>,
): Promise<T> {
  if (agent === null && limits.length === 0) return send(prompt);
  const { agent: before } = session.config;
  await session.reconfigure({
    ...session.config,
    ...(agent === null ? {} : { agent }),
    limits: [...session.config.limits, ...limits],
  });
  try {
    return await send(prompt);
  } finally {
    const { config } = session;
    await session
      .reconfigure({
        ...config,
        // Somebody may have chosen another one since.
        ...(agent !== null && config.agent === agent ? { agent: before } : {}),
        limits: config.limits.filter((limit) => !limits.includes(limit)),
      })
      // A session that was closed needs nothing back.
      .catch(() => {});
  }
}
