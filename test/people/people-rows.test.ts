import { randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import { createAuthorizations } from "../../src/runtime/people/authorizations.ts";
import { BROWSER_SESSION_LIFE, createBrowserSessions } from "../../src/runtime/people/browser-sessions.ts";
import type { PersonChange } from "../../src/runtime/people/contract.ts";
import { endAccess } from "../../src/runtime/people/end-access.ts";
import { createPeopleRows } from "../../src/runtime/people/people-rows.ts";
import { createProviderSessions } from "../../src/runtime/people/provider-sessions.ts";
import { createSealer } from "../../src/runtime/people/sealer.ts";
import { needs } from "../support/machine.ts";
import { makeStore } from "../support/people-stores.ts";

const ISSUER = "https://idp.example.com";
const KEY = randomBytes(32);
const toCaller = (subject: string, groups: readonly string[] = ["eng"]): Caller => ({
  ...{ issuer: ISSUER, subject, client: null, groups, claims: [], name: subject, email: null },
});
const alice = toCaller("alice");
const bob = toCaller("bob");
const provider = (sid: string) => ({ sid, refreshToken: `refresh-canary-${sid}` });

describe.each(["memory", "sqlite", "postgres"] as const)("people in %s", (kind) => {
  const machines = async () => {
    const one = await makeStore(kind);
    let time = Date.now();
    const now = () => time;
    const start = async (sealer = createSealer([KEY])) => {
      const place = { store: await one.open(), scope: "https://tools.example.com" };
      const people = createPeopleRows(place, now);
      onTestFinished(() => people.close());
      const kept = createProviderSessions({ place, sealer, clientId: "gateway", now });
      const changes: PersonChange[] = [];
      people.follow((change) => changes.push(change));
      return { place, people, kept, changes, browsers: createBrowserSessions({ place, people, provider: kept, now }) };
    };
    const pass = (milliseconds: number) => {
      time += milliseconds;
    };
    return { start, pass };
  };
  const options = kind === "postgres" ? needs("postgres") : {};

  test("somebody who comes in is known on every machine, with the newest groups (O8)", options, async () => {
    const { start, pass } = await machines();
    const [here, there] = [await start(), await start()];
    await here.people.note(alice);
    pass(1_000);
    await there.people.note({ ...alice, groups: ["eng"], name: "Alice" });
    const row = await here.people.find(alice);
    expect(row).toMatchObject({ caller: { subject: "alice", name: "Alice" }, ended: null });
    expect(row?.seen).toBe((row?.since ?? 0) + 1_000);
    expect(await here.people.find({ ...alice, issuer: "https://other.example.com" })).toBeNull();
    await there.people.note({ ...alice, groups: ["ops"] });
    await expect.poll(() => here.changes).toEqual([{ kind: "changed", person: { issuer: ISSUER, subject: "alice" } }]);
    await here.people.note(bob);
    expect((await there.people.list()).map(({ caller }) => [caller.subject, caller.groups])).toEqual([
      ["alice", ["ops"]],
      ["bob", ["eng"]],
    ]);
  });

  test("a session that the provider renews while another key seals it keeps the new token (O11)", options, async () => {
    const { start } = await machines();
    const here = await start();
    await here.kept.put(alice, "browser", provider("s"));
    const [before] = await here.kept.list(alice);
    const there = await start(createSealer([randomBytes(32), KEY]));
    expect(await there.kept.reseal(alice)).toBe(true);
    if (before === undefined) throw new Error("it is there");
    await there.kept.renew(alice, before, { refreshToken: "the-next" });
    expect((await there.kept.list(alice))[0]?.refreshToken).toMatchObject({ kind: "open", value: "the-next" });
  });

  test(
    "ended access is known on every machine at once, and stays ended until somebody is readmitted (O8)",
    options,
    async () => {
      const { start } = await machines();
      const [here, there] = [await start(), await start()];
      const cookie = await here.browsers.open(alice, null);
      await there.people.end(alice, "root@example");
      for (const { changes } of [here, there])
        await expect.poll(() => changes).toEqual([{ kind: "ended", person: { issuer: ISSUER, subject: "alice" } }]);
      expect(await here.browsers.find(cookie)).toBeNull();
      await expect(here.people.note(alice)).rejects.toMatchObject({ code: "people.ended" });
      await expect(here.browsers.open(alice, null)).rejects.toThrow(/was ended by root@example/);
      expect((await here.people.find(alice))?.ended).toMatchObject({ by: "root@example" });
      await there.people.end(bob, "root@example");
      await expect(here.people.note(bob)).rejects.toMatchObject({ code: "people.ended" });
      await here.people.readmit(alice);
      await there.people.note(alice);
      expect((await here.people.find(alice))?.ended).toBeNull();
      const authorizations = createAuthorizations(here.place, { people: here.people, log: () => {} });
      const again = await here.browsers.open(alice, provider("s1"));
      await endAccess({ place: here.place, people: here.people, authorizations }, alice, "root@example");
      await here.people.readmit(alice);
      // What there was before does not come back with them.
      expect(await there.browsers.find(again)).toBeNull();
      expect(await here.kept.list(alice)).toEqual([]);
    },
  );

  test(
    "a browser is known on every machine, for a working day, by a cookie that nobody can make from its row",
    options,
    async () => {
      const { start, pass } = await machines();
      const [here, there] = [await start(), await start()];
      const cookie = await here.browsers.open(alice, provider("s1"));
      expect(await here.browsers.open(alice, null)).not.toBe(cookie);
      await here.people.note({ ...alice, groups: ["ops"] });
      const found = await there.browsers.find(cookie);
      expect(found?.caller).toEqual({ ...alice, groups: ["ops"] });
      const [person, secret] = cookie.split(".");
      for (const guess of [
        `${person}.${found?.id}`,
        `${person}.`,
        `${secret}.${secret}`,
        cookie.slice(0, -1),
        `${cookie}x`,
      ])
        expect(await there.browsers.find(guess)).toBeNull();
      pass(BROWSER_SESSION_LIFE - 1);
      expect(await there.browsers.find(cookie)).not.toBeNull();
      pass(1);
      expect(await there.browsers.find(cookie)).toBeNull();
    },
  );

  test("a cookie with another person's part opens nothing (O7)", options, async () => {
    const { start } = await machines();
    const { browsers } = await start();
    const [ofAlice = "", ofBob = ""] = [await browsers.open(alice, null), await browsers.open(bob, null)];
    const mixed = `${ofBob.split(".")[0]}.${ofAlice.split(".")[1]}`;
    expect(await browsers.find(mixed)).toBeNull();
  });

  test(
    "ending ends what is meant and nothing else: one browser, one session of the provider, all of a person (O8)",
    options,
    async () => {
      const { start } = await machines();
      const [here, there] = [await start(), await start()];
      const open = async (caller: Caller, sid: string) => {
        const cookie = await here.browsers.open(caller, provider(sid));
        return { cookie, id: (await here.browsers.find(cookie))?.id ?? "" };
      };
      const [first, second, third] = [await open(alice, "s1"), await open(alice, "s1"), await open(alice, "s2")];
      const other = await open(bob, "s3");
      const living = async () => {
        const all = await Promise.all([first, second, third, other].map(({ cookie }) => there.browsers.find(cookie)));
        return all.map((session) => session !== null);
      };
      const person = { issuer: ISSUER, subject: "alice" };
      expect(await there.browsers.end({ issuer: "https://other.example.com", sid: "s1" })).toEqual([]);
      expect(await living()).toEqual([true, true, true, true]);
      const ended = await there.browsers.end({ issuer: ISSUER, sid: "s1" });
      expect([...ended].sort((one, two) => (one.id < two.id ? -1 : 1))).toEqual(
        [first, second].map(({ id }) => ({ id, person })).sort((one, two) => (one.id < two.id ? -1 : 1)),
      );
      expect(await living()).toEqual([false, false, true, true]);
      expect((await here.kept.list(alice)).map(({ browser }) => browser)).toEqual([third.id]);
      expect(await here.browsers.end({ cookie: third.cookie })).toEqual([{ id: third.id, person }]);
      // What was given to clients in it lives on, and so the provider is still asked.
      expect(await here.kept.list(alice)).toHaveLength(1);
      expect(await here.browsers.end({ person })).toEqual([{ id: third.id, person }]);
      expect(await here.kept.list(alice)).toEqual([]);
      expect(await living()).toEqual([false, false, false, true]);
    },
  );

  test(
    "a dump of the store gives no cookie, no token and no refresh token; a row of another person does not open (O11)",
    options,
    async () => {
      const { start } = await machines();
      const { browsers, kept, place } = await start();
      const cookie = await browsers.open(alice, provider("s1"));
      const other = await browsers.open(bob, provider("s2"));
      const [person = "", secret = ""] = cookie.split(".");
      const dump = async (name: string, of: string) => [
        ...(await place.store.keyValues({ name, person: of, project: place.scope }).entries()),
      ];
      const rows = JSON.stringify([
        await dump("people", ""),
        await dump("people.browsers", person),
        await dump("people.provider-sessions", person),
      ]);
      expect(rows).toContain("alice");
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain("canary");
      expect((await kept.list(alice))[0]?.refreshToken).toMatchObject({ kind: "open", value: "refresh-canary-s1" });
      const [of] = other.split(".");
      const theirs = place.store.keyValues({
        name: "people.provider-sessions",
        person: of ?? "",
        project: place.scope,
      });
      const [[id, row] = ["", null]] = await dump("people.provider-sessions", person);
      await theirs.change(id, () => row);
      const copied = (await kept.list(bob)).find(({ browser }) => browser === id);
      expect(copied?.refreshToken).toMatchObject({ kind: "closed" });
    },
  );

  test("of several machines one asks the provider about a person, and only once it is time (O8)", options, async () => {
    const { start, pass } = await machines();
    const all = [await start(), await start(), await start()];
    await all[0]?.people.note(alice);
    await all[0]?.people.note(bob);
    await all[0]?.people.end(bob, "root");
    const before = Date.now() + 5_000;
    const due = async (at: number) => (await all[1]?.people.asked.due(at))?.map(({ subject }) => subject);
    expect(await due(0)).toEqual([]);
    expect(await due(before)).toEqual(["alice"]);
    pass(10_000);
    const claimed = await Promise.all(all.map(({ people }) => people.asked.claim(alice, before)));
    expect(claimed.filter(Boolean)).toHaveLength(1);
    expect(await due(before)).toEqual([]);
  });

  test("a refresh token is replaced by its successor, and never by one of an older login (O11)", options, async () => {
    const { start } = await machines();
    const { browsers, kept } = await start();
    await browsers.open(alice, provider("s1"));
    const [session] = await kept.list(alice);
    if (session === undefined) throw new Error("there is none");
    await kept.renew(alice, session, { refreshToken: "second" });
    expect((await kept.list(alice))[0]?.refreshToken).toMatchObject({ value: "second" });
    await kept.renew(alice, session, { refreshToken: "late" });
    expect((await kept.list(alice))[0]?.refreshToken).toMatchObject({ value: "second" });
  });
});
