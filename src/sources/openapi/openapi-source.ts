import { createHash } from "node:crypto";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { PUBLIC_REACH, type Reach } from "../../system/addresses/resolve-public.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { disabledStatus } from "../parts/disabled-status.ts";
import { createHttpClient } from "../parts/http-client.ts";
import { keepTools } from "../parts/keep-tools.ts";
import { PROGRAM_LIMITS } from "../parts/limits.ts";
import { createStatusRedactor } from "../parts/redact.ts";
import { failure } from "../parts/results.ts";
import { runWhileOpen } from "../parts/run-while-open.ts";
import { StartFailure } from "../parts/start-failure.ts";
import type { StoredList } from "../parts/stored-list.ts";
import { createSupervisor, type Supervised } from "../parts/supervisor.ts";
import { type CallManner, IN_PROCESS, type Source, toStatus, type Unwanted } from "../source.ts";
import type { Tokens } from "../token-port.ts";
import { DocumentFault } from "./api-file.ts";
import { type ApiSpec, isAddress } from "./api-spec.ts";
import { fetchDocument } from "./fetch-document.ts";
import { describeFault, type LoadedApi, loadApi } from "./load-api.ts";
import { type DocumentPorts, loadText } from "./load-files.ts";
import { runOperation } from "./run-operation.ts";
import { type ApiDefinition, toApiTool } from "./to-definition.ts";

