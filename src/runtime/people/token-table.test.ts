import { expect, test } from "vitest";
import { createDeferred } from "../../system/time/deferred.ts";
import type { Pass, PersonChange } from "./contract.ts";
import { createTokenTable, type TokenRefusal } from "./token-table.ts";

const ALICE = { issuer: "https://idp.example.com", subject: "alice" };
const passOf = (more: Partial<Pass> = {}): Pass => ({
  caller: { ...ALICE, client: "c", groups: [], claims: [], name: null, email: null },
  ...{ authorization: "one", scopes: ["tools:read"], expires: 3_600_000, ...more },
});
const ENDED: PersonChange = { kind: "ended", person: ALICE };

function openTable(most?: number) {
  let at = 0;
  const asked: string[] = [];
  const answers = { next: async (): Promise<Pass | TokenRefusal> => passOf() };
  const table = createTokenTable({
    find: (token) => {
      asked.push(token);
      return answers.next();
    },
    now: () => at,
    ...(most === undefined ? {} : { most }),
  });
  return {
    ...{ table, asked, answers },
    pass: (milliseconds: number): void => {
      at += milliseconds;
    },
  };
}

test("a token counts for a minute after it was confirmed, and never beyond its end (O8)", async () => {
  const { table, pass, answers } = openTable();
  expect(table.known("t", "d")).toBeNull();
  await table.ask("t", "d");
  answers.next = async () => {
    throw new Error("away");
  };
  pass(59_999);
  expect(table.known("t", "d")).not.toBeNull();
  pass(1);
  expect(table.known("t", "d")).toBeNull();
  answers.next = async () => passOf({ expires: 70_000 });
  await table.ask("u", "e");
  pass(9_999);
  expect(table.known("u", "e")).not.toBeNull();
  pass(1);
  expect(table.known("u", "e")).toBeNull();
});

test("one in use is confirmed again without anybody waiting, and stays the same object while it gives the same", async () => {
  const { table, pass, asked, answers } = openTable();
  const first = await table.ask("t", "d");
  for (let second = 0; second < 300; second += 1) {
    pass(1_000);
    expect(table.known("t", "d")).toBe(first);
    await Promise.resolve();
  }
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.length).toBeLessThan(20);
  await table.ask("t", "d");
  answers.next = async () => ({ refused: "revoked" });
  pass(25_000);
  table.known("t", "d");
  await expect.poll(() => table.known("t", "d")).toBeNull();
  expect(table.isOver(first as Pass)).toBe(true);
});

test("an answer from before a change does not count", async () => {
  const { table, answers, asked } = openTable();
  const first = createDeferred<Pass>();
  answers.next = () => first.promise;
  const asking = table.ask("t", "d");
  table.drop(ENDED);
  answers.next = async () => ({ refused: "ended" });
  first.resolve(passOf());
  expect(await asking).toEqual({ refused: "ended" });
  expect(asked).toHaveLength(2);
  expect(table.known("t", "d")).toBeNull();
});

test("a change drops what it is about, and nothing else", async () => {
  const { table, answers } = openTable();
  const person = (subject: string) => ({ ...passOf().caller, subject });
  for (const [digest, pass] of [
    ["one", passOf()],
    ["two", passOf({ authorization: "two" })],
    ["bob", passOf({ caller: person("bob") })],
  ] as const) {
    answers.next = async () => pass;
    await table.ask("t", digest);
  }
  const known = () => ["one", "two", "bob"].filter((digest) => table.known("t", digest) !== null);
  table.drop({ kind: "revoked", person: ALICE, client: "c", authorization: "one" });
  expect(known()).toEqual(["two", "bob"]);
  table.drop({ kind: "changed", person: { ...ALICE, issuer: "https://other.example.com" } });
  expect(known()).toEqual(["two", "bob"]);
  table.drop(ENDED);
  expect(known()).toEqual(["bob"]);
});

test("many who ask about one token at once are one question, and the table has an end", async () => {
  const { table, asked } = openTable(10);
  await Promise.all(Array.from({ length: 50 }, () => table.ask("t", "d")));
  expect(asked).toHaveLength(1);
  for (let at = 0; at < 50; at += 1) await table.ask("t", `d${at}`);
  expect(table.size).toBe(10);
  expect(table.known("t", "d49")).not.toBeNull();
});
