import { hash, randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import type { AuditNote } from "../../src/runtime/audit/audit-row.ts";
import type { Crib } from "../../src/runtime/crib/crib.ts";
import { createAuthorizations } from "../../src/runtime/people/authorizations.ts";
import type { Authorizations, IssuedTokens, PeopleRows } from "../../src/runtime/people/contract.ts";
import { createPeopleRows } from "../../src/runtime/people/people-rows.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { createGateway, type Gateway } from "../../src/surfaces/gateway/gateway.ts";
import { createHttpServer, type HttpServer } from "../../src/surfaces/http/door/http-server.ts";
import type { HttpLimits } from "../../src/surfaces/http/door/limits.ts";
import { openPeople } from "../../src/surfaces/http/people/open-people.ts";
import { SILENT } from "../../src/system/logger.ts";
import { openGateway, type WorldOptions } from "../gateway/world.ts";
import { TOKEN } from "../http/door.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

export const PUBLIC_URL = "https://tools.example.com";
/** Machines with one store have the same. */
const KEY = Buffer.alloc(32, 7).toString("base64");

/** Of `gateway`. */
interface Settings {
  readonly auth?: object;
  readonly [name: string]: unknown;
}

export interface PeopleWorld {
  readonly door: HttpServer;
  readonly gateway: Gateway;
  /** Rows of the log. */
  readonly notes: readonly AuditNote[];
  readonly crib: Crib;
  /** Soft limits that were passed, and by whom. */
  readonly passed: readonly string[];
  /** What went wrong with limits. */
  readonly errors: readonly string[];
  readonly store: Store;
  readonly people: PeopleRows;
  readonly authorizations: Authorizations;
  ask(path: string, init?: RequestInit): Promise<Response>;
  /** A request at `/mcp` with this token; its status. */
  tryToken(token: string): Promise<number>;
  /** Takes over other settings of the gateway. */
  reload(gatewaySettings: Settings): Promise<void>;
}

export interface PeopleWorldOptions {
  /** The rest of the configuration. */
  readonly config?: object;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** What several machines have in common; of its own if absent. */
  readonly store?: Store;
  readonly limits?: Partial<HttpLimits>;
  readonly crib?: WorldOptions["crib"];
  /** How many clients are held whole. */
  readonly whole?: number;
}

/** A gateway for people: its door, the gateway behind it, and a store. Ends with the test. */
export async function openPeopleGateway(
  gatewaySettings: Settings,
  {
    config = {},
    now = Date.now,
    store = createStore(createMemoryBackEnd()),
    limits = {},
    crib: ports = {},
    whole,
  }: PeopleWorldOptions = {},
): Promise<PeopleWorld> {
  const withSettings = ({ auth, ...settings }: Settings) => ({
    ...config,
    gateway: { publicUrl: PUBLIC_URL, auth: { keys: [KEY], ...auth }, ...settings },
  });
  const shared = { store, scope: "people-test" };
  const passed: string[] = [];
  const errors: string[] = [];
  const logger = { ...SILENT, error: (text: string) => void errors.push(text) };
  const onLimitPassed = (text: string, principal: string) => void passed.push(`${principal}: ${text}`);
  const world = await openGateway(withSettings(gatewaySettings), {
    crib: { shared, onLimitPassed, logger, ...ports },
    gateway: { shared },
  });
  const { crib } = world;
  const { gateway } = crib.config;
  const notes: AuditNote[] = [];
  const front = createGateway(crib, {
    version: "1",
    shared,
    ...(whole === undefined ? {} : { limits: { whole } }),
    onIncident: (incident) => void notes.push({ ...incident, type: incident.code }),
  });
  const publicUrl = gateway.publicUrl?.value ?? "";
  const people = await openPeople({
    ...{ gateway, publicUrl, place: shared, folder: makeTempFolder(), front, now },
    note: (note) => void notes.push(note),
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  const door = await createHttpServer({
    ...{ host: "127.0.0.1", port: 0, access: { ...gateway, token: TOKEN }, people, publicUrl, limits },
    ...{ mcp: front.handleHttp, api: null, metrics: null, page: null },
  });
  const rows = createPeopleRows(shared, now);
  onTestFinished(async () => {
    rows.close();
    await door.close();
    await front.close();
    await people.close();
  });
  const ask = (path: string, init?: RequestInit) => fetch(`${door.origin}${path}`, { redirect: "manual", ...init });
  return {
    ...{ crib, passed, errors },
    ...{ door, gateway: front, notes, store, ask, people: rows },
    authorizations: createAuthorizations(shared, { people: rows, log: () => {}, now }),
    tryToken: async (token) => (await ask("/mcp", asking(token))).status,
    async reload(settings) {
      await world.reload(withSettings(settings));
      door.setAccess({ ...crib.config.gateway, token: TOKEN });
    },
  };
}

/** An `initialize` with that token. */
export function asking(token: string | null, headers: object = {}): RequestInit {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
    }),
  };
}

/** Tokens that a person has let a client have. */
export async function giveTokens(
  { people, authorizations }: Pick<PeopleWorld, "people" | "authorizations">,
  {
    scopes = ["tools:read", "tools:call"],
    browser = null,
    ...given
  }: Partial<Caller> & { scopes?: readonly string[]; browser?: string | null } = {},
): Promise<IssuedTokens> {
  const caller: Caller = {
    ...{ issuer: "https://idp.example.com", subject: "alice", client: "https://claude.ai/client.json" },
    ...{ groups: ["eng"], claims: [], name: "Alice", email: null, ...given },
  };
  await people.note(caller);
  const redirect = "http://127.0.0.1/callback";
  const verifier = randomBytes(32).toString("base64url");
  const challenge = hash("sha256", verifier, "base64url");
  const code = await authorizations.allow({
    ...{ caller, clientName: "Claude", scopes, redirect, challenge, browser },
  });
  const tokens = await authorizations.redeem(code, { client: caller.client ?? "", redirect, verifier });
  if (tokens === null) throw new Error("no tokens were given");
  return tokens;
}
