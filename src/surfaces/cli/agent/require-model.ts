import type { Config } from "../../../config/config.ts";
import { waitingItems } from "../../../config/trust/trust.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isLocalProvider, listProviderModels, providerNames } from "../../../runtime/models/list-models.ts";
import { toModelPlace } from "../../../runtime/models/model-place.ts";
import { PROVIDERS } from "../../../runtime/models/providers.ts";
import type { ModelChoices } from "../../http/api/api.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { Io } from "../terminal/io.ts";

/** Says what to do where no model is chosen: which keys are there, which servers answer here, and how to try it without. */
export async function requireModel({ io }: CommandInput, config: Config): Promise<void> {
  const missing = await adviseModel(io.env, config, ON_THE_COMMAND_LINE);
  if (missing !== null) throw new ToolcribError("model.unknown", missing);
}

/** How a person names a model where they are asked to. */
interface ModelNaming {
  /** What to do. */
  readonly advice: string;
  /** How one is named. */
  name(model: string): string;
}

const ON_THE_COMMAND_LINE: ModelNaming = {
  advice: "pass --model PROVIDER/ID, or set model in toolcrib.yaml",
  name: (model) => `--model ${model}`,
};

/** Null where a model is chosen. */
export async function adviseModel(env: Io["env"], config: Config, naming: ModelNaming): Promise<string | null> {
  const choices = await findModelChoices(env, config);
  return choices === null ? null : toAdvice(choices, naming);
}

/** Where a model could come from; null where one is chosen. */
export async function findModelChoices(env: Io["env"], config: Config): Promise<ModelChoices | null> {
  const { model, agents, agent, trust } = config;
  const selected = agent === null ? undefined : agents.get(agent.value);
  if (model !== null || (selected?.model ?? null) !== null) return null;
  const providers = [...PROVIDERS];
  return {
    waiting: waitingItems(trust)
      .filter(({ what }) => what === "model" || what === "agent" || what === "provider")
      .map(({ what, name, origin }) => ({ what, name, place: formatOrigin(origin) })),
    keys: providers.flatMap(([provider, { keyVariables }]) =>
      keyVariables.filter((variable) => (env[variable] ?? "") !== "").map((variable) => ({ provider, variable })),
    ),
    reachable: await findReachable(env, config),
    looked: {
      variables: providers.flatMap(([, { keyVariables }]) => keyVariables),
      servers: providers.flatMap(([name, { local }]) => (local === true ? [name] : [])),
    },
  };
}

function toAdvice({ waiting, keys, reachable, looked }: ModelChoices, { advice, name: toName }: ModelNaming): string {
  return [
    `no model is chosen: ${advice}`,
    ...waiting.map(
      ({ what, name, place }) =>
        `  ${what === "model" ? "the model" : `${what} ${name}`} in ${place} counts once you trust it: toolcrib trust`,
    ),
    ...keys.map(({ provider, variable }) => `  ${variable} is set: ${toName(`${provider}/ID`)}`),
    ...reachable.map(({ provider, model, isLocal }) => {
      const where = isLocal ? "on this machine" : "as configured";
      return `  ${provider} answers ${where}: ${toName(`${provider}/${model}`)}`;
    }),
    ...(keys.length + reachable.length > 0
      ? []
      : [`  looked for: ${looked.variables.join(", ")}, and for a local server of ${looked.servers.join(", ")}`]),
    "  for all that can be reached: toolcrib models",
    `  to try it without a model: ${toName("scripted:FILE")} plays the replies in a YAML file (replies: [{ text: Hello. }])`,
  ].join("\n");
}

const PATIENCE = 500;

/** Servers on this machine and configured providers that answer at once, each with one of its models. */
async function findReachable(env: Io["env"], config: Config): Promise<ModelChoices["reachable"]> {
  const place = toModelPlace({ env, cwd: "" }, config);
  const asked = providerNames(place).filter((name) => isLocalProvider(name) || Object.hasOwn(config.providers, name));
  const signal = AbortSignal.timeout(PATIENCE);
  const found = await Promise.all(asked.map((name) => listProviderModels(name, place, signal)));
  return found.flatMap(({ provider, models: [model] }) =>
    model === undefined ? [] : [{ provider, model, isLocal: isLocalProvider(provider) }],
  );
}
