import type { Config } from "../../config/config.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { PROVIDERS } from "../../runtime/models/providers.ts";
import type { CommandInput } from "./command.ts";

/** Says what to do where no model is chosen: which keys are there, which servers answer here, and how to try it without. */
export async function requireModel({ io }: CommandInput, { model, agents, agent }: Config): Promise<void> {
  const selected = agent === null ? undefined : agents.get(agent.value);
  if (model !== null || (selected?.model ?? null) !== null) return;
  const keys = [...PROVIDERS].flatMap(([name, { keyVariables }]) =>
    keyVariables.filter((variable) => (io.env[variable] ?? "") !== "").map((variable) => ({ name, variable })),
  );
  const local = await findLocal();
  const lines = [
    "no model is chosen: pass --model PROVIDER/ID, or set model in toolcrib.yaml",
    ...keys.map(({ name, variable }) => `  ${variable} is set: --model ${name}/ID`),
    ...local.map(({ name, id }) => `  ${name} answers on this machine: --model ${name}/${id}`),
    ...(keys.length + local.length > 0
      ? []
      : [
          `  looked for: ${[...PROVIDERS.values()].flatMap(({ keyVariables }) => keyVariables).join(", ")}, and for a local server of ${localNames().join(", ")}`,
        ]),
    "  to try it without a model: --model scripted:FILE plays the replies in a YAML file (replies: [{ text: Hello. }])",
  ];
  throw new ToolcribError("model.unknown", lines.join("\n"));
}

function localNames(): readonly string[] {
  return [...PROVIDERS].flatMap(([name, { local }]) => (local === true ? [name] : []));
}

const PATIENCE = 500;

/** Servers on this machine that answer at once, each with one of its models. */
async function findLocal(): Promise<readonly { readonly name: string; readonly id: string }[]> {
  const asked = [...PROVIDERS].flatMap(([name, { local, baseUrl }]) =>
    local === true && baseUrl !== null ? [{ name, url: `${baseUrl}/models` }] : [],
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
