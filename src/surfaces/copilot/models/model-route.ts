import type { HistoryMessage } from "../../../core/call/message.ts";
import { findModel, type GivenProvider } from "../../../runtime/models/find-model.ts";
import {
  type ModelClient,
  type ModelRequest,
  REASONING_SUMMARIES,
  VERBOSITIES,
  type WireName,
} from "../../../runtime/models/model.ts";
import { askClient } from "../clients/ask-client.ts";
import type { Live } from "../state/live.ts";
import { agentNotice, OVER } from "../tools/agent-notice.ts";
import { say } from "../tools/say-result.ts";
import { type Json, recordOf, recordsOf, stated, textOf } from "../wire/wire-values.ts";
import { withCitations } from "./citations.ts";
import { type Asker, carrierFor, type Transport } from "./inference.ts";
import { addressOf } from "./list-models.ts";
import { endpointOf, loadEndpoints } from "./model-endpoints.ts";
import { limitsOf, registeredModel, sees } from "./model-limits.ts";
import { mayGoOn } from "./rate-limit.ts";
import { systemTextOf } from "./system-context.ts";

/** Where one request goes. */
interface Route {
  readonly name: string;
  readonly provider: string | null;
  readonly given: GivenProvider | null;
  readonly transport: Transport;
}

const WIRES: ReadonlyMap<string, WireName> = new Map<string, WireName>([
  ["anthropic", "anthropic"],
  ["responses", "openai-responses"],
]);

/** The model that a session means right now: what its options, its registry, the environment or a script say. */
export function findRoute(live: Live, headers: Json = {}): Route {
  const name = live.model ?? DEFAULT_MODEL;
  if (name.startsWith("scripted:")) return { name, ...NOWHERE };
  const own = recordOf(live.wire.provider);
  if (textOf(own.baseUrl) !== undefined) return toRoute(live, own, name, headers);
  const registered = registeredModel(live);
  const provider = recordsOf(live.wire.providers).find((one) => one.name === registered?.provider);
  if (registered !== undefined && provider !== undefined)
    return toRoute(live, { ...provider, ...registered, headers: provider.headers }, String(registered.id), headers);
  const base = addressOf(live.server);
  if (base === null) return { name, ...NOWHERE };
  const service = { baseUrl: base, apiKey: tokenOf(live), headers: serviceHeaders(live) };
  return toRoute(live, { ...service, ...endpointOf(live, name) }, name, headers);
}

/** What the service of the configured address is told with each request, besides who asks. */
function serviceHeaders({ server, current }: Live): Readonly<Record<string, string>> {
  return {
    "Copilot-Integration-Id": "toolcrib",
    "X-GitHub-Api-Version": "2025-05-01",
    "X-Interaction-Id": current ?? server.around.newId(),
  };
}

const NOWHERE = { provider: null, given: null, transport: "http" } as const;

export const DEFAULT_MODEL = "claude-sonnet-4.5";

function tokenOf(live: Live): string | undefined {
  return textOf(live.wire.gitHubToken) ?? live.server.gitHubToken ?? undefined;
}

function toRoute(live: Live, said: Json, sessionModel: string, more: Json): Route {
  const name = textOf(said.wireModel) ?? textOf(said.modelId) ?? sessionModel;
  const wire = WIRES.get(textOf(said.type) ?? "") ?? WIRES.get(textOf(said.wireApi) ?? "") ?? "openai-chat";
  const client = textOf(live.wire.clientName);
  const headers = {
    "user-agent": `toolcrib/${live.server.version} (Copilot SDK)${client === undefined ? "" : ` ${client}`}`,
    ...keyHeaders(said),
    ...recordOf(said.headers),
    ...more,
  };
  const key = (): string | null | Promise<string | null> => keyOf(live, said);
  const given: GivenProvider = stated({
    wire,
    baseUrl: said.type === "azure" ? azureAddress(said, wire, name) : textOf(said.baseUrl),
    key,
    headers: Object.fromEntries(Object.entries(headers).map(([field, value]) => [field, String(value).trim()])),
    stream: live.wire.streaming === true,
  });
  const isSocket = wire === "openai-responses" && said.transport === "websockets";
  return { name, provider: "client", given, transport: isSocket ? "websocket" : "http" };
}

