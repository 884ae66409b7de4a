import type { Live } from "../state/live.ts";
import { type Json, numberOf, recordOf, recordsOf, stated } from "../wire/wire-values.ts";

/** Tokens that a model reads and writes, as far as the app says. */
interface ModelLimits {
  /** All that it can hold. */
  readonly window?: number;
  /** Of it what may be sent. */
  readonly prompt?: number;
  readonly output?: number;
}

type Named = Pick<Live, "wire" | "model">;

/** What is said about the model itself counts over what is said about whoever serves it. */
export function limitsOf(live: Named): ModelLimits {
  const { wire } = live;
  const registered = registeredModel(live) ?? {};
  const said = [wire.modelCapabilities, registered.capabilities].map((one) => recordOf(recordOf(one).limits));
  const places = [registered, recordOf(wire.provider)];
  const first = (limit: string, field: string): number | undefined =>
    [...said.map((one) => one[limit]), ...places.map((one) => one[field])]
      .map(positive)
      .find((one) => one !== undefined);
  return stated({
    window: first("max_context_window_tokens", "maxContextWindowTokens"),
    prompt: first("max_prompt_tokens", "maxPromptTokens"),
    output: first("max_output_tokens", "maxOutputTokens"),
  });
}

/** The model of the app's registry that the session means. */
export function registeredModel({ wire, model }: Named): Json | undefined {
  return recordsOf(wire.models).find(({ provider, id }) => model === `${String(provider)}/${String(id)}`);
}

/** Whether it sees pictures; all do of which nobody says otherwise. */
export function sees(live: Named): boolean {
  const said = [live.wire.modelCapabilities, registeredModel(live)?.capabilities];
  const [vision = true] = said.flatMap((one) => recordOf(recordOf(one).supports).vision ?? []);
  return vision !== false;
}

function positive(value: unknown): number | undefined {
  const number = numberOf(value);
  return number === undefined || number <= 0 ? undefined : number;
}
