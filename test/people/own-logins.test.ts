import fc from "fast-check";
import { createLocalJWKSet, jwtVerify } from "jose";
import { expect, onTestFinished, test } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import { createLoginAsker } from "../../src/runtime/credentials/ask-login.ts";
import { createConnectLinks } from "../../src/runtime/credentials/connect-links.ts";
import { createCredentials } from "../../src/runtime/credentials/create-credentials.ts";
import { createSigningKeys } from "../../src/runtime/credentials/signing-keys.ts";
import { createSubjectTokens } from "../../src/runtime/credentials/subject-tokens.ts";
import { createSealer } from "../../src/runtime/people/sealer.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { createWanderer } from "../gateway/machines.ts";
import { startUpstream, type Upstream } from "./upstream.ts";
import { giveTokens, openPeopleGateway, PUBLIC_URL } from "./world.ts";

const KEY = Buffer.alloc(32, 7);
const ISSUER = "https://idp.example.com";
const SETTINGS = {
  profiles: { everybody: {} },
  auth: { people: [{ everybody: true, profile: "everybody" }] },
};
const SERVERS = ["own", "key", "exchanged", "signed", "shared"] as const;
type ServerName = (typeof SERVERS)[number];

/** Milliseconds. */
const DAY = 86_400_000;

/** Two who have logins everywhere, and one who has none. */
const PERSONS = ["alice", "boris", "carla"] as const;
const WITH_LOGINS: readonly string[] = ["alice", "boris"];

const step = fc.record({
  who: fc.constantFrom(0, 1, 2),
  machine: fc.constantFrom(0, 1, 2),
  server: fc.constantFrom(...SERVERS),
  what: fc.constantFrom(
    ...(["open", "tools", "prompts", "resources", "read", "get", "call", "call", "keep", "storm"] as const),
    ...(["expire", "log-out", "log-in", "end", "crash"] as const),
  ),
  isAlone: fc.boolean(),
});

/** What several machines have in common, and the servers behind them. */
async function openWorld() {
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
  const start = async (given = machine()) => {
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
    const world = await openPeopleGateway(SETTINGS, { config, store, crib: { credentials, askLogin } });
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

type Machine = Awaited<ReturnType<Awaited<ReturnType<typeof openWorld>>["start"]>>;

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("it is there");
  return value;
}

/** A new login of that person at both servers where people keep one. */
async function logIn(
  { credentials, serverOf }: Machine,
  person: Caller,
  { own, key }: Record<"own" | "key", Upstream>,
) {
  const { access, refresh } = own.logIn(person.subject);
  await credentials.loginStore(serverOf("own"), person)?.write({
    ...{ url: own.url, issuer: own.origin, tokenEndpoint: `${own.origin}/token`, authMethods: ["none"] },
    ...{
      revocation: null,
      resource: own.url,
      clientId: "toolcrib",
      clientSecret: null,
      access,
      refresh,
      expires: null,
    },
  });
  await credentials.putKey(serverOf("key"), person, key.logIn(person.subject).access);
}

test("nobody ever acts with another's login, over pools, caches, refreshes, exchanged tokens, three machines and crashes (O10, O11)", async () => {
  const { upstreams, callers, start, first } = await openWorld();
  const machines = [await start(first), await start(), await start()];
  const secretsOf = (subject: string): readonly string[] =>
    Object.values(upstreams).map(({ secretOf }) => secretOf(subject));
  const tokens = (): readonly string[] => Object.values(upstreams).flatMap((upstream) => upstream.tokens);
  const given = await Promise.all(callers.map((caller) => giveTokens(found(machines[0]), caller)));
  const seenOf = new Map<ServerName, number>();
  let notes = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
      for (const caller of callers)
        if (WITH_LOGINS.includes(caller.subject)) await logIn(found(machines[0]), caller, upstreams);
      const people = callers.map((caller, at) => ({
        ...{ caller, token: found(given[at]).accessToken, hasLogins: WITH_LOGINS.includes(caller.subject) },
        ...{ clients: [] as ReturnType<typeof createWanderer>[], seen: [] as string[], kept: [] as string[] },
      }));
      const run = async ({ who, machine, server, what }: (typeof steps)[number]): Promise<void> => {
        const me = found(people[who]);
        const place = found(machines[machine]);
        const client = me.clients.at(-1);
        const ask = async (method: string, params: object = {}): Promise<void> => {
          if (client !== undefined) me.seen.push(JSON.stringify(await client.request(place.url, method, params)));
        };
        const secret = upstreams[server].secretOf(server === "shared" ? "everybody" : me.caller.subject);
        switch (what) {
          case "open": {
            const opened = createWanderer(me.token);
            await opened.initialize(place.url);
            me.clients.push(opened);
            return;
          }
          case "tools":
            return ask("tools/list");
          case "prompts":
            return ask("prompts/list");
          case "resources":
            return ask("resources/list");
          case "read":
            return ask("resources/read", { uri: `up://${secret}` });
          case "get":
            return ask("prompts/get", { name: `${server}__prompt-${secret}` });
          case "call":
            return ask("tools/call", { name: `${server}__recall`, arguments: {} });
          case "keep": {
            const text = `note-${me.caller.subject}-${++notes}-only`;
            me.kept.push(text);
            return ask("tools/call", { name: `${server}__keep`, arguments: { text } });
          }
          case "storm":
            upstreams.own.expire(me.caller.subject);
            await Promise.all(
              machines.map(async ({ url }) => {
                const opened = createWanderer(me.token);
                await opened.initialize(url);
                const called = opened.request(url, "tools/call", { name: "own__recall", arguments: {} });
                me.seen.push(JSON.stringify(await called));
                await opened.end(url);
              }),
            );
            return;
          case "expire":
            upstreams[server].expire(me.caller.subject);
            return;
          case "log-out":
            await place.credentials.forget(me.caller, "own");
            return;
          case "log-in":
            if (me.hasLogins) await logIn(place, me.caller, upstreams);
            return;
          case "end":
            await me.clients.pop()?.end(place.url);
            return;
          case "crash":
            // Nobody is told; what ran there goes on without anybody.
            void place.door.close();
            machines[machine] = await start();
        }
      };
      const running: Promise<void>[] = [];
      for (const one of steps) {
        // A machine that goes away cuts answers off.
        running.push(
          run(one).catch((error: unknown) => expect(String(error)).toMatch(/fetch failed|terminated|other side/)),
        );
        if (one.isAlone) await Promise.all(running);
      }
      await Promise.all(running);
      for (const me of people) {
        const all = me.seen.join("\n");
        for (const name of SERVERS)
          if (all.includes(upstreams[name].secretOf(me.caller.subject))) seenOf.set(name, (seenOf.get(name) ?? 0) + 1);
        for (const other of people) {
          if (other === me) continue;
          for (const secret of [...secretsOf(other.caller.subject), ...other.kept]) expect(all).not.toContain(secret);
        }
        for (const token of tokens()) expect(all).not.toContain(token);
      }
    }),
    { numRuns: 15 },
  );
  for (const [name, { crossed }] of Object.entries(upstreams)) expect([name, ...crossed]).toEqual([name]);
  // Those who have logins saw what is theirs at each server, and logins were renewed, or the rest would say nothing.
  for (const name of ["own", "key", "exchanged", "signed"] as const)
    expect([name, (seenOf.get(name) ?? 0) > 3]).toEqual([name, true]);
  expect(upstreams.own.refreshes.used).toBeGreaterThan(3);
  expect(upstreams.own.refreshes.reused).toBe(0);
}, 240_000);
