import type { Config } from "../../../config/config.ts";
import { waitingItems } from "../../../config/trust/trust.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { PROVIDERS, providerAddress } from "../../../runtime/models/providers.ts";
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
export async function adviseModel(
  env: Io["env"],
  { model, agents, agent, trust }: Config,
  { advice, name: toName }: ModelNaming,
): Promise<string | null> {
  const selected = agent === null ? undefined : agents.get(agent.value);
  if (model !== null || (selected?.model ?? null) !== null) return null;
  const keys = [...PROVIDERS].flatMap(([name, { keyVariables }]) =>
    keyVariables.filter((variable) => (env[variable] ?? "") !== "").map((variable) => ({ name, variable })),
  );
  const local = await findLocal(env);
  const waiting = waitingItems(trust).filter(({ what }) => what === "model" || what === "agent");
  return [
    `no model is chosen: ${advice}`,
    ...waiting.map(
      ({ what, name, origin }) =>
        `  ${what === "model" ? "the model" : `agent ${name}`} in ${formatOrigin(origin)} counts once you trust it: toolcrib trust`,
    ),
    ...keys.map(({ name, variable }) => `  ${variable} is set: ${toName(`${name}/ID`)}`),
    ...local.map(({ name, id }) => `  ${name} answers on this machine: ${toName(`${name}/${id}`)}`),
    ...(keys.length + local.length > 0
      ? []
      : [
          `  looked for: ${[...PROVIDERS.values()].flatMap(({ keyVariables }) => keyVariables).join(", ")}, and for a local server of ${localNames().join(", ")}`,
        ]),
    `  to try it without a model: ${toName("scripted:FILE")} plays the replies in a YAML file (replies: [{ text: Hello. }])`,
  ].join("\n");
}

function localNames(): readonly string[] {
  return [...PROVIDERS].flatMap(([name, { local }]) => (local === true ? [name] : []));
}

const PATIENCE = 500;

/** Servers on this machine that answer at once, each with one of its models. */
async function findLocal(env: Io["env"]): Promise<readonly { readonly name: string; readonly id: string }[]> {
  const asked = [...PROVIDERS].flatMap(([name, provider]) =>
    provider.local === true ? [{ name, url: `${providerAddress(provider, env)}/models` }] : [],
  );
  const found = await Promise.all(
    asked.map(async ({ name, url }) => {
      try {
        const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
        const said = (await response.json()) as { data?: readonly { id?: unknown }[] }; // Looked at below.
        const id = said.data?.[0]?.id;
        return typeof id === "string" ? [{ name, id }] : [];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
