import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Caller } from "../../src/core/people/person.ts";
import { openAuditLog } from "../../src/runtime/audit/audit-log.ts";
import { type AuditRow, isCall } from "../../src/runtime/audit/audit-row.ts";
import { createBodyBox } from "../../src/runtime/audit/body-box.ts";
import { spoolFolder } from "../../src/runtime/audit/body-spool.ts";
import { type GatheredPlace, openGathering } from "../../src/runtime/audit/gather.ts";
import { findBodies, readStored } from "../../src/runtime/audit/read-stored.ts";
import { expireAudit, forgetPerson } from "../../src/runtime/audit/retention.ts";
import { verifyAudit } from "../../src/runtime/audit/verify-audit.ts";
import { verifyStored } from "../../src/runtime/audit/verify-stored.ts";
import { createSealer } from "../../src/runtime/people/sealer.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const NEVER = new AbortController().signal;
const DAY = 86_400_000;
const SEALER = createSealer([Buffer.alloc(32, 7)]);
const CANARY = "canary-argument-4711";

function throwing(text: string, error: unknown): never {
  throw new Error(text, { cause: error });
}

type Listener = (data: object, event: object) => void;

/** A session's emitter, for whom calls are reported as a session does. */
function caller(subject: string) {
  const listeners = new Map<string, Listener[]>();
  const on = (name: string, listener: Listener) => {
    listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    return () => {};
  };
  const who: Caller = {
    ...{ issuer: "https://idp.example.com", subject, client: "c1", groups: ["eng"], claims: [] },
    ...{ name: null, email: null },
  };
  const profile = { caller: who, given: new Map([["engineers", { found: 'people group "eng"' }]]) };
  const principal = `${subject}@idp.example.com`;
  let count = 0;
  const call = (given: object): void => {
    count += 1;
    const data = {
      ...{ toolCallId: String(count), toolName: "it__echo", arguments: given, resultType: "success" },
      ...{ error: null, duration: 1, cancelledBy: null },
    };
    for (const listener of listeners.get("tool.execution_complete") ?? []) listener(data, { agent: null });
  };
  return { view: { session: { id: `s-${subject}`, on: on as never }, label: "tester", principal, profile }, call };
}

/** Machines with logs of their own, one store and one set of keys. */
function world() {
  const tables = createMemoryTables();
  const store = createStore(createMemoryBackEnd(tables));
  onTestFinished(() => store.close());
  const place: GatheredPlace = { store, scope: "log" };
  const machine = async (now: () => number = Date.now, at: GatheredPlace = place) => {
    const path = join(makeTempFolder(), "audit.jsonl");
    const bodies = createBodyBox({ folder: spoolFolder(path), sealer: SEALER, scope: at.scope });
    const log = await openAuditLog({ path, onError: throwing, bodies, now });
    const gather = async (): Promise<void> => {
      await log.flush();
      const gathering = await openGathering({ path, place: at, onError: throwing });
      await gathering.close();
    };
    onTestFinished(() => log.close());
    return { path, log, gather };
  };
  const rows = (person?: string) =>
    readStored(place, { filter: () => true, limit: 100, ...(person === undefined ? {} : { person }) });
  const calls = async (): Promise<readonly AuditRow[]> => (await rows()).filter(isCall);
  const verify = (now?: () => number) => verifyStored(place, SEALER, now);
  const bodiesOf = async (of: readonly AuditRow[]) => [
    ...(await findBodies(of, { place, sealer: SEALER, spool: null })).values(),
  ];
  return { tables, store, place, machine, rows, calls, verify, bodiesOf };
}

