import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Caller, Person } from "../../core/people/person.ts";
import { createStore } from "../store/create-store.ts";
import { createMemoryBackEnd } from "../store/memory-back-end.ts";
import { createMemoryTables } from "../store/memory-tables.ts";
import { createAuthorizations } from "./authorizations.ts";
import type { GivenAccess, IssuedTokens, PeopleNote, PersonChange } from "./contract.ts";

const CLIENT = "https://claude.ai/oauth/claude-code-client-metadata";
const REDIRECT = "http://localhost:3118/callback";
const VERIFIER = "v".repeat(43);
const challengeOf = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");
const alice: Caller = {
  ...{ issuer: "https://idp.example.com", subject: "alice", client: CLIENT, groups: ["eng"], claims: [] },
  ...{ name: "Alice", email: null },
};

/** Three machines with one store, one log, and a clock that the test moves. */
function cluster() {
  const tables = createMemoryTables();
  const clock = { now: Date.parse("2026-11-19T10:00:00Z") };
  const log: PeopleNote[] = [];
  const announced: PersonChange[] = [];
  const ended = new Set<string>();
  const known = new Map<string, Partial<Caller>>();
  const people = {
    find: async ({ issuer, subject }: Person) => ({
      ...{ caller: { ...alice, issuer, subject, ...known.get(subject) }, since: 0, seen: 0 },
      ended: ended.has(subject) ? { at: 0, by: "root" } : null,
    }),
    announce: async (change: PersonChange) => void announced.push(change),
  };
  const machines = [1, 2, 3].map(() => {
    const store = createStore(createMemoryBackEnd(tables));
    return createAuthorizations({ store, scope: "s" }, { people, log: (note) => log.push(note), now: () => clock.now });
  });
  const [one, two, three] = machines;
  if (one === undefined || two === undefined || three === undefined) throw new Error("there are three");
  const give = async (more: Partial<GivenAccess> = {}): Promise<IssuedTokens> => {
    const grant = {
      caller: alice,
      clientName: "Claude Code",
      scopes: ["tools:read"],
      redirect: REDIRECT,
      browser: null,
    };
    const code = await one.allow({ ...grant, challenge: challengeOf(VERIFIER), ...more });
    const tokens = await two.redeem(code, { client: CLIENT, redirect: REDIRECT, verifier: VERIFIER });
    if (tokens === null) throw new Error("the code counts");
    return tokens;
  };
  const pass = (seconds: number): void => {
    clock.now += seconds * 1000;
  };
  return { one, two, three, machines, tables, log, announced, ended, known, give, pass };
}

const shown = { client: CLIENT, redirect: REDIRECT, verifier: VERIFIER };
const grant: GivenAccess = {
  ...{
    caller: alice,
    clientName: "x",
    scopes: [],
    redirect: REDIRECT,
    challenge: challengeOf(VERIFIER),
    browser: null,
  },
};

test("a code given on one machine is redeemed on another, and its tokens count on a third (O4)", async () => {
  const { three, give } = cluster();
  const tokens = await give();
  expect(tokens).toMatchObject({ expiresIn: 3600, scopes: ["tools:read"] });
  expect(await three.find(tokens.accessToken)).toMatchObject({ caller: alice, scopes: ["tools:read"] });
  expect(await three.find(tokens.refreshToken)).toBe(null);
  expect(await three.refresh(tokens.accessToken, CLIENT)).toBe(null);
});

test.each([
  ["code of another client", { client: "https://evil.example/c.json" }],
  ["wrong verifier", { verifier: "w".repeat(43) }],
  ["another redirect", { redirect: "http://localhost:1/callback" }],
])("%s: refused, and the right client still gets its tokens", async (_, more) => {
  const { one, two } = cluster();
  const code = await one.allow(grant);
  expect(await two.redeem(code, { ...shown, ...more })).toBe(null);
  expect(await two.redeem(code, shown)).not.toBe(null);
});

test("code after 60 s: refused", async () => {
  const { one, pass } = cluster();
  const code = await one.allow(grant);
  pass(60);
  expect(await one.redeem(code, shown)).toBe(null);
});

