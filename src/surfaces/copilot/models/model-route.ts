import type { HistoryMessage } from "../../../core/call/message.ts";
import { findModel, type GivenProvider } from "../../../runtime/models/find-model.ts";
import type { ModelCarrier } from "../../../runtime/models/http-model.ts";
import {
  type ModelClient,
  type ModelRequest,
  REASONING_SUMMARIES,
  VERBOSITIES,
  type WireName,
} from "../../../runtime/models/model.ts";
import { ModelError } from "../../../runtime/models/model-error.ts";
import { askClient, emit, emitPassing, type SessionCore } from "../state/session-core.ts";
import { say } from "../tools/say-result.ts";
import type { ClientProvider } from "../wire/client-options.ts";
import { dropUndefined, isJson, type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";
import { type Asker, carrierFor, type Transport } from "./inference.ts";
import {
  limitsOf,
  type ModelFinder,
  type ModelState,
  modelName,
  registeredModel,
  sceneModel,
  sees,
} from "./model-state.ts";
import { addressOf, loadEndpoints } from "./service.ts";
import { systemTextOf } from "./system-text.ts";

/** Whose requests they are. */
interface RouteParts {
  readonly core: SessionCore;
  readonly models: ModelState;
}

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

/** What the name of a model means right now: what options, their registry, the environment or a script say. */
export function findRoute(core: SessionCore, models: ModelState, name: string, headers: Json = {}): Route {
  if (name.startsWith("scripted:")) return { name, ...NOWHERE };
  const { provider: own, providers } = core.options;
  if (own?.baseUrl !== undefined) {
    const { wireModel, modelId, ...shared } = own;
    // The name on the wire is that of the session's own model.
    return toRoute(core, name === modelName(models) ? own : shared, name, headers);
  }
  const registered = registeredModel(core, name);
  const provider = providers.find((one) => one.name === registered?.provider);
  if (registered !== undefined && provider !== undefined) {
    // What it is known as says nothing about its name there.
    const { id, provider: _, capabilities, modelId, ...more } = registered;
    return toRoute(core, { ...provider, ...more }, String(id), headers);
  }
  const base = addressOf(core.server);
  if (base === null) return { name, ...NOWHERE };
  const apiKey = core.options.gitHubToken ?? core.server.gitHubToken ?? undefined;
  const service = dropUndefined({ name: SERVICE, baseUrl: base, apiKey, headers: serviceHeaders(core) });
  return toRoute(core, { ...service, ...endpointOf(core, models, name) }, name, headers);
}

/** What the service of the configured address is told with each request, besides who asks. */
function serviceHeaders({ server, current }: SessionCore): Readonly<Record<string, string>> {
  return {
    "Copilot-Integration-Id": "toolcrib",
    "X-GitHub-Api-Version": "2025-05-01",
    "X-Interaction-Id": current ?? server.around.newId(),
  };
}

/** How a model of the configured address is asked, in the words of a provider. */
function endpointOf({ server }: SessionCore, models: ModelState, model: string): ClientProvider {
  const endpoints = models.endpoints.get(model) ?? [];
  if (!endpoints.includes("/responses") || endpoints.includes("/chat/completions")) return {};
  const mayStay = server.around.env.COPILOT_EXP_COPILOT_CLI_WEBSOCKET_RESPONSES !== "false";
  return {
    wireApi: "responses",
    ...(mayStay && endpoints.includes("ws:/responses") ? { transport: "websockets" } : {}),
  };
}

const NOWHERE = { provider: null, given: null, transport: "http" } as const;

function toRoute(core: SessionCore, said: ClientProvider, sessionModel: string, more: Json): Route {
  const name = said.wireModel ?? said.modelId ?? sessionModel;
  const wire = WIRES.get(said.type ?? "") ?? WIRES.get(said.wireApi ?? "") ?? "openai-chat";
  const client = core.options.clientName;
  const headers = {
    "user-agent": `toolcrib/${core.server.version} (Copilot SDK)${client === undefined ? "" : ` ${client}`}`,
    ...keyHeaders(said),
    ...recordOf(said.headers),
    ...more,
  };
  const given: GivenProvider = dropUndefined({
    wire,
    baseUrl: said.type === "azure" ? azureAddress(said, wire, name) : said.baseUrl,
    key: () => keyOf(core, said),
    headers: Object.fromEntries(Object.entries(headers).map(([field, value]) => [field, String(value).trim()])),
    stream: core.options.streaming === true,
  });
  const isSocket = wire === "openai-responses" && said.transport === "websockets";
  const label = said.name === SERVICE ? SERVICE : `provider ${said.name ?? said.type ?? "openai"}`;
  return { name, provider: label, given, transport: isSocket ? "websocket" : "http" };
}

/** What errors call the service of the configured address. */
const SERVICE = "GitHub Copilot";

/** A provider of tokens is asked before every request, a token counts before a key. */
function keyOf(core: SessionCore, said: ClientProvider): string | null | Promise<string | null> {
  if (said.hasBearerTokenProvider === true) return askToken(core, said.name ?? "default");
  return said.bearerToken ?? (said.type === "azure" ? null : said.apiKey) ?? null;
}

/** Azure has a header of its own for keys; tokens go as everywhere. */
function keyHeaders({ type, apiKey, bearerToken, hasBearerTokenProvider }: ClientProvider): Json {
  const isKey = type === "azure" && bearerToken === undefined && hasBearerTokenProvider !== true;
  return isKey && apiKey !== undefined ? { "api-key": apiKey } : {};
}

/** The address names the host alone: the way to a deployment in a version, or that without versions. */
function azureAddress({ baseUrl = "", azure }: ClientProvider, wire: WireName, model: string): string {
  const host = baseUrl.replace(/\/+$/, "");
  const version = azure?.apiVersion;
  if (version === undefined) return host.endsWith("/openai/v1") ? host : `${host}/openai/v1`;
  const place = wire === "openai-chat" ? `/deployments/${encodeURIComponent(model)}` : "";
  return `${host}/openai${place}?api-version=${encodeURIComponent(version)}`;
}

async function askToken(core: SessionCore, providerName: string): Promise<string | null> {
  for (const connection of core.clients.keys()) {
    const answer = recordOf(await askClient(core, connection, "providerToken.getToken", { providerName }));
    if (typeof answer.token === "string") return answer.token;
  }
  return null;
}

/** A model is looked for with each run, and the way to it with each request: tokens, headers and addresses change. */
export function createClientModels(parts: RouteParts): ModelFinder {
  const { core, models } = parts;
  const scripts = new Map<string, Promise<ModelClient>>();
  const open = async (model: string, agent: string | null): Promise<ModelClient> => {
    const { name, provider, given, transport } = findRoute(core, models, model, models.headers);
    const providers = given === null || provider === null ? {} : { providers: { [provider]: given } };
    const carrier = carrierFor(core.server, askerOf(core, agent), transport) ?? core.server.carrier;
    const fetch = core.options.enableCitations === true ? withCitations(carrier) : carrier;
    const place = { env: core.server.around.env, cwd: core.cwd, ...providers, fetch };
    if (!name.startsWith("scripted:")) return findModel(name, provider, place);
    // A script goes on where it was.
    const script = scripts.get(name) ?? findModel(name, null, place);
    scripts.set(name, script);
    return script;
  };
  /** As these clients' apps expect. */
  const openOr = async (wanted: string, how?: "itself") => {
    const own = modelName(models);
    try {
      if (wanted !== own && isMissing(core, models, wanted)) throw new Error("the service does not offer it");
      return { model: wanted, opened: await open(wanted, null) };
    } catch (error) {
      if (wanted === own || how === "itself") throw error;
      const why = error instanceof Error ? error.message : String(error);
      const message = `the model ${wanted} of an agent cannot be asked, and ${own} is asked in its place: ${why}`;
      emitPassing(core, "session.warning", { warningType: "model", message });
      return { model: own, opened: await open(own, null) };
    }
  };
  return async (wanted, how) => {
    const { provider, gitHubToken } = core.options;
    if (provider === undefined && !wanted.startsWith("scripted:"))
      models.endpoints = await loadEndpoints(core.server, gitHubToken);
    const { model, opened } = await openOr(wanted, how);
    if (wanted === sceneModel(core)) models.wire = opened.wire;
    return {
      ...{ id: model, provider: opened.provider, wire: opened.wire, watch: opened.watch },
      async *stream(request, signal) {
        const shaped = core.server.secrets.data(shape(request, model, parts));
        noteSize(models, shaped);
        const began = performance.now();
        try {
          yield* (await open(model, request.agent)).stream(shaped, signal);
        } catch (error) {
          if (!(await switchesModel(core, models, error))) throw error;
          yield* (await open(modelName(models), request.agent)).stream(shaped, signal);
        } finally {
          models.usage.apiTime += performance.now() - began;
        }
      },
    };
  };
}

/** Whether a model is one of the configured service, which lists its models and has no such one. */
function isMissing(core: SessionCore, { endpoints }: ModelState, name: string): boolean {
  const isOthers = core.options.provider?.baseUrl !== undefined || registeredModel(core, name) !== undefined;
  return !isOthers && !name.startsWith("scripted:") && endpoints.size > 0 && !endpoints.has(name);
}

/** What a request is made of; those of other agents have contexts of their own. */
function noteSize(models: ModelState, { system, history, payload, agent }: ModelRequest): void {
  if (agent !== null) return;
  models.size = { system: system.reduce((sum, { text }) => sum + text.length, 0), tools: payload.tools, history };
}

/** Who asks, as a client that carries the request is told. */
function askerOf({ id }: SessionCore, agent: string | null): Asker {
  const about = { sessionId: id, agentInvocationId: id };
  if (agent === null) return { ...about, agentId: id, interactionType: "conversation-agent" };
  return { ...about, agentId: `${id}:${agent}`, parentAgentId: id, interactionType: "conversation-subagent" };
}

/** A model that a person has used up may be replaced by another, where a client says so. */
async function switchesModel(core: SessionCore, models: ModelState, error: unknown): Promise<boolean> {
  if (!(error instanceof ModelError) || error.status !== 429 || !/^user_.*rate_limited$/.test(error.code ?? ""))
    return false;
  const client = [...core.clients.values()].find(({ autoSwitch }) => autoSwitch);
  if (client === undefined || models.model === "auto") return false;
  const requestId = core.server.around.newId();
  const retryAfterSeconds = error.retryAfter === null ? undefined : error.retryAfter / 1_000;
  const asked = dropUndefined({ errorCode: error.code ?? undefined, retryAfterSeconds });
  emitPassing(core, "auto_mode_switch.requested", { requestId, ...asked });
  const asking = askClient(core, client.connection, "autoModeSwitch.request", asked);
  const response = textOf(recordOf(await asking.catch(() => null)).response) ?? "no";
  emitPassing(core, "auto_mode_switch.completed", { requestId, response });
  if (!response.startsWith("yes")) return false;
  const previousModel = models.model;
  models.model = "auto";
  await core.session.updateOptions({ model: models.model });
  emit(
    core,
    "session.model_change",
    dropUndefined({ newModel: "auto", previousModel, cause: "rate_limit_auto_switch" }),
  );
  return true;
}

/** Asks for citations of attached documents, where the provider gives them. */
function withCitations(carry: ModelCarrier): ModelCarrier {
  return (url, asked) => carry(url, { ...asked, body: citing(asked.body) });
}

function citing(text: string): string {
  const body = recordOf(JSON.parse(text));
  if (body.messages === undefined) return text;
  const cite = (block: unknown): unknown =>
    isJson(block) && block.type === "document" ? { ...block, citations: { enabled: true } } : block;
  const messages = recordsOf(body.messages).map((message) =>
    Array.isArray(message.content) ? { ...message, content: message.content.map(cite) } : message,
  );
  return JSON.stringify({ ...body, messages });
}

/** The request as the clients' models know it: system text, results and notices in the same words. */
function shape(request: ModelRequest, model: string, parts: RouteParts): ModelRequest {
  const { payload, agent } = request;
  const { core, models } = parts;
  const { verbosity, reasoningSummary } = core.options;
  const text =
    agent === null
      ? systemTextOf(core, models, payload.system)
      : payload.system.map((section) => section.text).join("\n\n");
  return {
    ...request,
    system: text === "" ? [] : [{ id: "system", text }],
    payload: { ...payload, system: [] },
    maxTokens: request.maxTokens ?? limitsOf(core, models, model).output ?? null,
    // A summary of `none` is what providers do unasked.
    ...dropUndefined({
      verbosity: VERBOSITIES.find((one) => one === verbosity),
      reasoningSummary: REASONING_SUMMARIES.find((one) => one === reasoningSummary),
    }),
    history: shapeHistory(request.history, sees(core, models, model), parts),
  };
}

/** Every request holds all that was said, so that each message costs a look. */
function shapeHistory(
  history: readonly HistoryMessage[],
  isSeen: boolean,
  parts: RouteParts,
): readonly HistoryMessage[] {
  const shaped: HistoryMessage[] = [];
  for (const message of history)
    if (isSeen || !isPicture(message)) shaped.push(shapeMessage(isSeen ? message : withoutPictures(message), parts));
  return shaped;
}

/** Pictures that a tool showed stay in the history, and come back with a model that sees. */
function isPicture(message: HistoryMessage): boolean {
  return (
    message.role === "user" && message.by === "notification" && message.content.some(({ type }) => type === "file")
  );
}

/** Those that a user attached; what was said about them stays. */
function withoutPictures(message: HistoryMessage): HistoryMessage {
  if (message.role !== "user") return message;
  const content = message.content.filter((part) => part.type !== "file" || !part.mimeType.startsWith("image/"));
  return content.length === message.content.length ? message : { ...message, content };
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

function shapeMessage(message: HistoryMessage, { models }: RouteParts): HistoryMessage {
  if (message.role === "answers") return saidAnswers.get(message) ?? sayAnswers(message);
  return message.role === "user" ? message : shapeReply(message, models);
}

/** Arguments that a hook changed are those that the model made, as far as it will ever know. */
function shapeReply(
  message: Extract<HistoryMessage, { role: "assistant" }>,
  { changedArguments: changed }: ModelState,
): HistoryMessage {
  const isChanged =
    changed.size > 0 && message.content.some((part) => part.type === "call" && changed.has(part.call.id));
  if (!isChanged) return message;
  const content = message.content.map((part) =>
    part.type === "call" && changed.has(part.call.id)
      ? { ...part, call: { ...part.call, arguments: changed.get(part.call.id) } }
      : part,
  );
  return { ...message, content, native: null };
}
