import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord, textOrNull } from "../../core/shape/json-value.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import { baseUrlOf, knownProviders, type ModelPlace, reachProvider } from "./find-model.ts";
import { causeOf, readError, whereOf } from "./http-model.ts";
import { fromStatus } from "./model-error.ts";
import { PROVIDERS } from "./providers.ts";
import { joinUrl } from "./wire.ts";

/** A provider, and what it said about its models. */
export interface ProviderModels {
  readonly provider: string;
  /** Null: nothing says where it is. */
  readonly address: string | null;
  /** Whether it can be asked, and answers. */
  readonly state: "reachable" | "not set up" | "unreachable";
  /** Why not; null where it is reachable. */
  readonly reason: string | null;
  /** The ids that it takes behind its name and a slash. */
  readonly models: readonly string[];
}

/** The names of all providers that could be asked. */
export function providerNames(place: Pick<ModelPlace, "providers">): readonly string[] {
  return [...knownProviders(place.providers)];
}

/** On this machine, where nobody has to say that there is one. */
export function isLocalProvider(name: string): boolean {
  return PROVIDERS.get(name)?.local === true;
}

/** Asks a provider which models it serves. Sends nothing where a key or an address is missing. */
export async function listProviderModels(
  provider: string,
  place: ModelPlace,
  signal: AbortSignal,
): Promise<ProviderModels> {
  const address = baseUrlOf(provider, place);
  const failed = (state: ProviderModels["state"], reason: string): ProviderModels => ({
    ...{ provider, address, state, reason, models: [] },
  });
  let reached: ReturnType<typeof reachProvider>;
  try {
    reached = reachProvider(provider, place);
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    return failed("not set up", error.message);
  }
  const where = whereOf({ provider, baseUrl: reached.baseUrl });
  try {
    return { provider, address, state: "reachable", reason: null, models: await ask(reached, where, signal) };
  } catch (error) {
    const why = signal.aborted ? "it did not answer in time" : causeOf(error);
    return failed("unreachable", error instanceof NoList ? error.message : `${where} cannot be reached: ${why}`);
  }
}

class NoList extends Error {}

async function ask(
  { wire, baseUrl, key, headers = {} }: ReturnType<typeof reachProvider>,
  where: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const own = { accept: "application/json", ...wire.headers(await key()), ...headers };
  // A redirect would send the key to another address.
  const asked = fetch(joinUrl(baseUrl, "/models"), { headers: own, signal, redirect: "error" });
  const response = await untilAborted(asked, signal);
  if (!response.ok) throw new NoList(fromStatus(response.status, await readError(response), null, where).message);
  const said: unknown = await untilAborted(response.json(), signal).catch(() => null);
  signal.throwIfAborted();
  const listed = isRecord(said) ? (said.data ?? said.models) : null;
  if (!Array.isArray(listed)) throw new NoList(`${where} answered, but with no list of models`);
  return listed.slice(0, MOST).flatMap((model: unknown) => {
    const { id, name } = isRecord(model) ? model : {};
    const text = textOrNull(id) ?? textOrNull(name);
    return text === null || text === "" || text.length > LONGEST ? [] : [text.replace(/^models\//, "")];
  });
}

const MOST = 5_000;
const LONGEST = 200;
