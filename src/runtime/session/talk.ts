import type { HistoryMessage } from "../../core/call/message.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { KnownEvent } from "../../core/events/envelope.ts";
import type { Emitter } from "../events/emitter.ts";
import type { LoopAnswer, LoopSession, LoopSetting } from "../loop/loop-session.ts";
import { createRun, type Run } from "../loop/run.ts";
import type { RunOptions, RunQueue, SendOptions } from "../loop/run-queue.ts";
import type { ModelClient } from "../models/model.ts";
import type { ModelExchange, ReplyResult } from "./exchange.ts";
import type { OpenSession } from "./session.ts";
import type { SessionOptions } from "./session-options.ts";
import type { Surroundings } from "./surroundings.ts";

/** A session that also talks to its model. */
export interface Talk {
  /**
   * Says something to the model and runs what it calls, until it is done. Await it for how it ended, or go through its
   * events as they happen. While another run goes on, it waits for that.
   */
  run(prompt: string, options?: RunOptions): Run;
  /** Says something without waiting: behind what goes on, or at once with `mode: "immediate"`. Returns the message's id. */
  send(prompt: string, options?: SendOptions): string;
  /** Ends the run that goes on, and drops what waits behind it. */
  abort(reason?: string): Promise<void>;
  /** Turns the older part of the conversation into a summary; false where there is nothing to shorten. */
  compact(signal?: AbortSignal): Promise<boolean>;
  /** What was said so far. */
  history(): Promise<readonly HistoryMessage[]>;
}

/** What a program decides about how its model is asked; looked at anew for every run. */
export type TalkOptions = Pick<
  SessionOptions,
  "modelClient" | "providers" | "fetch" | "systemPrompt" | "reasoningEffort"
>;

/** What a session that is resumed has said already. */
export interface EarlierTalk {
  readonly past: readonly KnownEvent[];
  /** Closes what was left open, before anything else is said. */
  goOn(): void;
}

const NOTHING_SAID: EarlierTalk = { past: [], goOn: () => {} };

type Held = Pick<OpenSession, "id" | "on" | "live" | "stored" | "config" | "toolset" | "calls">;

export function createTalk(
  session: Held,
  exchange: Pick<ModelExchange, "payload" | "execute">,
  given: () => TalkOptions,
  around: Surroundings,
  emit: Emitter["emit"],
  earlier: EarlierTalk = NOTHING_SAID,
): Talk {
  let loaded: Promise<RunQueue> | null = null;
  const load = (): Promise<RunQueue> => {
    loaded ??= open(session, exchange, given, around, emit, earlier);
    return loaded;
  };
  return {
    run(prompt, options) {
      const messageId = around.newId();
      const end = load().then((conversation) => conversation.start(messageId, prompt, options));
      end.catch(() => {});
      return createRun(messageId, end, session.on);
    },
    send(prompt, { mode = "enqueue", attachments } = {}) {
      const messageId = around.newId();
      const files = attachments === undefined ? {} : { attachments };
      void load().then((conversation) => {
        if (mode === "immediate") conversation.join(messageId, prompt, attachments);
        else conversation.start(messageId, prompt, files).catch(() => {});
      });
      return messageId;
    },
    abort: async (reason) => loaded?.then((conversation) => conversation.abort(reason)),
    compact: async (signal) => (await load()).compact(signal),
    history: async () => (loaded === null && earlier.past.length === 0 ? [] : (await load()).history),
  };
}

async function open(
  session: Held,
  exchange: Pick<ModelExchange, "payload" | "execute">,
  given: () => TalkOptions,
  around: Surroundings,
  emit: Emitter["emit"],
  { past, goOn }: EarlierTalk,
): Promise<RunQueue> {
  const [{ createRunQueue }, { followHistory }] = await Promise.all([
    import("../loop/run-queue.ts"),
    import("../loop/conversation-history.ts"),
  ]);
  let asked: { readonly name: string; readonly model: ModelClient } | null = null;
  const findModel = async (): Promise<ModelClient> => {
    const { modelClient, providers, fetch } = given();
    if (modelClient) return modelClient;
    const { name, provider } = namedModel(session);
    const key = `${provider ?? ""} ${name}`;
    if (asked?.name === key) return asked.model;
    const models = await import("../models/find-model.ts");
    const place = { env: around.env, cwd: around.cwd, ...(providers && { providers }), ...(fetch && { fetch }) };
    asked = { name: key, model: await models.findModel(name, provider, place) };
    return asked.model;
  };
  const parts = toLoopParts(session, exchange, given, emit);
  const history = followHistory(past, session.live);
  goOn();
  session.on("permission.requested", ({ toolName, reason }) => {
    void session.calls().then((calls) => calls.notify("permission_prompt", `${toolName}: ${reason}`));
  });
  return createRunQueue({
    emit,
    stored: session.stored,
    history: () => history(null),
    hooks: session.calls,
    setting: async (): Promise<LoopSetting> => {
      const model = await findModel();
      const { priceOf } = await import("../models/prices.ts");
      return {
        session: { ...parts, history: () => history(null) },
        model,
        agent: null,
        contextWindow: session.toolset.scene.model?.contextWindow ?? 200_000,
        price: priceOf(model.provider, model.id),
        effort: given().reasoningEffort ?? null,
        maxTokens: null,
        newId: around.newId,
        now: around.clock.now,
        random: Math.random,
        wait: (milliseconds, signal) => waitFor(around, milliseconds, signal),
      };
    },
  });
}

/** The model of the scene is the one that the tools were made for; who serves it, only the setting says. */
function namedModel({ toolset, config }: Held): { readonly name: string; readonly provider: string | null } {
  const name = toolset.scene.model?.id;
  if (name === undefined)
    throw new ToolcribError(
      "model.unknown",
      'there is no model to ask: set `model`, such as "anthropic/claude-sonnet-4-5", or "scripted:FILE" to try it without one',
    );
  const said = config.model?.value;
  return { name, provider: said?.id === name ? (said.provider ?? null) : null };
}

function toLoopParts(
  session: Held,
  { payload, execute }: Pick<ModelExchange, "payload" | "execute">,
  given: () => TalkOptions,
  emit: Emitter["emit"],
): Omit<LoopSession, "history"> {
  return {
    id: session.id,
    payload: (dialect) => payload(dialect),
    async *execute(events, options) {
      for await (const result of execute(events, options)) yield toAnswer(result);
    },
    emit,
    stored: session.stored,
    prompt() {
      const { systemPrompt } = given();
      return systemPrompt ? [{ id: "system", text: systemPrompt }] : [];
    },
  };
}

function toAnswer(given: ReplyResult): LoopAnswer {
  const { call, arguments: _, additionalContext, sendToModel, endTurn, ...result } = given;
  return { call, result, additionalContext, sendToModel, endTurn };
}

function waitFor({ clock }: Surroundings, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = clock.setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