test("code replay: refused, and what the code gave is revoked on all machines", async () => {
  const { one, two, three, log, announced } = cluster();
  const code = await one.allow(grant);
  const tokens = await two.redeem(code, shown);
  expect(await three.redeem(code, { ...shown, client: "https://evil.example/c.json" })).toBe(null);
  expect(await one.find(tokens?.accessToken ?? "")).toBe(null);
  expect(await two.refresh(tokens?.refreshToken ?? "", CLIENT)).toBe(null);
  expect(log.map(({ type }) => type)).toEqual(["authorization.given", "authorization.replayed"]);
  expect(announced).toMatchObject([{ kind: "revoked", client: CLIENT }]);
});

test("a code shown on three machines at once leaves nothing that counts", async () => {
  const { one, machines } = cluster();
  for (let round = 0; round < 20; round++) {
    const code = await one.allow(grant);
    const given = await Promise.all(machines.map((machine) => machine.redeem(code, shown)));
    for (const tokens of given) if (tokens !== null) expect(await one.find(tokens.accessToken)).toBe(null);
  }
});

test("refresh replay within the grace: the same next refresh token, so that no client is left with an old one", async () => {
  const { one, two, three, give, pass } = cluster();
  const first = await give();
  const second = await one.refresh(first.refreshToken, CLIENT);
  pass(59);
  const again = await two.refresh(first.refreshToken, CLIENT);
  expect(again?.refreshToken).toBe(second?.refreshToken);
  expect(again?.accessToken).not.toBe(second?.accessToken);
  const third = await three.refresh(second?.refreshToken ?? "", CLIENT);
  expect((await one.refresh(second?.refreshToken ?? "", CLIENT))?.refreshToken).toBe(third?.refreshToken);
  expect(await one.find(again?.accessToken ?? "")).not.toBe(null);
});

test("refresh replay two steps behind, within the grace, leads to the one that counts", async () => {
  const { one, two, give, pass } = cluster();
  const first = await give();
  const second = await one.refresh(first.refreshToken, CLIENT);
  const third = await one.refresh(second?.refreshToken ?? "", CLIENT);
  pass(30);
  expect((await two.refresh(first.refreshToken, CLIENT))?.refreshToken).toBe(third?.refreshToken);
});

test("refresh replay after the grace revokes the family, with a row in the log", async () => {
  const { one, two, three, give, pass, log, announced } = cluster();
  const first = await give();
  const second = await one.refresh(first.refreshToken, CLIENT);
  pass(60);
  expect(await two.refresh(first.refreshToken, CLIENT)).toBe(null);
  expect(await three.find(second?.accessToken ?? "")).toBe(null);
  expect(await three.refresh(second?.refreshToken ?? "", CLIENT)).toBe(null);
  expect(log.at(-1)).toMatchObject({ type: "authorization.replayed", principal: "alice@idp.example.com" });
  expect(announced).toMatchObject([{ kind: "revoked", person: { subject: "alice" }, client: CLIENT }]);
});

test("refresh in parallel on three machines: one family lives", async () => {
  const { machines, one, give } = cluster();
  let { refreshToken } = await give();
  for (let round = 0; round < 10; round++) {
    const given = await Promise.all([...machines, ...machines].map((machine) => machine.refresh(refreshToken, CLIENT)));
    expect(new Set(given.map((tokens) => tokens?.refreshToken)).size).toBe(1);
    refreshToken = given[0]?.refreshToken ?? "";
  }
  expect(await one.list(alice)).toHaveLength(1);
});

test("fifty processes that share one login all go on, at once or one after the other", async () => {
  const { machines, one, give } = cluster();
  const { refreshToken } = await give();
  const at = (turn: number) => machines[turn % 3] ?? one;
  const turns = Array.from({ length: 50 }, (_, turn) => turn);
  const together = await Promise.all(turns.map((turn) => at(turn).refresh(refreshToken, CLIENT)));
  let last = together[0]?.refreshToken ?? "";
  for (const tokens of together) expect(await one.find(tokens?.accessToken ?? "")).not.toBe(null);
  for (const turn of turns) last = (await at(turn).refresh(last, CLIENT))?.refreshToken ?? "";
  expect((await one.refresh(refreshToken, CLIENT))?.refreshToken).toBe(last);
});

test("a refresh token is of no use to another client, and a shortened one harms nobody", async () => {
  const { one, give } = cluster();
  const { refreshToken } = await give();
  expect(await one.refresh(refreshToken, "https://evil.example/c.json")).toBe(null);
  expect(await one.refresh(refreshToken.slice(0, -1), CLIENT)).toBe(null);
  expect(await one.refresh(refreshToken, CLIENT)).not.toBe(null);
});

