import type { MessageId } from "../../system/rpc/message-id.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { PeerAnswer, PeerClient, PeerQuestion } from "../peer.ts";
import { askBehind, lineOf } from "./ask-client.ts";
import type { Channel } from "./channel.ts";
import { isQuestionMethod, lacksFor } from "./client-capabilities.ts";
import { withoutTask } from "./follow-task.ts";
import { type BehindRequest, findAskedBy } from "./in-flight.ts";
import type { McpLimits } from "./limits.ts";

type Params = Readonly<Record<string, unknown>>;

interface QuestionsOptions {
  readonly server: string;
  readonly channel: Pick<Channel, "exchanges" | "givenUp">;
  /** Clients that can be asked outside of any request. */
  readonly attached: () => readonly PeerClient[];
  readonly limits: McpLimits;
  readonly clock: Clock;
  /** Sends the answer to the server. */
  readonly answer: (id: MessageId, answer: PeerAnswer) => void;
}

/** Questions that a server of the older protocol asks while it handles requests. */
export interface Questions {
  /** Returns whether the question is one that is answered here. `related`: the request on whose stream it came. */
  take(id: MessageId, method: string, params: Params, related: MessageId | null): boolean;
  cancel(id: unknown): void;
  close(): void;
}

const KEY = "question";
const METHOD_NOT_FOUND = -32601;
const REFUSED = -32000;

/**
 * A question goes only to the client whose request it belongs to. Over HTTP the stream says which; a process does not
 * say, so there the question is refused unless only one client can be meant.
 */
export function createQuestions({ server, channel, attached, limits, clock, answer }: QuestionsOptions): Questions {
  const open = new Map<unknown, AbortController>();

  const concerned = (related: MessageId | null): BehindRequest | "nobody" | "several" => {
    const found = findAskedBy(channel, related, clock.now() - limits.lingering);
    if (found !== "idle") return found;
    // Without a request it concerns the client as such, which is clear while there is only one.
    const [client, ...others] = attached();
    if (client === undefined) return "nobody";
    return others.some(({ id }) => id !== client.id) ? "several" : { client, exchanges: [] };
  };

  const ask = async (client: PeerClient, question: PeerQuestion, signal: AbortSignal): Promise<PeerAnswer> => {
    try {
      const answers = await askBehind(client, new Map([[KEY, question]]), signal);
      return answers.get(KEY) ?? refuse(REFUSED, "The client did not answer.");
    } catch {
      return refuse(REFUSED, signal.aborted ? "The client did not answer in time." : "The client could not be asked.");
    }
  };

  const put = async (id: MessageId, question: PeerQuestion, related: MessageId | null): Promise<void> => {
    const found = concerned(related);
    if (found === "several") {
      const text =
        "Several clients use this server at once, so it is not clear whom to ask. To let every client have a process of its own, set `isolation: client` for this server.";
      return answer(id, refuse(REFUSED, text));
    }
    if (found === "nobody") {
      return answer(id, refuse(METHOD_NOT_FOUND, `There is nobody to answer ${question.method}.`));
    }
    const { client, exchanges } = found;
    const lack = lacksFor(client, question);
    if (lack !== null) return answer(id, refuse(METHOD_NOT_FOUND, `The client ${lack}.`));
    if (open.size >= limits.openQuestions || open.has(id)) {
      return answer(id, refuse(REFUSED, `More than ${limits.openQuestions} questions are open already.`));
    }
    const controller = new AbortController();
    open.set(id, controller);
    const timer = clock.setTimeout(() => controller.abort(), limits.askTimeout);
    for (const { onWaiting } of exchanges) onWaiting?.(true);
    const about = lineOf(...exchanges.map((exchange) => exchange.client));
    const given = await ask(client, { ...question, ...about }, controller.signal);
    clock.clearTimeout(timer);
    for (const { onWaiting } of exchanges) onWaiting?.(false);
    // A question that was withdrawn, or whose server is gone, needs no answer.
    if (open.get(id) !== controller) return;
    open.delete(id);
    answer(id, given);
  };

  return {
    take(id, method, params, related) {
      if (!isQuestionMethod(method)) return false;
      void put(id, { server, method, params: withoutTask(params) }, related);
      return true;
    },
    cancel(id) {
      open.get(id)?.abort();
      open.delete(id);
    },
    close() {
      for (const controller of open.values()) controller.abort();
      open.clear();
    },
  };
}

function refuse(code: number, message: string): PeerAnswer {
  return { kind: "error", code, message };
}
