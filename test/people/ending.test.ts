import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, test, vi } from "vitest";
import { ToolcribError } from "../../src/core/codes/toolcrib-error.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { callModern, createWanderer } from "../gateway/machines.ts";
import { entry } from "../http/inspector.ts";
import { needs } from "../support/machine.ts";
import { makeStore } from "../support/people-stores.ts";
import { startIssuer } from "./issuer.ts";
import { asking, giveTokens, openPeopleGateway, type PeopleWorldOptions } from "./world.ts";

const SETTINGS = { profiles: { all: {} }, auth: { people: [{ everybody: true, profile: "all" }] } };
const CONFIG = { mcpServers: { it: entry() }, permissions: { allow: ["it/*"] }, toolSearch: "off" };
const ALICE = { issuer: "https://idp.example.com", subject: "alice" };
const CLIENT = "https://claude.ai/client.json";

async function openMachine(
  options: PeopleWorldOptions = {},
  settings: Parameters<typeof openPeopleGateway>[0] = SETTINGS,
) {
  const world = await openPeopleGateway(settings, { config: CONFIG, ...options });
  return { ...world, url: `${world.door.origin}/mcp` };
}

/** Everything that somebody can have open, on one machine; each resolves when it is over. */
async function openEverything({ url }: { readonly url: string }, token: string) {
  const client = createWanderer(token);
  await client.initialize(url);
  const stream = await client.open(url);
  expect(stream.status).toBe(200);
  const call = { name: "it__hang", args: {} };
  const over: string[] = [];
  const note = (what: string, work: Promise<unknown>) =>
    void work.then(
      () => over.push(what),
      () => over.push(what),
    );
  note("stream", stream.text());
  note("call", client.request(url, "tools/call", { name: call.name, arguments: {} }));
  note("modern call", callModern(url, { ...call, token }));
  return { client, over };
}

const soon = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 5_000, interval: 50 });

describe.each(["memory", "sqlite", "postgres"] as const)("over three machines with one store (%s)", (kind) => {
  const title = "tokens, sessions, streams and running calls end everywhere within 5 s, and those of others go on";
  test(title, { ...needs(...(kind === "postgres" ? (["postgres"] as const) : [])), timeout: 120_000 }, async () => {
    const shared = await makeStore(kind);
    const machines: Awaited<ReturnType<typeof openMachine>>[] = [];
    for (let at = 0; at < 3; at += 1) machines.push(await openMachine({ store: await shared.open() }));
    const [first] = machines;
    if (first === undefined) throw new Error("there are machines");
    const [alice, bob] = [await giveTokens(first), await giveTokens(first, { subject: "bob" })];
    const hers = await Promise.all(machines.map((machine) => openEverything(machine, alice.accessToken)));
    const his = await Promise.all(machines.map((machine) => openEverything(machine, bob.accessToken)));
    await vi.waitFor(() => expect(machines.map(({ gateway }) => gateway.clients.length)).toEqual([4, 4, 4]), 20_000);

    await first.people.end(ALICE, "an admin");
    await soon(async () => {
      for (const machine of machines) expect(await machine.tryToken(alice.accessToken)).toBe(401);
      for (const { over } of hers) expect([...over].sort()).toEqual(["call", "modern call", "stream"]);
    });
    for (const machine of machines) {
      expect(machine.gateway.clients.map(({ principal }) => principal)).toEqual(
        Array.from({ length: 2 }, () => "bob@idp.example.com"),
      );
      expect(await machine.tryToken(bob.accessToken)).toBe(200);
    }
    expect(his.flatMap(({ over }) => over)).toEqual([]);
    // The log of each machine says so.
    const said = { type: "person.ended", principal: "alice@idp.example.com", text: expect.stringMatching(/an admin$/) };
    for (const { notes } of machines)
      await soon(() => expect(notes.filter(({ type }) => type === "person.ended")).toMatchObject([said]));
  });
});

test("what one client was given ends alone: other clients of the person, and other logins of that client, go on", async () => {
  const machine = await openMachine();
  const laptop = await giveTokens(machine);
  const desktop = await giveTokens(machine);
  const editor = await giveTokens(machine, { client: "https://vscode.dev/client.json" });
  const [one, two, three] = await Promise.all(
    [laptop, desktop, editor].map(({ accessToken }) => openEverything(machine, accessToken)),
  );
  await machine.authorizations.revoke(laptop.accessToken, CLIENT);
  await soon(() => expect([...(one?.over ?? [])].sort()).toEqual(["call", "modern call", "stream"]));
  expect(await machine.tryToken(laptop.accessToken)).toBe(401);
  expect([two?.over, three?.over]).toEqual([[], []]);
  expect(await machine.tryToken(desktop.accessToken)).toBe(200);
  expect((await three?.client.request(machine.url, "ping"))?.status).toBe(200);
});

