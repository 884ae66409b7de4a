import { createLocalJWKSet, jwtVerify } from "jose";
import { onTestFinished } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import { createLoginAsker } from "../../src/runtime/credentials/ask-login.ts";
import { createConnectLinks } from "../../src/runtime/credentials/connect-links.ts";
import type { UpstreamCredentials, UpstreamServer } from "../../src/runtime/credentials/contract.ts";
import { createCredentials } from "../../src/runtime/credentials/create-credentials.ts";
import { createSigningKeys } from "../../src/runtime/credentials/signing-keys.ts";
import { createSubjectTokens } from "../../src/runtime/credentials/subject-tokens.ts";
import { createSealer } from "../../src/runtime/people/sealer.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { openPeopleGateway, type PeopleWorld, PUBLIC_URL } from "./world.ts";

const KEY = Buffer.alloc(32, 7);
const ISSUER = "https://idp.example.com";
const SETTINGS = {
  profiles: { everybody: {} },
  auth: { people: [{ everybody: true, profile: "everybody" }] },
};
export const SERVERS = ["own", "key", "exchanged", "signed", "shared"] as const;
export type ServerName = (typeof SERVERS)[number];

/** Milliseconds. */
const DAY = 86_400_000;

/** Two who have logins everywhere, and one who has none. */
const PERSONS = ["alice", "boris", "carla"] as const;
export const WITH_LOGINS: readonly string[] = ["alice", "boris"];

/** One of several machines in front of the same servers. */
interface UpstreamMachine extends PeopleWorld {
  readonly credentials: UpstreamCredentials;
  readonly url: string;
  serverOf(name: ServerName): UpstreamServer;
}

interface StartOptions {
  /** The one server in front of which it is; all of them if absent. */
  readonly only?: ServerName;
  /** How many clients are held whole. */
  readonly whole?: number;
}

/** What several machines have in common, and the servers behind them. */
export async function openUpstreamWorld() {
  const tables = createMemoryTables();
  const sealer = createSealer([KEY]);
  const machine = () => {
    const store = createStore(createMemoryBackEnd(tables));
    return { store, place: { store, scope: "people-test" } };
  };
  const first = machine();
  const signing = createSigningKeys({ place: first.place, sealer });
  const tokens: Record<"own" | "key" | "exchanged" | "shared", Upstream> = {
    own: await startUpstream(),
    key: await startUpstream(),
    exchanged: await startUpstream(),
    shared: await startUpstream(),
  };
  /** It takes what the gateway has signed for it, and nothing else. */
  const signed = await startUpstream({
    async accountOf({ authorization = "" }) {
      const keys = createLocalJWKSet({ keys: [...(await signing.published())] });
      const options = { issuer: PUBLIC_URL, audience: `${signed.url}` };
      const read = await jwtVerify(authorization.replace(/^Bearer /, ""), keys, options).catch(() => null);
      return read === null ? null : String((read.payload.sub_id as { sub: string }).sub);
    },
  });
  const upstreams: Record<ServerName, Upstream> = { ...tokens, signed };
  const { access: common } = upstreams.shared.logIn("everybody");
  const entry = (name: ServerName, more: object) => ({ type: "http", url: upstreams[name].url, ...more });
  const config = {
    mcpServers: {
      own: entry("own", { credentials: "person" }),
      key: entry("key", { credentials: { kind: "key", header: "x-api-key" } }),
      exchanged: entry("exchanged", {
        credentials: { kind: "exchange", audience: "up", issuer: ISSUER, clientId: "gateway" },
      }),
      signed: entry("signed", { credentials: "signed" }),
      shared: entry("shared", { headers: { Authorization: `Bearer ${common}` } }),
    },
    permissions: { allow: ["*"] },
    toolSearch: "off",
  };
  /** The identity provider gives each account its own token, for the person whose it is. */
  const exchanger = {
    issuer: ISSUER,
    takesOthers: true,
    async askForTokens({ subject_token: subject = "" }: Readonly<Record<string, string>>) {
      const account = subject.replace(/^subject-/, "");
      return { access_token: upstreams.exchanged.logIn(account).access, token_type: "Bearer", expires_in: 60 };
    },
  };
  const callers = PERSONS.map(
    (subject): Caller => ({
      ...{ issuer: ISSUER, subject, client: "https://claude.ai/client.json" },
      ...{ groups: [], claims: [], name: null, email: null },
    }),
  );
  const start = async (given = machine(), { only, whole }: StartOptions = {}): Promise<UpstreamMachine> => {
    const { store, place } = given;
    const subjects = createSubjectTokens({ login: null });
    for (const caller of callers)
      if (WITH_LOGINS.includes(caller.subject)) subjects.note(caller, `subject-${caller.subject}`, Date.now() + DAY);
    const credentials = createCredentials({
      ...{ place, sealer, publicUrl: PUBLIC_URL, signing: createSigningKeys({ place, sealer }), subjects },
      exchanger: () => exchanger,
      onError: (text, error) => {
        throw new Error(text, { cause: error });
      },
    });
    onTestFinished(() => credentials.close());
    const links = createConnectLinks({ place, publicUrl: PUBLIC_URL });
    const askLogin = createLoginAsker({ links, credentials });
    onTestFinished(() => askLogin.close());
    const mcpServers = only === undefined ? config.mcpServers : { [only]: config.mcpServers[only] };
    const world = await openPeopleGateway(SETTINGS, {
      // Built-in tools hold something for a client, which keeps it whole.
      config: { ...config, mcpServers, ...(whole === undefined ? {} : { builtins: "off" }) },
      ...{ store, crib: { credentials, askLogin } },
      ...(whole === undefined ? {} : { whole }),
    });
    const { servers } = world.crib.config;
    return {
      ...world,
      credentials,
      url: `${world.door.origin}/mcp`,
      serverOf: (name: ServerName) => found(servers.get(name)),
    };
  };
  return { upstreams, callers, start, first };
}

export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("it is there");
  return value;
}

/** A new login of that person at both servers where people keep one. */
export async function logIn(
  { credentials, serverOf }: UpstreamMachine,
  person: Caller,
  { own, key }: Record<"own" | "key", Upstream>,
  account = person.subject,
): Promise<void> {
  const { access, refresh } = own.logIn(account);
  await credentials.loginStore(serverOf("own"), person)?.write({
    ...{ url: own.url, issuer: own.origin, tokenEndpoint: `${own.origin}/token`, authMethods: ["none"] },
    ...{ revocation: null, resource: own.url, clientId: "toolcrib", clientSecret: null },
    ...{ access, refresh, expires: null },
  });
  await credentials.putKey(serverOf("key"), person, key.logIn(account).access);
}