describe("the log of all machines", () => {
  test("has the rows of each, once, and opens bodies for those who have the key (O15)", async () => {
    const { machine, rows, calls, verify, bodiesOf, place } = world();
    let now = Date.now();
    const clock = () => ++now;
    const [one, two] = [await machine(clock), await machine(clock)];
    const [ann, bob] = [caller("ann"), caller("bob")];
    one.log.watch(ann.view);
    two.log.watch(bob.view);
    ann.call({ text: CANARY });
    bob.call({ text: "hello" });
    await one.gather();
    await two.gather();
    ann.call({ text: "again" });
    await one.gather();
    await one.gather();
    const found = await calls();
    expect(found.map(({ principal }) => principal)).toEqual([
      "ann@idp.example.com",
      "bob@idp.example.com",
      "ann@idp.example.com",
    ]);
    expect(await bodiesOf(found)).toMatchObject([
      { arguments: { text: CANARY }, caller: { groups: ["eng"], claims: [] } },
      { arguments: { text: "hello" } },
      { arguments: { text: "again" } },
    ]);
    expect((await rows("bob@idp.example.com")).map(({ type }) => type)).toEqual(["session.opened", "call"]);
    expect(await verify()).toMatchObject({ runs: 2, problems: [], bodies: { kept: 3, gone: 0 } });
    // Neither the file of the machine nor the store shows what was called.
    const other = createSealer([Buffer.alloc(32, 8)]);
    expect([...(await findBodies(found, { place, sealer: other, spool: null })).values()]).toEqual([
      "sealed",
      "sealed",
      "sealed",
    ]);
    expect(await verifyStored(place, other)).toMatchObject({ problems: [], bodies: { kept: 0, sealed: 3 } });
    expect(readFileSync(one.path, "utf8")).not.toContain(CANARY);
    expect((await verifyAudit(one.path, NEVER)).problems).toEqual([]);
  });

  test("says of every change whose it is: a row, its place, a body, an end (O15)", async () => {
    const { machine, tables, calls, verify } = world();
    const one = await machine(() => Date.now() - 3 * DAY);
    const ann = caller("ann");
    one.log.watch(ann.view);
    for (let at = 0; at < 5; at += 1) ann.call({ at });
    await one.gather();
    const log = tables.logs.get("log");
    if (log === undefined) throw new Error("nothing was gathered");
    const [, second, third] = await calls();
    if (second === undefined || third === undefined) throw new Error("there are too few rows");
    const key = ({ run, seq }: AuditRow) => `${run} ${seq}`;
    const texts = async (change: () => void, undo: () => void) => {
      change();
      const { problems } = await verify();
      undo();
      return problems.map(({ text }) => text);
    };
    const row = log.rows.get(key(second));
    const body = log.bodies.get(key(second));
    const other = log.bodies.get(key(third));
    if (row === undefined || body === undefined || other === undefined) throw new Error("a row or body is missing");
    const set = (next: object) => () => void log.rows.set(key(second), { ...row, ...next });
    const putBody = (next: object) => () => void log.bodies.set(key(second), { ...body, ...next });
    const where = `of run ${second.run}`;
    expect(
      await texts(
        () => {},
        () => {},
      ),
    ).toEqual([]);
    expect(await texts(set({ line: row.line?.replace("tester", "Tester") }), set({}))).toEqual([
      `row ${second.seq} ${where} was changed after it was written`,
    ]);
    expect(await texts(() => log.rows.delete(key(second)), set({}))).toEqual([
      `row ${third.seq} ${where} follows row ${second.seq - 1}: rows are missing`,
    ]);
    expect(await texts(set({ line: null }), set({}))).toEqual([
      expect.stringContaining("no row says that all of it was deleted"),
    ]);
    expect(await texts(() => log.bodies.delete(key(second)), putBody({}))).toEqual([
      `the body of row ${second.seq} ${where} is missing, and no row says that it was deleted`,
    ]);
    expect(await texts(putBody({ sealed: other.sealed }), putBody({}))).toEqual([
      `the body of row ${second.seq} ${where} is not what was written`,
    ]);
    const last =
      [...log.rows.values()]
        .sort((a, b) => a.seq - b.seq)
        .map(({ run, seq }) => `${run} ${seq}`)
        .at(-1) ?? "";
    const kept = log.rows.get(last);
    if (kept === undefined) throw new Error("there is no last row");
    expect(
      await texts(
        () => log.rows.delete(last),
        () => log.rows.set(last, kept),
      ),
    ).toEqual([`the last 1 rows ${where} are missing`]);
    const all = [...log.rows];
    expect(
      await texts(
        () => log.rows.clear(),
        () => {
          for (const [at, each] of all) log.rows.set(at, each);
        },
      ),
    ).toEqual([`all rows ${where} are missing`]);
  });
});

