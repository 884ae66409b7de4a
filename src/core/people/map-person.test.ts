import { expect, test } from "vitest";
import { mapPerson, type PersonRule } from "./map-person.ts";
import { type Caller, callerKey, describePerson, personKey } from "./person.ts";

const ISSUER = "https://idp.example.com";
const alice: Caller = {
  ...{ issuer: ISSUER, subject: "alice", client: "https://claude.ai/oauth/client.json" },
  ...{ groups: ["eng", "oncall"], claims: [["department", ["sales", "emea"]]], name: "Alice", email: null },
};
const rule = (given: Partial<PersonRule>, line = 1): PersonRule => ({
  ...{ origin: { kind: "file", file: "toolcrib.yaml", line }, issuer: null, subject: null, groups: null },
  ...{ clients: null, claims: new Map(), everybody: false, profile: "p", roles: [], servers: null, ...given },
});
const namesOf = (given: Partial<PersonRule>, who = alice): readonly string[] => [
  ...mapPerson(who, [rule(given)]).profiles.keys(),
];

test("a rule is about those who fit all that it asks for (O6)", () => {
  expect(namesOf({ groups: ["ops", "eng"] })).toEqual(["p"]);
  expect(namesOf({ groups: ["ENG"] })).toEqual([]);
  expect(namesOf({ groups: ["eng"], issuer: "https://other.example.com" })).toEqual([]);
  expect(namesOf({ subject: "alice", issuer: ISSUER })).toEqual(["p"]);
  expect(namesOf({ subject: "bob", issuer: ISSUER })).toEqual([]);
  expect(namesOf({ claims: new Map([["department", ["emea"]]]) })).toEqual(["p"]);
  expect(namesOf({ claims: new Map([["team", ["emea"]]]) })).toEqual([]);
  expect(namesOf({ everybody: true })).toEqual(["p"]);
});

test("a client is known by its id or the host of that, not by a part of it (O6)", () => {
  expect(namesOf({ clients: ["claude.ai"] })).toEqual(["p"]);
  expect(namesOf({ clients: ["https://claude.ai/oauth/client.json"] })).toEqual(["p"]);
  expect(namesOf({ clients: ["claude.ai"] }, { ...alice, client: "https://claude.ai.evil.example/c.json" })).toEqual(
    [],
  );
  expect(namesOf({ clients: ["claude.ai"] }, { ...alice, client: null })).toEqual([]);
});

test("all rules count, each thing with the first rule that gives it, and nobody has a role by default (O6, O9)", () => {
  const rules = [
    rule({ groups: ["eng"], roles: ["member"] }, 1),
    rule({ groups: ["oncall"], profile: "q", roles: ["member", "approver"] }, 2),
    rule({ everybody: true, profile: "p" }, 3),
  ];
  const { profiles, roles } = mapPerson(alice, rules);
  expect([...profiles]).toMatchObject([
    ["p", { origin: { line: 1 }, found: 'people group "eng"' }],
    ["q", { origin: { line: 2 }, found: 'people group "oncall"' }],
  ]);
  expect([...roles].map(([role, { origin }]) => [role, origin])).toMatchObject([
    ["member", { line: 1 }],
    ["approver", { line: 2 }],
  ]);
  expect(mapPerson({ ...alice, groups: [] }, rules.slice(0, 2))).toEqual({
    ...{ profiles: new Map(), roles: new Map(), approves: new Set() },
  });
});

test("two issuers with the same subject are two persons, and a key cannot be made up from parts (O7)", () => {
  const other = { ...alice, issuer: "https://other.example.com" };
  expect(personKey(other)).not.toBe(personKey(alice));
  expect(callerKey({ ...alice, client: null })).not.toBe(callerKey(alice));
  expect(personKey({ issuer: "a", subject: "bc" })).not.toBe(personKey({ issuer: "ab", subject: "c" }));
  expect(describePerson(alice)).toBe("alice@idp.example.com");
});

test("approvers answer for the servers of all their rules; a rule without servers is for all (O9)", () => {
  const rules = [
    rule({ groups: ["dba"], roles: ["approver"], servers: ["prod"] }, 1),
    rule({ groups: ["sec"], roles: ["approver", "auditor"], servers: ["vault", "prod"] }, 2),
    rule({ groups: ["boss"], roles: ["approver"] }, 3),
    rule({ groups: ["eng"], roles: ["member"] }, 4),
  ];
  const approves = (...groups: string[]) => mapPerson({ ...alice, groups }, rules).approves;
  expect(approves("dba", "sec")).toEqual(new Set(["prod", "vault"]));
  expect(approves("dba", "boss")).toBe("all");
  expect(approves("eng")).toEqual(new Set());
});
