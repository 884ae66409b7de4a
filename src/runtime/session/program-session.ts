import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { AgentsPort } from "../../sources/agents-port.ts";
import type { ExternalSource } from "../../sources/external/external-source.ts";
import type { Emitter } from "../events/emitter.ts";
import type { OpenConversation } from "./conversation/open-conversation.ts";
import { checkCallOptions, checkPrompt, checkRunOptions } from "./options/check-options.ts";
import type { GivenOptions } from "./options/given-options.ts";
import { toStoredOptions } from "./options/stored-options.ts";
import type { Session } from "./public-session.ts";
import type { OpenSession } from "./tools/session.ts";

/** The same for a surface of Toolcrib, which also looks after agents and reports events of its own. */
export interface SurfaceSession extends Session {
  /** The agents that work for it, as its model reaches them. */
  readonly agents: Pick<AgentsPort, "known" | "start" | "list" | "read" | "send" | "stop">;
  /** Emits an event of the surface itself, in order with all others; stored where events are. */
  note(
    type: string,
    data: Readonly<Record<string, unknown>>,
    options?: { readonly ephemeral?: boolean; readonly agent?: string | null },
  ): void;
  /** Waits until everything that happened so far is stored; at once where nothing is. */
  stored(): Promise<void>;
}

interface ProgramPorts {
  readonly given: GivenOptions;
  readonly external: ExternalSource;
  readonly emit: Emitter["emit"];
  readonly continued: Session["continued"];
  readonly isStored: boolean;
}

/** The session as a program holds it. */
export function toProgramSession(
  { session, exchange, agents, conversation, ...opened }: OpenConversation,
  { given, external, emit, continued, isStored }: ProgramPorts,
): SurfaceSession {
  const { payload, execute, results } = exchange;
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await opened.close();
  };
  return {
    id: session.id,
    get toolset() {
      return session.toolset;
    },
    get sources() {
      return session.sources;
    },
    why: (name) => session.why(toName(name)),
    payload,
    execute: (reply, options) => onceStored(execute(reply, options), session),
    results,
    ...conversation,
    continued,
    run(prompt, options) {
      if (isClosed) throw new ToolcribError("session.closed", "the session is closed; open another one");
      return conversation.run(checkPrompt(prompt, "run"), checkRunOptions(options));
    },
    send: (prompt, options) => conversation.send(checkPrompt(prompt, "send"), options),
    get promotions() {
      return session.promotions;
    },
    nextTurn: session.nextTurn,
    async updateOptions(changes) {
      await given.update(changes, session);
      if (!isStored) return;
      emit("session.options_changed", { options: toStoredOptions(changes) });
      await session.stored();
    },
    setTools: (owner, tools) => given.setTools(toName(owner), tools),
    answer: external.answer,
    agents,
    refresh: session.refresh,
    settled: session.settled,
    call: async (name, args, callOptions) => session.call(toName(name), args, checkCallOptions(callOptions)),
    async calls() {
      const { prompt, failed, hookFailures } = await session.calls();
      return { prompt, failed, hookFailures };
    },
    interrupt: session.interrupt,
    on: session.on,
    note: (type, data, { ephemeral = false, agent = null } = {}) =>
      emit(ephemeral ? "client.signal" : "client.event", { type, data }, agent),
    stored: session.stored,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A program learns of a result once that is stored; a run waits before it asks its model again (S2). */
async function* onceStored<Result>(
  results: AsyncIterable<Result>,
  { stored }: Pick<OpenSession, "stored">,
): AsyncGenerator<Result, void, void> {
  for await (const result of results) {
    await stored();
    yield result;
  }
}

/** What programs without types get wrong first. */
function toName(name: unknown): string {
  if (typeof name === "string") return name;
  throw new TypeError(`a name must be text; found ${name === null ? "null" : typeof name}`);
}
