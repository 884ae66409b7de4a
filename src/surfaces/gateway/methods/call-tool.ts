import { runStage } from "../../../core/call/eventual.ts";
import type { Outcome } from "../../../runtime/executor/outcome.ts";
import { askLoginOf } from "../../../sources/login-port.ts";
import type { McpResult } from "../../../sources/mcp/mcp-result.ts";
import { unwrapCall } from "../tools/call-through.ts";
import { keepPromise } from "../tools/keep-promise.ts";
import { LOG_IN_TOOL, toLogInServer } from "../tools/log-in-tool.ts";
import type { Offer } from "../tools/offer.ts";
import { toToolAnswer } from "../tools/to-tool-answer.ts";
import { callsThrough, type Exchange, type Front, type RunningCalls } from "../views/front.ts";
import { invalidParams, type Params, type ProtocolAnswer } from "../wire/json-rpc.ts";
import { STORE_AWAY } from "../wire/store-away.ts";

/**
 * One `tools/call`: through the whole pipeline, under the tool's own name, on the tools that this client was shown. The
 * server's answer is passed on unchanged, unless something on the way changed it.
 */
export async function callTool(
  front: Front,
  params: Params,
  exchange: Exchange,
  running: RunningCalls,
): Promise<ProtocolAnswer> {
  if (typeof params.name !== "string") return invalidParams("tools/call needs the name of a tool");
  front.calls += 1;
  const { logIn } = front.view.offer();
  if (logIn !== null && params.name === logIn.name) return startLogin(front, logIn.servers, params, exchange);
  let aimed = aim(front, params.name, params.arguments);
  if (aimed.isUnknown) {
    await front.view.settled("all");
    aimed = aim(front, params.name, params.arguments);
  }
  if (aimed.isUnknown && isPastLogIn(front, params.name)) return said(`No login is missing now. ${LISTED}`);
  const id = running.nextId();
  running.byId.set(id, exchange);
  const { client, meta, cancelling } = exchange;
  try {
    const call = { id, toolName: aimed.wireName, arguments: aimed.args };
    const behind = meta === undefined ? { client } : { client, meta };
    const outcome: Outcome = await front.view.calls.run(aimed.offer.request, call, { cancelling, behind });
    if (running.unstored.has(id)) return STORE_AWAY;
    // The pipeline refused it too, and every log has it.
    if (aimed.isUnknown) return noSuchTool(aimed.offer, aimed.name);
    const promise = aimed.isThrough ? null : aimed.offer.promiseOf(aimed.wireName);
    const { wire }: McpResult = outcome.result;
    const isOwn = wire !== undefined;
    const context = { era: front.era, promise, isOwn, validator: running.validator };
    return await runStage(keepPromise(toToolAnswer(outcome), context));
  } finally {
    running.unstored.delete(id);
    running.byId.delete(id);
  }
}

/** A client that asks for the list once still has the tool when nobody needs it any more. */
function isPastLogIn({ view }: Front, name: string): boolean {
  return name === LOG_IN_TOOL && view.session.sources.some((source) => askLoginOf(source) !== null);
}

const LISTED =
  "The tools are in the list from now on; a client that does not ask for the list again has them in its next session.";

function said(text: string, isError = false): ProtocolAnswer {
  const content = [{ type: "text", text }];
  return { kind: "result", result: isError ? { content, isError } : { content } };
}

/** It belongs to no toolset: no rule decides whether somebody may log in with what is theirs. */
async function startLogin(
  { view }: Front,
  servers: readonly string[],
  params: Params,
  { client, cancelling }: Exchange,
): Promise<ProtocolAnswer> {
  const server = toLogInServer(params.arguments, servers);
  if (server === null) return invalidParams(`${LOG_IN_TOOL} needs the name of a server: ${servers.join(", ")}`);
  const source = view.session.sources.find(({ name }) => name === server);
  const ask = source === undefined ? null : askLoginOf(source);
  const asked = (await ask?.({ client, signal: cancelling.signal })) ?? null;
  if (asked?.kind === "error") return { ...asked, kind: "error" };
  if (asked?.kind === "words") return said(asked.text, true);
  return said(`There is a login at ${JSON.stringify(server)} now. ${LISTED}`);
}

/** Whether a tool may be called as a task: null if there is no such tool, because the call itself reports that best. */
export async function takesTasks(front: Front, name: unknown): Promise<boolean | null> {
  if (typeof name !== "string") return null;
  let chosen = choose(front, front.view.offer(), name);
  if (chosen.isUnknown) {
    await front.view.settled("all");
    chosen = choose(front, front.view.offer(), name);
  }
  return chosen.isUnknown ? null : chosen.offer.takesTasks(chosen.wireName);
}

/** No tool of that name, with the closest names; what is hidden from this client is never among them (P3). */
export function noSuchTool(offer: Offer, name: string): ProtocolAnswer {
  const near = offer.nearest(name).map((one) => JSON.stringify(one));
  const advice = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
  return invalidParams(`Unknown tool: ${name.slice(0, 200)}${advice}`);
}

interface Chosen {
  readonly offer: Offer;
  readonly wireName: string;
  readonly isUnknown: boolean;
}

interface Aimed extends Chosen {
  readonly name: string;
  readonly args: unknown;
  /** Whether the tool is named inside a call of another one. */
  readonly isThrough: boolean;
}

/** What a call means, as far as known now. */
function aim(front: Front, called: string, given: unknown): Aimed {
  const latest = front.view.offer();
  const through = callsThrough(front) && called === latest.callThrough ? unwrapCall(given) : null;
  const name = through === null ? called : through.name;
  const args = through === null ? (given ?? {}) : through.arguments;
  const { offer, wireName, isUnknown } = choose(front, latest, name);
  return { offer, wireName, isUnknown, name, args, isThrough: through !== null };
}

/** E1: the tools that the client was shown count; only what those lack is looked up among the newest. */
function choose({ shown }: Front, latest: Offer, name: string): Chosen {
  if (shown !== null && shown !== latest) {
    const wireName = shown.toWireName(name);
    const { kind } = shown.request.find(wireName);
    if (kind !== "unknown" && kind !== "deferred") return { offer: shown, wireName, isUnknown: false };
  }
  const wireName = latest.toWireName(name);
  return { offer: latest, wireName, isUnknown: latest.request.find(wireName).kind === "unknown" };
}