/** A provider of tokens is asked before every request, a token counts before a key. */
function keyOf(live: Live, said: Json): string | null | Promise<string | null> {
  if (said.hasBearerTokenProvider === true) return askToken(live, textOf(said.name) ?? "default");
  return textOf(said.bearerToken) ?? (said.type === "azure" ? null : textOf(said.apiKey)) ?? null;
}

/** Azure has a header of its own for keys; tokens go as everywhere. */
function keyHeaders({ type, apiKey, bearerToken, hasBearerTokenProvider }: Json): Json {
  const isKey = type === "azure" && bearerToken === undefined && hasBearerTokenProvider !== true;
  return isKey && textOf(apiKey) !== undefined ? { "api-key": apiKey } : {};
}

/** The address names the host alone: the way to a deployment in a version, or that without versions. */
function azureAddress({ baseUrl, azure }: Json, wire: WireName, model: string): string {
  const host = (textOf(baseUrl) ?? "").replace(/\/+$/, "");
  const version = textOf(recordOf(azure).apiVersion);
  if (version === undefined) return host.endsWith("/openai/v1") ? host : `${host}/openai/v1`;
  const place = wire === "openai-chat" ? `/deployments/${encodeURIComponent(model)}` : "";
  return `${host}/openai${place}?api-version=${encodeURIComponent(version)}`;
}

async function askToken(live: Live, providerName: string): Promise<string | null> {
  for (const connection of live.clients.keys()) {
    const answer = recordOf(await askClient(live, connection, "providerToken.getToken", { providerName }));
    if (typeof answer.token === "string") return answer.token;
  }
  return null;
}

/** The model of a session as the loop sees it, in the clients' words. */
export interface ModelRoute extends ModelClient {
  /** Looks where requests go from now on; before a run, and whenever that changed. */
  prepare(): Promise<void>;
}

export function createModelRoute(live: () => Live): ModelRoute {
  const scripts = new Map<string, Promise<ModelClient>>();
  let opened: ModelClient | null = null;
  const open = async (agent: string | null): Promise<ModelClient> => {
    const { server, facts, cwd } = live();
    const route = findRoute(live(), recordOf(facts.get("request headers")));
    const providers = route.given === null ? {} : { providers: { client: route.given } };
    const carrier = carrierFor(server, askerOf(live(), agent), route.transport);
    const cites = live().wire.enableCitations === true;
    const fetch = cites ? withCitations(carrier ?? globalThis.fetch) : carrier;
    const place = { env: server.around.env, cwd, ...providers, ...(fetch === null ? {} : { fetch }) };
    if (!route.name.startsWith("scripted:")) return findModel(route.name, route.provider, place);
    // A script goes on where it was.
    const script = scripts.get(route.name) ?? findModel(route.name, null, place);
    scripts.set(route.name, script);
    return script;
  };
  const now = (): ModelClient => {
    if (opened === null) throw new Error("the model was not looked for yet");
    return opened;
  };
  return {
    async prepare() {
      await loadEndpoints(live());
      opened = await open(null);
      live().facts.set("wire", opened.wire);
    },
    get id() {
      return live().model ?? DEFAULT_MODEL;
    },
    provider: "client",
    get wire() {
      return now().wire;
    },
    async *stream(request, signal) {
      const shaped = live().server.secrets.data(shape(request, live()));
      noteSize(live(), shaped);
      const began = performance.now();
      try {
        yield* (await open(request.agent)).stream(shaped, signal);
      } catch (error) {
        if (!(await mayGoOn(live(), error))) throw error;
        yield* (await open(request.agent)).stream(shaped, signal);
      } finally {
        live().usage.apiTime += performance.now() - began;
      }
    },
    watch: () => now().watch(),
  };
}

