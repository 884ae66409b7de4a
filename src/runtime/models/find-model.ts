import { isAbsolute, resolve } from "node:path";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { anthropicWire } from "./anthropic-wire.ts";
import { chatWire } from "./chat-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { createHttpModel, type HttpModelOptions, type ModelCarrier } from "./http-model.ts";
import type { ModelClient, WireName } from "./model.ts";
import { PROVIDERS, type Provider, providerAddress, splitModelName } from "./providers.ts";
import { responsesWire } from "./responses-wire.ts";
import type { ModelWire } from "./wire.ts";

const WIRES: Readonly<Record<WireName, ModelWire>> = {
  anthropic: anthropicWire,
  "openai-responses": responsesWire,
  "openai-chat": chatWire,
  gemini: geminiWire,
};

/** A provider that a person or program added, or another address for a known one. */
export interface GivenProvider {
  readonly wire?: WireName;
  readonly baseUrl?: string;
  readonly key?: string | (() => string | null | Promise<string | null>);
  readonly headers?: Readonly<Record<string, string>>;
  /** False: replies are not streamed. */
  readonly stream?: boolean;
}

export interface ModelPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly providers?: Readonly<Record<string, GivenProvider>>;
  readonly fetch?: ModelCarrier;
}

const SCRIPTED = "scripted:";

/** The model that a name means: `provider/id`, a known id, or `scripted:FILE`. Sends nothing yet. */
export async function findModel(name: string, provider: string | null, place: ModelPlace): Promise<ModelClient> {
  if (name.startsWith(SCRIPTED)) {
    const { createScriptedModel, loadScript } = await import("./scripted-model.ts");
    const file = name.slice(SCRIPTED.length);
    return createScriptedModel(await loadScript(isAbsolute(file) ? file : resolve(place.cwd, file)), name);
  }
  const named = nameModel(name, provider, place);
  return openModel(named.provider, named.id, place);
}

/** The provider of the model that a name means, and its id. Needs neither a key nor a script. */
export function nameModel(
  name: string,
  provider: string | null,
  { providers }: Partial<ModelPlace>,
): Pick<ModelClient, "provider" | "id"> {
  if (name.startsWith(SCRIPTED)) return { provider: "scripted", id: name };
  const known = knownProviders(providers);
  const named = provider === null ? splitModelName(name, known) : { provider, id: name };
  if (named === null || !known.has(named.provider))
    throw noProvider(provider === null ? name : `${provider}/${name}`, known);
  return named;
}

/** The names of all, the shipped ones first. */
export function knownProviders(providers: ModelPlace["providers"] = {}): ReadonlySet<string> {
  return new Set([...PROVIDERS.keys(), ...Object.keys(providers)]);
}

function openModel(name: string, id: string, place: ModelPlace): ModelClient {
  const { wire, ...reached } = reachProvider(name, place);
  return createHttpModel(wire, { id, provider: name, ...reached });
}

/** Everything that a request to a provider takes. Throws `model.no-key` with what is missing. */
export function reachProvider(
  name: string,
  place: ModelPlace,
): Omit<HttpModelOptions, "id" | "provider"> & { readonly wire: ModelWire } {
  const given = place.providers?.[name];
  const shipped = PROVIDERS.get(name);
  const wire = given?.wire === undefined ? (shipped?.wire ?? chatWire) : WIRES[given.wire];
  const baseUrl = baseUrlOf(name, place);
  if (baseUrl === null) throw noAddress(name, shipped);
  return {
    wire: shipped?.headers === undefined ? wire : { ...wire, headers: shipped.headers },
    baseUrl,
    key: keyOf(name, given, shipped, place.env, baseUrl),
    ...(given?.headers === undefined ? {} : { headers: given.headers }),
    ...(given?.stream === undefined ? {} : { stream: given.stream }),
    ...(place.fetch === undefined ? {} : { fetch: place.fetch }),
  };
}

/** Where a provider is asked; null where nothing says so. */
export function baseUrlOf(name: string, { providers, env }: Pick<ModelPlace, "providers" | "env">): string | null {
  const shipped = PROVIDERS.get(name);
  return providers?.[name]?.baseUrl ?? (shipped === undefined ? null : providerAddress(shipped, env));
}

function keyOf(
  name: string,
  given: GivenProvider | undefined,
  shipped: Provider | undefined,
  env: ModelPlace["env"],
  baseUrl: string,
): () => string | null | Promise<string | null> {
  const own = given?.key;
  if (typeof own === "function") return own;
  if (own !== undefined) return () => own;
  const variables = shipped?.keyVariables ?? [];
  const find = (): string | null => variables.map((variable) => env[variable]).find(Boolean) ?? null;
  // The key of a person's account goes to its provider, not to any address that a file names.
  if (given?.baseUrl !== undefined && given.baseUrl !== shipped?.baseUrl) return () => null;
  if (variables.length > 0 && find() === null && !isLoopback(baseUrl))
    throw new ToolcribError("model.no-key", `${name} needs a key: set ${variables.join(" or ")}`, { names: [name] });
  return find;
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

/** The part before a slash was probably meant as a provider; ids alone are known for few models. */
function noProvider(name: string, known: ReadonlySet<string>): ToolcribError {
  const [front = ""] = name.split("/", 1);
  const near = name.includes("/") ? nearestNames(front, known, 1) : [];
  const hint =
    near.length > 0
      ? `did you mean ${near[0]}${name.slice(front.length)}?`
      : `write it as provider/id, with one of ${[...known].join(", ")}`;
  return new ToolcribError("model.unknown", `no provider is known for the model "${name}": ${hint}`, { names: [name] });
}

function noAddress(name: string, shipped: Provider | undefined): ToolcribError {
  const variables = shipped?.urlVariables ?? [];
  const hint = variables.length === 0 ? `set providers.${name}.baseUrl` : `set ${variables.join(" or ")}`;
  return new ToolcribError("model.no-key", `${name} has no address: ${hint}`, { names: [name] });
}