describe("what is deleted", () => {
  test("is a person's bodies, on every machine and where they still wait, and the chain stays whole (O15)", async () => {
    const { machine, place, calls, verify, bodiesOf } = world();
    let now = Date.now() - 3 * DAY;
    const clock = () => now;
    const [one, two] = [await machine(clock), await machine(clock)];
    const [ann, bob, away] = [caller("ann"), caller("bob"), caller("ann")];
    for (const { view } of [ann, bob]) one.log.watch(view);
    two.log.watch(away.view);
    ann.call({ text: CANARY });
    bob.call({ text: "hello" });
    away.call({ text: CANARY });
    await one.gather();
    await two.log.flush();
    now += 60_000;
    expect(await forgetPerson(place, "ann@idp.example.com", { by: "Ada", note: one.log.note, now: clock })).toBe(1);
    await one.gather();
    await two.gather();
    const found = await calls();
    expect(found).toHaveLength(3);
    expect((await bodiesOf(found)).filter((body) => body === "gone")).toHaveLength(2);
    expect(await verify()).toMatchObject({ problems: [], bodies: { kept: 1, gone: 2, waiting: 0 } });
    // What she does later is kept as before.
    now += 60_000;
    ann.call({ text: "new" });
    await one.gather();
    expect(await verify()).toMatchObject({ problems: [], bodies: { kept: 2, gone: 2 } });
  });

  test("goes by kind and age, never of those on hold, and a row says until when (O15)", async () => {
    const { machine, place, rows, verify } = world();
    let now = Date.now() - 100 * DAY;
    const one = await machine(() => now);
    const [ann, bob] = [caller("ann"), caller("bob")];
    for (const { view } of [ann, bob]) one.log.watch(view);
    ann.call({ text: "old" });
    bob.call({ text: "old" });
    now = Date.now() - 2 * DAY;
    ann.call({ text: "new" });
    await one.gather();
    now = Date.now();
    const retention = {
      value: { bodies: 30, calls: 60, approvals: 365, people: 365 },
      origin: { kind: "default" },
    } as const;
    const origin = retention.origin;
    const settings =
      (...held: string[]) =>
      () => ({
        retention,
        hold: held.map((person) => ({ person, reason: null, origin })),
      });
    const expire = (...held: string[]) => expireAudit({ place, settings: settings(...held), note: one.log.note });
    await expire("*");
    expect(await verify()).toMatchObject({ gone: {}, bodies: { kept: 3, gone: 0 }, problems: [] });
    await expire("bob@idp.example.com");
    await one.gather();
    expect(await verify()).toMatchObject({ gone: { calls: 1 }, bodies: { kept: 2, gone: 0 }, problems: [] });
    await expire();
    await expire();
    await one.gather();
    expect(await verify()).toMatchObject({ gone: { calls: 2 }, bodies: { kept: 1, gone: 0 }, problems: [] });
    const texts = (await rows()).flatMap((row) => (row.type === "log.expired" ? [row.text] : []));
    expect(texts.map((text) => text.replace(/ from .*/, ""))).toEqual(["1 bodies", "1 calls", "1 bodies", "1 calls"]);
  });
});

test("a body that cannot be written down waits, and its row does not", async () => {
  const told: string[] = [];
  const path = join(makeTempFolder(), "audit.jsonl");
  // A file stands where the folder has to be.
  writeFileSync(spoolFolder(path), "");
  const bodies = createBodyBox({ folder: spoolFolder(path), sealer: SEALER, scope: "log" });
  const log = await openAuditLog({
    path,
    bodies,
    onError: (text) => told.push(text),
    onRecovered: () => told.push("well"),
  });
  onTestFinished(() => log.close());
  const ann = caller("ann");
  log.watch(ann.view);
  ann.call({ text: "late" });
  await vi.waitFor(() => expect(told).toHaveLength(1));
  expect(readFileSync(path, "utf8")).toContain(`"tool":"it__echo"`);
  rmSync(spoolFolder(path));
  await vi.waitFor(() => expect(readdirSync(spoolFolder(path))).toHaveLength(1), 5_000);
  await vi.waitFor(() => expect(told[1]).toBe("well"));
});
