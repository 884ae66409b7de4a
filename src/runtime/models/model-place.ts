import type { Config } from "../../config/config.ts";
import type { ModelPlace } from "./find-model.ts";

/** Where models are looked for: providers that a program brings come before those of the configuration. */
export function toModelPlace(
  { env, cwd }: Pick<ModelPlace, "env" | "cwd">,
  config: Pick<Config, "providers">,
  { providers, fetch }: Pick<ModelPlace, "providers" | "fetch"> = {},
): ModelPlace {
  return { env, cwd, providers: { ...config.providers, ...providers }, ...(fetch === undefined ? {} : { fetch }) };
}