test("access tokens end after an hour, unused families after 30 days, all after 90", async () => {
  const { one, give, pass } = cluster();
  const unused = await give();
  let used: IssuedTokens | null = await give();
  pass(3600);
  expect(await one.find(used.accessToken)).toBe(null);
  for (let day = 0; day < 89; day++) {
    pass(86_400);
    used = used && (await one.refresh(used.refreshToken, CLIENT));
    if (day === 29) expect(await one.refresh(unused.refreshToken, CLIENT)).toBe(null);
  }
  expect(used).not.toBe(null);
  pass(86_400);
  expect(await one.refresh(used?.refreshToken ?? "", CLIENT)).toBe(null);
});

test("one authorization ends, or all of a browser session, or all of a person", async () => {
  const { one, two, three, give, announced } = cluster();
  const [a, b, c] = [await give(), await give({ browser: "b1" }), await give({ browser: "b1" })];
  const listed = await one.list(alice);
  expect(listed).toMatchObject(Array(3).fill({ client: CLIENT, clientName: "Claude Code", scopes: ["tools:read"] }));
  const { authorization = "" } = (await one.find(a.accessToken)) ?? {};
  await two.end(alice, { id: authorization });
  expect(await three.find(a.accessToken)).toBe(null);
  await two.end(alice, { browser: "b1" });
  expect(await Promise.all([b, c].map(({ accessToken }) => three.find(accessToken)))).toEqual([null, null]);
  await give();
  await one.end({ ...alice, subject: "bob" });
  expect(await two.list(alice)).toHaveLength(1);
  await one.end(alice);
  expect(await two.list(alice)).toEqual([]);
  expect(announced).toHaveLength(4);
});

test("somebody whose access has ended gets nothing for a code, an access token or a refresh token", async () => {
  const { one, two, give, ended } = cluster();
  const tokens = await give();
  const code = await one.allow(grant);
  ended.add("alice");
  expect(await two.find(tokens.accessToken)).toBe(null);
  expect(await two.refresh(tokens.refreshToken, CLIENT)).toBe(null);
  expect(await two.redeem(code, shown)).toBe(null);
});

test("revocation of either token ends the family, for its own client alone", async () => {
  const { one, two, give } = cluster();
  const [first, second] = [await give(), await give()];
  await one.revoke(first.accessToken, "https://evil.example/c.json");
  expect(await two.find(first.accessToken)).not.toBe(null);
  await one.revoke(first.accessToken, CLIENT);
  await one.revoke(second.refreshToken, CLIENT);
  expect(await two.find(first.accessToken)).toBe(null);
  expect(await two.find(second.accessToken)).toBe(null);
});

test("what is known about the person now counts with the tokens that are already given", async () => {
  const { two, known, give } = cluster();
  const { accessToken } = await give();
  known.set("alice", { groups: ["ops"], claims: [["department", ["sales"]]] });
  expect((await two.find(accessToken))?.caller).toEqual({
    ...{ ...alice, groups: ["ops"], claims: [["department", ["sales"]]] },
  });
});

test("a person has at most a hundred, and the one unused for longest makes room", async () => {
  const { one, give, pass } = cluster();
  const first = await give();
  for (let more = 0; more < 100; more++) {
    pass(1);
    await give();
  }
  expect(await one.list(alice)).toHaveLength(100);
  expect(await one.find(first.accessToken)).toBe(null);
});

test("token storage: no token or code in clear, and none that can be made from what is stored", async () => {
  const { one, give, tables } = cluster();
  const first = await give();
  const second = await one.refresh(first.refreshToken, CLIENT);
  const code = await one.allow(grant);
  const dump = JSON.stringify([...tables.keyValues].map(([place, rows]) => [place, [...rows]]));
  for (const text of [
    first.accessToken,
    first.refreshToken,
    second?.accessToken ?? "",
    second?.refreshToken ?? "",
    code,
  ])
    for (const part of [text, text.slice(4), text.slice(4, 26), text.slice(26)]) expect(dump).not.toContain(part);
  // What is stored about the next token leads nowhere without the one before it.
  const words = new Set(dump.match(/[\w-]{22,}/g) ?? []);
  for (const handle of words)
    for (const secret of words) expect(await one.find(`tca_${handle.slice(0, 22)}${secret}`)).toBe(null);
});