export interface OpenApiSourceOptions {
  /** The key under `openapi`. */
  readonly name: string;
  readonly api: ApiSpec;
  /** The folder in which people work. */
  readonly workspace: string;
  /** Why policy forbids calling an address; null if it does not. */
  readonly whyRefused?: (url: string) => string | null;
  /** What was read of a document before, by a key that changes with it; nothing is stored if absent. */
  readonly keep?: (key: string) => Promise<StoredList>;
  /** What proves who asks, besides what the entry says; closed with the source. Without a token no call is made. */
  readonly tokens?: Tokens | undefined;
  readonly reach?: Reach;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** A document that was read: its tools at once, and what calls need when the first call is made. */
interface Reading extends Supervised, KnownApi {
  prepare(): Promise<LoadedApi>;
}

const CALL_TIMEOUT = 60_000;
const START_TIMEOUT = 30_000;
/** Calls run on a server, and the source ends them by itself. */
const MANNER: CallManner = { ...IN_PROCESS, isElsewhere: true, slack: 1_000, queue: "session" };

/** The operations of one OpenAPI document as tools. The document is read in the background, and again after a failure. */
export function createOpenApiSource(options: OpenApiSourceOptions): Source {
  const { name, api: spec, clock = SYSTEM_CLOCK, reach = PUBLIC_REACH, random = Math.random } = options;
  const { whyRefused = () => null } = options;
  const { group = null, defer = "auto", timeout = null } = spec;
  const isDisabled = spec.enabled === false;
  const listeners = createChangeListeners();
  const closing = new AbortController();
  const client = createHttpClient();
  const { tokens: proof = null } = options;
  const redactEntry = createStatusRedactor({ headers: { ...spec.headers, ...spec.auth } });
  const redact = (text: string): string => proof?.hide(redactEntry(text)) ?? redactEntry(text);
  let tools: readonly Tool[] = [];
  let isKnown = false;
  const supervisor = createSupervisor<Reading>({
    ...{ name, clock, random, what: "API" },
    limits: { ...PROGRAM_LIMITS, startTimeout: spec.startTimeout ?? START_TIMEOUT },
    initial: isDisabled ? disabledStatus(spec.disabledBy) : toStatus("starting", null),
    open: (signal) => openReading(options, { workspace: options.workspace, fetch: fetchWith(client, spec) }, signal),
    hasList: () => isKnown,
    firstWait: spec.startTimeout ?? START_TIMEOUT,
    onConnected({ definitions }) {
      const about = { server: name, group, defer, timeout };
      tools = keepTools(
        tools,
        definitions.map((one) => toApiTool(one, about)),
      );
      isKnown = true;
    },
    onChange: listeners.emit,
  });
  if (!isDisabled) supervisor.start();
  return {
    kind: "openapi",
    name,
    manner: MANNER,
    get status() {
      const { status, connection } = supervisor;
      const reason = status.reason ?? connection?.trouble ?? null;
      return { ...status, reason: reason === null ? null : redact(reason) };
    },
    get unwanted() {
      return supervisor.connection?.unwanted ?? NOTHING;
    },
    async list(signal) {
      if (!isDisabled && !isKnown) await supervisor.settled(signal);
      return tools;
    },
    run: (tool, args, context) =>
      runWhileOpen(closing.signal, context, async (open) => {
        const reading = supervisor.connection ?? (await supervisor.ready(open.signal));
        const api = await reading.prepare();
        const why = whyRefused(api.base.url.href);
        if (why !== null) return failure(`This call is not made: ${why}.`);
        const port = { server: name, client, reach, clock, redact, whyRefused, tokens: proof };
        const timeout = tool.timeout ?? CALL_TIMEOUT;
        return runOperation(api, spec, { tools, tool, args }, { ...port, timeout }, open.signal);
      }),
    changes: listeners.add,
    restart: async () => {
      if (!isDisabled) await supervisor.restart();
    },
    async close() {
      closing.abort();
      listeners.clear();
      await supervisor.close();
      await proof?.close();
      client.close();
    },
  };
}

function fetchWith(client: ReturnType<typeof createHttpClient>, spec: ApiSpec): DocumentPorts["fetch"] {
  return (url, signal) => fetchDocument(url, spec, client, signal);
}

/** A document whose tools are stored from an earlier start is not even parsed until one of them is called. */
async function openReading(options: OpenApiSourceOptions, ports: DocumentPorts, signal: AbortSignal): Promise<Reading> {
  const { api: spec, keep, whyRefused = () => null } = options;
  try {
    refuse(
      [...(isAddress(spec.spec) ? [spec.spec] : []), ...(spec.baseUrl === null ? [] : [spec.baseUrl])],
      whyRefused,
    );
    const text = await loadText(spec.spec, ports, signal);
    const load = once(async () => {
      const api = await loadApi(spec, text, ports, signal);
      refuse([api.base.url.href], whyRefused);
      return api;
    });
    const stored = await keep?.(keyOf(spec, text));
    const earlier = readStored(stored?.earlier ?? null);
    if (earlier !== null) {
      refuse([earlier.base], whyRefused);
      return toReading(earlier, load);
    }
    const api = await load();
    const about = { base: api.base.url.href, trouble: api.trouble, unwanted: [...api.unwanted] };
    if (api.isWhole)
      stored?.save({ tools: api.definitions.map((one) => JSON.stringify(one)), instructions: JSON.stringify(about) });
    await stored?.close();
    return toReading(api, load);
  } catch (error) {
    signal.throwIfAborted();
    throw await toStartFailure(error, spec);
  }
}

/** What is known of an API before it is called. */
type KnownApi = Pick<LoadedApi, "definitions" | "unwanted" | "trouble">;

const NOTHING: LoadedApi["unwanted"] = new Map();

function toReading({ definitions, unwanted, trouble }: KnownApi, prepare: () => Promise<LoadedApi>): Reading {
  return {
    ...{ definitions, unwanted, trouble },
    prepare,
    lost: new Promise(() => {}),
    refusal: null,
    readStderr: () => null,
    close: async () => {},
  };
}

/** Everything that decides how a document is listed. */
function keyOf({ spec, baseUrl, include, exclude }: ApiSpec, text: string): string {
  const parts = JSON.stringify([VERSION, spec, baseUrl === null, include, exclude]);
  return createHash("sha256").update(parts).update("\0").update(text).digest("hex");
}

/** Must change whenever documents are read differently than before. */
const VERSION = 4;

interface StoredApi extends KnownApi {
  readonly base: string;
}

function readStored(earlier: StoredList["earlier"]): StoredApi | null {
  const about = parseJson(earlier?.instructions ?? "");
  if (earlier === null || !isRecord(about) || typeof about.base !== "string") return null;
  const trouble = typeof about.trouble === "string" ? about.trouble : null;
  const definitions = earlier.tools.flatMap((one): ApiDefinition[] => {
    if (!isRecord(one) || typeof one.name !== "string" || typeof one.description !== "string") return [];
    const { name, title, description, inputSchema, outputSchema = null, readOnly, idempotent } = one;
    const shown = typeof title === "string" ? title : null;
    const traits = { readOnly: readOnly === true, idempotent: idempotent === true };
    return [{ name, title: shown, description, inputSchema, outputSchema, ...traits }];
  });
  const unwanted = new Map(Array.isArray(about.unwanted) ? about.unwanted.flatMap(toUnwanted) : []);
  return definitions.length === earlier.tools.length ? { definitions, unwanted, trouble, base: about.base } : null;
}

function toUnwanted(entry: unknown): readonly (readonly [string, Unwanted])[] {
  const [name, left] = Array.isArray(entry) ? entry : [];
  if (typeof name !== "string" || !isRecord(left) || !Array.isArray(left.excludedBy)) return [];
  const excludedBy = left.excludedBy.filter((pattern) => typeof pattern === "string");
  return [[name, { isIncluded: left.isIncluded === true, excludedBy }]];
}

function refuse(addresses: readonly string[], whyRefused: (url: string) => string | null): void {
  for (const address of addresses) {
    const why = whyRefused(address);
    if (why !== null) throw new StartFailure(why, { next: "Ask the policy's owner." });
  }
}

async function toStartFailure(error: unknown, { spec }: ApiSpec): Promise<StartFailure> {
  if (error instanceof StartFailure) return error;
  const retried = "It is read again by itself once that is right.";
  if (error instanceof DocumentFault) {
    const known = error.next === null ? ({ next: retried, fault: { kind: "other" } } as const) : { next: error.next };
    return new StartFailure(`cannot be used: ${await describeFault(error)}`, known);
  }
  const shown = isAddress(spec) ? spec.replace(/[?#].*$/, "") : spec;
  const message = error instanceof Error ? error.message : "cannot be read";
  const next = `Correct \`spec\` in its entry. ${retried}`;
  return new StartFailure(`cannot be used: ${shown} ${message}`, { next, fault: { kind: "other" } });
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
