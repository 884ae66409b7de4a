import { guessTokens } from "../../../core/agent/compaction.ts";
import type { HistoryMessage } from "../../../core/call/message.ts";
import type { ModelClient, WireName } from "../../../runtime/models/model.ts";
import type { SessionCore } from "../state/session-core.ts";
import type { ClientModel, ClientOptions, KnownModel } from "../wire/client-options.ts";
import { dropUndefined, type Json, numberOf, textOf } from "../wire/wire-values.ts";

/**
 * Finds the model of a name, for a session or one of its agents; requests to it are in the clients' words. The session's own
 * stands in for one that cannot be had, unless that is wanted itself.
 */
export type ModelFinder = (name: string, how?: "itself") => Promise<ModelClient>;

/** What the last request of a session was made of. */
interface RequestParts {
  /** Characters of the system text. */
  readonly system: number;
  readonly tools: unknown;
  readonly history: readonly HistoryMessage[];
}

/** What the requests to one model used. */
interface ModelUsage {
  readonly requests: number;
  readonly cost: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** The model of a session, what it is told, and what it has used. */
export interface ModelState {
  /** As clients call it; undefined: the default one. */
  model: string | undefined;
  effort: string | undefined;
  /** The format of its requests; null before one was prepared. */
  wire: WireName | null;
  /** Headers that a client wants with the requests of this run. */
  headers: Json;
  /** How models of the configured address are asked. */
  endpoints: ReadonlyMap<string, readonly string[]>;
  /** What files of instructions say. */
  instructions: string;
  /** Sections of the system text as clients transformed them for this run. */
  sections: ReadonlyMap<string, string>;
  /** Arguments that a hook or a person changed, by call. */
  readonly changedArguments: Map<string, unknown>;
  /** What the model was last sent; null before that. */
  size: RequestParts | null;
  /** Who a client says it is; null: who the token says. */
  account: Json | null;
  readonly usage: {
    readonly models: Map<string, ModelUsage>;
    last: { readonly input: number; readonly output: number };
    /** Milliseconds that models took to answer. */
    apiTime: number;
    /** Messages that were answered. */
    turns: number;
  };
}

export function newModels({ options: { model, reasoningEffort } }: SessionCore): ModelState {
  return {
    ...{ model, effort: reasoningEffort, wire: null, headers: {}, endpoints: new Map(), instructions: "" },
    ...{ sections: new Map(), changedArguments: new Map(), size: null, account: null },
    usage: { models: new Map(), last: { input: 0, output: 0 }, apiTime: 0, turns: 0 },
  };
}

/** The model of sessions whose clients choose none. */
export const DEFAULT_MODEL = "claude-sonnet-4.5";

/** The model that clients chose for a session. */
export function modelName({ model = DEFAULT_MODEL }: ModelState): string {
  return model;
}

/** The model that a session is asked with now: that of the agent that it is, or the one that clients chose. */
export function sceneModel({ session }: SessionCore): string {
  return session.toolset.scene.model?.id ?? DEFAULT_MODEL;
}

/** What options need to know of the model. */
export function knownModel({ server }: SessionCore, { wire }: ModelState): KnownModel {
  return { wire, isCarried: server.inference !== null };
}

/** Tokens that a model reads and writes, as far as the app says. */
interface ModelLimits {
  /** All that it can hold. */
  readonly window?: number;
  /** Of it what may be sent. */
  readonly prompt?: number;
  readonly output?: number;
}

/** What is said about the model itself counts over what is said about its provider. */
export function limitsOf(core: SessionCore, models: ModelState, name = modelName(models)): ModelLimits {
  const registered = registeredModel(core, name);
  const own = ownOptions(core, models, name);
  const said = [own.modelCapabilities?.limits, registered?.capabilities?.limits];
  const places = [registered, own.provider];
  const first = (values: readonly (number | undefined)[]): number | undefined =>
    values.find((value) => value !== undefined && value > 0);
  return dropUndefined({
    window: first([
      ...said.map((one) => one?.max_context_window_tokens),
      ...places.map((one) => one?.maxContextWindowTokens),
    ]),
    prompt: first([...said.map((one) => one?.max_prompt_tokens), ...places.map((one) => one?.maxPromptTokens)]),
    output: first([...said.map((one) => one?.max_output_tokens), ...places.map((one) => one?.maxOutputTokens)]),
  });
}

/** What the app says about the model that it chose for the session; an agent's model may be another. */
export function ownOptions(
  { options }: SessionCore,
  models: ModelState,
  name: string,
): Pick<ClientOptions, "modelCapabilities" | "provider"> {
  return name === modelName(models) ? options : {};
}

/** The model of the app's registry that a name means. */
export function registeredModel({ options }: SessionCore, name: string): ClientModel | undefined {
  return options.models.find(({ provider, id }) => name === `${String(provider)}/${String(id)}`);
}

/** Whether it sees pictures; all do of which nobody says otherwise. */
export function sees(core: SessionCore, models: ModelState, name = modelName(models)): boolean {
  const said = [ownOptions(core, models, name).modelCapabilities, registeredModel(core, name)?.capabilities];
  const [vision = true] = said.flatMap((one) => one?.supports?.vision ?? []);
  return vision !== false;
}

/** Characters of a request, for estimates. Few ask, so that nobody else pays for counting. */
export function sizeOf({ size }: ModelState): {
  readonly system: number;
  readonly overhead: number;
  readonly all: number;
} {
  if (size === null) return { system: 0, overhead: 0, all: 0 };
  const { system, tools, history } = size;
  const overhead = system + JSON.stringify(tools).length;
  return { system, overhead, all: overhead + guessTokens(history) * 4 };
}

/** Counts a request, by what `assistant.usage` says of it. */
export function noteUsage(
  { usage }: ModelState,
  { model, inputTokens, outputTokens, cacheReadTokens, cost }: Json,
): void {
  const name = textOf(model) ?? DEFAULT_MODEL;
  const known = usage.models.get(name) ?? { requests: 0, cost: 0, input: 0, output: 0, cached: 0 };
  usage.last = { input: numberOf(inputTokens) ?? 0, output: numberOf(outputTokens) ?? 0 };
  usage.models.set(name, {
    requests: known.requests + 1,
    cost: known.cost + (numberOf(cost) ?? 0),
    input: known.input + usage.last.input,
    output: known.output + usage.last.output,
    cached: known.cached + (numberOf(cacheReadTokens) ?? 0),
  });
}

export function sumUsage({ usage }: ModelState, field: keyof ModelUsage): number {
  return [...usage.models.values()].reduce((all, one) => all + one[field], 0);
}