/** What a request is made of; those of other agents have contexts of their own. */
function noteSize(live: Live, { system, history, payload, agent }: ModelRequest): void {
  if (agent !== null) return;
  live.size = { system: system.reduce((sum, { text }) => sum + text.length, 0), tools: payload.tools, history };
}

/** Who asks, as a client that carries the request is told. */
function askerOf({ id }: Live, agent: string | null): Asker {
  const about = { sessionId: id, agentInvocationId: id };
  if (agent === null) return { ...about, agentId: id, interactionType: "conversation-agent" };
  return { ...about, agentId: `${id}:${agent}`, parentAgentId: id, interactionType: "conversation-subagent" };
}

/** The request as the clients' models know it: system text, results and notices in the same words. */
function shape(request: ModelRequest, live: Live): ModelRequest {
  const { payload, agent } = request;
  const text = systemTextOf(live, payload.system, agent);
  return {
    ...request,
    system: text === "" ? [] : [{ id: "system", text }],
    payload: { ...payload, system: [] },
    maxTokens: request.maxTokens ?? limitsOf(live).output ?? null,
    ...mannerOf(live),
    history: shapeHistory(request.history, live),
  };
}

/** How the app wants the model to speak; a summary of `none` is what providers do unasked. */
function mannerOf({ wire }: Live): Pick<ModelRequest, "verbosity" | "reasoningSummary"> {
  return stated({
    verbosity: VERBOSITIES.find((one) => one === wire.verbosity),
    reasoningSummary: REASONING_SUMMARIES.find((one) => one === wire.reasoningSummary),
  });
}

/** Every request holds all that was said, so that each message costs a look. */
function shapeHistory(history: readonly HistoryMessage[], live: Live): readonly HistoryMessage[] {
  const shaped: HistoryMessage[] = [];
  const isBlind = !sees(live);
  for (const message of history) if (!(isBlind && isPicture(message))) shaped.push(shapeMessage(message, live));
  return shaped;
}

/** Pictures that a tool showed stay in the history, and come back with a model that sees. */
function isPicture(message: HistoryMessage): boolean {
  return (
    message.role === "user" && message.by === "notification" && message.content.some(({ type }) => type === "file")
  );
}

type Answers = Extract<HistoryMessage, { role: "answers" }>;

/** In the clients' words once for all requests: a message never changes. */
const saidAnswers = new WeakMap<Answers, Answers>();

function sayAnswers(message: Answers): Answers {
  const answers = message.answers.map((answer) => ({
    ...answer,
    result: { ...answer.result, textResultForLlm: say(answer.result) },
  }));
  const said = { ...message, answers };
  saidAnswers.set(message, said);
  return said;
}

function shapeMessage(message: HistoryMessage, live: Live): HistoryMessage {
  if (message.role === "answers") return saidAnswers.get(message) ?? sayAnswers(message);
  if (message.role !== "user") return shapeReply(message, live);
  const [first] = message.content;
  const [, id, , how] = (first?.type === "text" && OVER.exec(first.text)) || [];
  if (id === undefined) return message;
  return { ...message, content: [{ type: "text", text: agentNotice(id, how === "completed", live) }] };
}

/** Arguments that a hook changed are those that the model made, as far as it will ever know. */
function shapeReply(message: Extract<HistoryMessage, { role: "assistant" }>, live: Live): HistoryMessage {
  const changed = live.facts.get("changed arguments") as ReadonlyMap<string, unknown> | undefined;
  if (changed === undefined) return message;
  const isChanged = message.content.some((part) => part.type === "call" && changed.has(part.call.id));
  if (!isChanged) return message;
  const content = message.content.map((part) =>
    part.type === "call" && changed.has(part.call.id)
      ? { ...part, call: { ...part.call, arguments: changed.get(part.call.id) } }
      : part,
  );
  return { ...message, content, native: null };
}