test("a foreign token of somebody whose access has ended is refused, on a machine that never saw it too", async () => {
  const issuer = await startIssuer();
  const settings = { ...SETTINGS, auth: { ...SETTINGS.auth, issuers: [{ issuer: issuer.issuer }] } };
  const machine = await openMachine({}, settings);
  const token = await issuer.sign();
  const { over } = await openEverything(machine, token);
  const person = { issuer: issuer.issuer, subject: "alice" };
  expect(await machine.people.find(person)).toMatchObject({ ended: null });
  await machine.people.end(person, "an admin");
  await soon(() => expect([...over].sort()).toEqual(["call", "modern call", "stream"]));
  const other = await openMachine({ store: machine.store }, settings);
  for (const each of [machine, other]) expect(await each.tryToken(await issuer.sign({ jti: "new" }))).toBe(401);
  expect(other.notes.at(-1)?.text).toMatch(/the access of alice@127\.0\.0\.1:\d+ was ended by an admin$/);
});

test("a request whose body came in slowly does not run once the access has ended", async () => {
  const machine = await openMachine();
  const { accessToken } = await giveTokens(machine);
  expect(await machine.tryToken(accessToken)).toBe(200);
  const { body, headers } = asking(accessToken);
  const { port } = machine.door;
  const asked = request({
    ...{ host: "127.0.0.1", port, path: "/mcp", method: "POST" },
    headers: { ...(headers as Record<string, string>), expect: "100-continue" },
  });
  asked.flushHeaders();
  // It has passed the door, which then asks for the body.
  await once(asked, "continue");
  await machine.people.end(ALICE, "an admin");
  await soon(async () => expect(await machine.tryToken(accessToken)).toBe(401));
  asked.end(body);
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  answer.resume();
  expect([answer.statusCode, answer.headers["www-authenticate"]]).toEqual([
    401,
    expect.stringContaining("invalid_token"),
  ]);
});

describe("with the store away", () => {
  test("tokens seen a minute ago go on until then, and nothing new comes in (O8)", async () => {
    let at = Date.now();
    const store = createStore(createMemoryBackEnd());
    const cut = cutStore(store);
    const issuer = await startIssuer();
    const settings = { ...SETTINGS, auth: { ...SETTINGS.auth, issuers: [{ issuer: issuer.issuer }] } };
    const machine = await openMachine({ store: cut.store, now: () => at }, settings);
    const [seen, unseen] = [await giveTokens(machine), await giveTokens(machine)];
    const foreign = await issuer.sign();
    // Reading alone needs no store.
    const list = (token: string) =>
      machine.ask("/mcp", { headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" } });
    const statuses = async (...tokens: string[]) =>
      Promise.all(tokens.map(async (token) => (await list(token)).status));
    const OPEN = 400; // No session is named, which is said to those who came in.
    expect(await statuses(seen.accessToken, foreign)).toEqual([OPEN, OPEN]);
    cut.isAway = true;
    expect(await statuses(seen.accessToken, foreign)).toEqual([OPEN, OPEN]);
    expect(await statuses(unseen.accessToken, await issuer.sign({ jti: "2" }))).toEqual([503, 503]);
    at += 59_000;
    expect(await statuses(seen.accessToken, foreign)).toEqual([OPEN, OPEN]);
    at += 2_000;
    expect(await statuses(seen.accessToken, foreign)).toEqual([503, 503]);
    cut.isAway = false;
    expect(await statuses(seen.accessToken, unseen.accessToken, foreign)).toEqual([OPEN, OPEN, OPEN]);
  });
});

/** A store that can be away: values of people are what the door needs of it. */
function cutStore(store: Store): { isAway: boolean; readonly store: Store } {
  const cut = {
    isAway: false,
    store: {
      ...store,
      keyValues(place: Parameters<Store["keyValues"]>[0]) {
        const values = store.keyValues(place);
        const orAway = <T>(work: () => Promise<T>): Promise<T> =>
          cut.isAway ? Promise.reject(new ToolcribError("store.unavailable", "away")) : work();
        return {
          get: (key: string) => orAway(() => values.get(key)),
          entries: () => orAway(() => values.entries()),
          change: (...given: Parameters<typeof values.change>) => orAway(() => values.change(...given)),
        };
      },
    },
  };
  return cut;
}
