import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { loadedIn } from "../../../core/dialects/contract/dialect.ts";
import { mapEach } from "../../../core/dialects/stream/map-each.ts";
import type { Outcome } from "../../executor/outcome.ts";
import type { LoopAnswer, LoopSession, LoopSetting } from "../../loop/loop-session.ts";
import type { ModelClient } from "../../models/model.ts";
import { toModelPlace } from "../../models/model-place.ts";
import type { OpenSession } from "../tools/session.ts";
import type { ConversationPlace } from "./child-ports.ts";
import type { ModelExchange } from "./exchange.ts";

/** What asking a model takes of the session whose tools it gets. */
export type AskingSession = Pick<OpenSession, "id" | "config" | "toolset" | "stored">;

/** Finds the model that a session is for; the same one while nothing about it changed. */
export function createModelFinder({
  setting,
  given,
  around,
}: Omit<ConversationPlace, "emit">): (session: AskingSession) => Promise<ModelClient> {
  const found = new Map<string, ModelClient>();
  const limited = new WeakMap<ModelClient, Promise<ModelClient>>();
  const find = async (session: AskingSession): Promise<ModelClient> => {
    const { modelClient } = given();
    if (modelClient) return modelClient;
    const { name, provider } = namedModel(session);
    if (setting.findModel !== undefined) return setting.findModel(name);
    const key = `${provider ?? ""} ${name}`;
    const known = found.get(key);
    if (known !== undefined) return known;
    const { findModel } = await import("../../models/find-model.ts");
    const model = await findModel(name, provider, toModelPlace(around, session.config, given()));
    found.set(key, model);
    return model;
  };
  const { limitModel } = setting;
  if (limitModel === undefined) return find;
  return async (session) => {
    const model = await find(session);
    const own = limited.get(model) ?? limitModel(model);
    limited.set(model, own);
    return own;
  };
}

/** The model of the scene is the one that the tools were made for; who serves it, only the setting says. */
function namedModel({ toolset, config }: AskingSession): { readonly name: string; readonly provider: string | null } {
  const name = toolset.scene.model?.id;
  if (name === undefined)
    throw new ToolcribError(
      "model.unknown",
      'there is no model to ask: set `model`, such as "anthropic/claude-sonnet-4-5", or "scripted:FILE" to try it without one',
    );
  const said = config.model?.value;
  return { name, provider: said?.id === name ? (said.provider ?? null) : null };
}

/** How often a request is made before its failure is told. */
const ATTEMPTS = 8;

interface LoopPlace extends ConversationPlace {
  readonly agent: string | null;
  readonly history: LoopSession["history"];
  readonly usedBelow: LoopSetting["usedBelow"];
  /** The session's own if absent; for a subagent, that of the session whose journal it writes. */
  readonly stored?: LoopSession["stored"];
}

/** What a run of this session needs, with its model. */
export async function toLoopSetting(
  session: AskingSession,
  { payload, payloadAgain, outcomes }: Pick<ModelExchange, "payload" | "payloadAgain" | "outcomes">,
  model: ModelClient,
  { setting, given, around, emit, agent, history, usedBelow, stored = session.stored }: LoopPlace,
): Promise<LoopSetting> {
  const { priceOf } = await import("../../models/prices.ts");
  const { systemPrompt, reasoningEffort } = given();
  return {
    session: {
      id: session.id,
      payload(dialect, sent) {
        const promoted = loadedIn(sent);
        // What a program's own model does with it, nobody knows.
        return given().modelClient ? payload(dialect, { promoted }) : payloadAgain(dialect, promoted);
      },
      execute: (events, options) => mapEach(outcomes(events, options), toAnswer),
      emit,
      stored,
      prompt: () => (systemPrompt && agent === null ? [{ id: "system", text: systemPrompt }] : []),
      history,
    },
    model,
    agent,
    contextWindow: session.toolset.scene.model?.contextWindow ?? 200_000,
    price: priceOf(model.provider, model.id),
    effort: reasoningEffort ?? null,
    schema: null,
    compaction: setting.compaction ?? null,
    usedBelow,
    attempts: setting.attempts ?? ATTEMPTS,
    newId: around.newId,
    clock: around.clock,
  };
}

function toAnswer({ call, result, additionalContext, sendToModel, endTurn }: Outcome): LoopAnswer {
  return { call, result, additionalContext, sendToModel, endTurn };
}
