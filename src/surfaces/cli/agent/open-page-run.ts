import type { Config } from "../../../config/config.ts";
import { sourced } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { MODES } from "../../../core/scene/scene.ts";
import { withShippedAgents } from "../../../runtime/agents/shipped-agents.ts";
import type { Crib } from "../../../runtime/crib/crib.ts";
import { findModel } from "../../../runtime/models/find-model.ts";
import { toModelPlace } from "../../../runtime/models/model-place.ts";
import type { AgentSession, AgentSetting } from "../../../runtime/session/open-agent.ts";
import type { RunSetup, WantedRun } from "../../http/api/api.ts";
import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { NO_OVERRIDES, readOverrides, stackOverrides } from "../command-line/overrides.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { canKeep, keepJournal } from "../stored/keep-journal.ts";
import { openConfiguredAgent, type People } from "./agent-session.ts";
import { adviseModel, findModelChoices } from "./require-model.ts";

const BY = { kind: "call", call: "the inspector" } as const;
const ON_THE_PAGE = { advice: "name one here as PROVIDER/ID, or set model in toolcrib.yaml", name: (id: string) => id };

/** What a run would begin with if nothing else were asked for. */
export async function describeSetup(input: CommandInput): Promise<Omit<RunSetup, "refusal">> {
  const config = await loadWanted(input, { prompt: "" });
  const { model, agent, agents, permissions } = config;
  return {
    model: model?.value.id ?? null,
    agent: agent?.value ?? null,
    mode: permissions.mode.value,
    agents: [...withShippedAgents(agents).keys()],
    missing: await findModelChoices(input.io.env, config),
    keeps: await canKeep(input),
  };
}

/** Opens the agent that the page asks for. Managed policy counts above what is asked. */
export async function openPageRun(
  input: CommandInput,
  wanted: WantedRun,
  people: People,
  {
    openSource: open,
    beforeRun,
    limitModel,
  }: Pick<Crib, "openSource" | "beforeRun"> & Pick<AgentSetting, "limitModel">,
): Promise<AgentSession> {
  const config = await loadWanted(input, wanted);
  const missing = await adviseModel(input.io.env, config, ON_THE_PAGE);
  if (missing !== null) throw new ToolcribError("model.unknown", missing);
  // A key that is missing is better known before anything is opened.
  if (config.model !== null)
    await findModel(config.model.value.id, config.model.value.provider, toModelPlace(input.io, config));
  const kept = (await canKeep(input)) ? await keepJournal(input, null) : null;
  try {
    const options = wanted.model === undefined ? {} : { model: wanted.model };
    return await openConfiguredAgent(input, config, people, kept === null ? null : { kept, options }, {
      ...{ open, beforeRun, limitModel },
    });
  } catch (error) {
    await kept?.recorder.close();
    throw error;
  }
}

async function loadWanted(input: CommandInput, { model, agent, mode }: WantedRun): Promise<Config> {
  const asked = {
    ...NO_OVERRIDES,
    model: model === undefined ? null : sourced(model, BY),
    agent: agent === undefined ? null : sourced(agent, BY),
    mode: mode === undefined ? null : sourced(parseWord("the mode", mode, MODES), BY),
  };
  return loadAsked(input, stackOverrides(readOverrides(input.args), asked));
}
