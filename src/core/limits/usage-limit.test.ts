import fc from "fast-check";
import { expect, test } from "vitest";
import { describeLimit } from "./describe-limit.ts";
import { budgetsOf, EACH, isAboutCaller, toLimitedCaller, type UsageLimit, withoutRepeats } from "./usage-limit.ts";

const LIMIT: UsageLimit = {
  ...{ origin: { kind: "default" }, measure: "calls", most: 10, period: "day", each: ["person"], profile: null },
  ...{ groups: null, clients: null, servers: null, tools: null, isSoft: false },
};
const ANN = { issuer: "https://idp", subject: "ann", client: "https://vscode.dev/x", groups: ["eng", "ops"] };
const who = (fields: Partial<typeof ANN> = {}) =>
  toLimitedCaller({ ...ANN, claims: [], name: null, email: null, ...fields }, { key: "", principal: "" });
const CALLED = { server: "red", tool: "red/echo" };
const idsOf = (limit: UsageLimit, caller = who(), called = CALLED) =>
  budgetsOf(limit, caller, called).map(({ id }) => id);

test("a person is one, whatever client and token; an entry without a person is one too", () => {
  expect(idsOf(LIMIT, who({ client: "other" }))).toEqual(idsOf(LIMIT));
  expect(idsOf(LIMIT, who({ subject: "ben" }))).not.toEqual(idsOf(LIMIT));
  expect(idsOf(LIMIT, who({ issuer: "https://other" }))).not.toEqual(idsOf(LIMIT));
  const [one, two] = ["1", "2"].map((key) => toLimitedCaller(null, { key, principal: "ci" }));
  expect(idsOf(LIMIT, one)).not.toEqual(idsOf(LIMIT, two));
});

test("each of several people groups has its amount, and a limit is about its own groups and clients alone", () => {
  const limit: UsageLimit = { ...LIMIT, each: ["group"], groups: ["eng", "ops", "hr"] };
  expect(budgetsOf(limit, who(), CALLED).map(({ of }) => of)).toEqual([[["group", "eng"]], [["group", "ops"]]]);
  expect(isAboutCaller(limit, who({ groups: [] }))).toBe(false);
  expect(isAboutCaller({ ...LIMIT, clients: ["vscode.dev"] }, who())).toBe(true);
  expect(isAboutCaller({ ...LIMIT, clients: ["vscode.dev"] }, who({ client: "https://vscode.dev.evil/x" }))).toBe(
    false,
  );
});

test("two calls share a budget exactly if they agree in everything that has an amount of its own", () => {
  const call = fc.record({
    subject: fc.constantFrom("ann", "ben"),
    client: fc.constantFrom("one", "two"),
    server: fc.constantFrom("red", "blue"),
    tool: fc.constantFrom("x", "y"),
  });
  const each = fc.uniqueArray(fc.constantFrom(...EACH.filter((name) => name !== "group")));
  fc.assert(
    fc.property(each, call, call, (names, a, b) => {
      const limit = { ...LIMIT, each: names };
      const same = names.every((name) => (name === "person" ? a.subject === b.subject : a[name] === b[name]));
      const [one, other] = [a, b].map(({ subject, client, ...called }) =>
        idsOf(limit, who({ subject, client }), called),
      );
      expect(JSON.stringify(one) === JSON.stringify(other)).toBe(same);
    }),
  );
});

test("of limits that count the same the lowest counts, and a changed amount counts what was used before", () => {
  const [low, high] = [3, 9].map((most) => ({ ...LIMIT, most }));
  if (low === undefined || high === undefined) throw new Error("they are there");
  expect(withoutRepeats([high, low, { ...LIMIT, isSoft: true }])).toEqual([low, { ...LIMIT, isSoft: true }]);
  expect(idsOf(low)).toEqual(idsOf(high));
  expect(idsOf({ ...low, profile: "engineers" })).not.toEqual(idsOf(low));
});

test("a limit in words", () => {
  expect(describeLimit(LIMIT)).toBe("10 calls a day for each person (default)");
  expect(
    describeLimit({ ...LIMIT, measure: "atOnce", most: 1, period: null, each: [], servers: ["red"], groups: ["eng"] }),
  ).toBe("1 call at once for all together, about people group eng, server red (default)");
  expect(
    describeLimit({ ...LIMIT, measure: "money", most: 2_500_000, period: "month", each: ["person", "client"] }),
  ).toBe("$2.50 for models a month for each person and client (default)");
});
