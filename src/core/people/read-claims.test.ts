import { describe, expect, test } from "vitest";
import { loginParameters, type ReadCaller, readClaims } from "./read-claims.ts";

const ENTRA = "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0";
const OKTA = "https://example.okta.com/oauth2/default";
const GOOGLE = "https://accounts.google.com";
const KEYCLOAK = "https://sso.example.com/realms/corp";

const read = (issuer: string, claims: Record<string, unknown>, asked: readonly string[] = [], groups = "groups") =>
  readClaims(claims, { issuer, groups, asked });
const groupsOf = (found: ReadCaller | null) => found?.caller.groups;

describe("Entra", () => {
  const alice = { sub: "pairwise", oid: "00000000-alice", tid: "9188040d-6c67-4c5b-b112-36a304b66dad" };

  test("a person is the object and not the subject, which differs by application", () => {
    expect(read(ENTRA, alice)?.caller).toMatchObject({ issuer: ENTRA, subject: "00000000-alice" });
    expect(read(ENTRA, { sub: "pairwise", oid: "x" })?.caller.subject).toBe("pairwise");
    expect(read(OKTA, { ...alice, sub: "okta-alice" })?.caller.subject).toBe("okta-alice");
  });

  test("groups are GUIDs, and roles of the application count as groups too", () => {
    const guid = "11111111-2222-3333-4444-555555555555";
    expect(groupsOf(read(ENTRA, { ...alice, groups: [guid], roles: ["Tools.Admin"] }))).toEqual([guid, "Tools.Admin"]);
    expect(groupsOf(read(ENTRA, { ...alice, roles: ["Tools.Admin"] }, [], "roles"))).toEqual(["Tools.Admin"]);
    expect(groupsOf(read(OKTA, { sub: "a", roles: ["Tools.Admin"] }))).toEqual([]);
  });

  test("a link in the place of too many groups is no group, and is said", () => {
    const overage = {
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "https://graph.windows.net/tenant/users/alice/getMemberObjects" } },
    };
    for (const claims of [overage, { hasgroups: true }]) {
      const found = read(ENTRA, { ...alice, ...claims, roles: ["Tools.Admin"] });
      expect(found?.problem).toMatch(/^has more people groups than the token may hold/);
      expect(groupsOf(found)).toEqual(["Tools.Admin"]);
    }
    expect(read(ENTRA, { ...alice, groups: [] })?.problem).toBeNull();
  });
});

test("Okta: groups that the ID token alone has count, and the ID token counts before userinfo", () => {
  const names = { issuer: OKTA, groups: "groups", asked: [] };
  const idToken = { sub: "00u1", groups: ["eng"] };
  expect(groupsOf(readClaims(idToken, names, { sub: "00u1", name: "Alice" }))).toEqual(["eng"]);
  expect(groupsOf(readClaims(idToken, names, { sub: "00u1", groups: ["admins"] }))).toEqual(["eng"]);
  expect(groupsOf(readClaims({ sub: "00u1" }, names, { sub: "00u1", groups: ["eng"] }))).toEqual(["eng"]);
  expect(readClaims({ sub: "00u1" }, names, {})?.hasGroups).toBe(false);
});

test("Google: there are no groups, the company is a claim, and a refresh token has to be asked for", () => {
  const found = read(GOOGLE, { sub: "1089", hd: "example.com", email: "a@example.com", email_verified: true }, ["hd"]);
  expect(found).toMatchObject({ hasGroups: false, problem: null });
  expect(found?.caller).toMatchObject({ groups: [], claims: [["hd", ["example.com"]]], email: "a@example.com" });
  expect(loginParameters(GOOGLE)).toEqual({ access_type: "offline", prompt: "consent" });
  expect(loginParameters(`${GOOGLE}.evil.example`)).toEqual({});
});

test("Keycloak: a group is its path without the slash at the start, and roles lie deeper", () => {
  const claims = { sub: "f:1:alice", groups: ["/eng", "/eng/backend", "plain"], realm_access: { roles: ["ops"] } };
  expect(groupsOf(read(KEYCLOAK, claims))).toEqual(["eng", "eng/backend", "plain"]);
  expect(groupsOf(read("http://127.0.0.1:18081/auth/realms/corp", claims))).toEqual(["eng", "eng/backend", "plain"]);
  expect(groupsOf(read(OKTA, claims))).toEqual(["/eng", "/eng/backend", "plain"]);
  expect(groupsOf(read(KEYCLOAK, claims, [], "realm_access.roles"))).toEqual(["ops"]);
  expect(groupsOf(read(KEYCLOAK, { "realm_access.roles": ["whole"], ...claims }, [], "realm_access.roles"))).toEqual([
    "whole",
  ]);
});

test("a claim that leads into what every object has is none", () => {
  for (const name of ["__proto__", "constructor.name", "toString", "groups.length"])
    expect(read(OKTA, { sub: "a", groups: ["eng"] }, [name], name)).toMatchObject({
      hasGroups: false,
      caller: { claims: [] },
    });
});

test("nobody is named by what is no text, and an e-mail address counts only where it was verified", () => {
  for (const sub of [undefined, "", 7, ["a"], "x".repeat(257)]) expect(read(OKTA, { sub })).toBeNull();
  expect(read(OKTA, { sub: "a", email: "ceo@example.com" })?.caller.email).toBeNull();
  expect(read(OKTA, { sub: "a", email: "ceo@example.com", email_verified: "true" })?.caller.email).toBeNull();
});

test("values are texts, groups that are too many do not count at all, and names are one harmless line", () => {
  const odd = { sub: "a", groups: ["eng", "eng", "", null, { a: 1 }, 7, true, "y".repeat(257)] };
  expect(groupsOf(read(OKTA, odd))).toEqual(["eng", "7", "true"]);
  expect(groupsOf(read(OKTA, { sub: "a", groups: "eng" }))).toEqual(["eng"]);
  const many = read(OKTA, { sub: "a", groups: Array.from({ length: 1_001 }, (_, at) => `g${at}`) });
  expect(many).toMatchObject({ caller: { groups: [] }, problem: expect.stringMatching(/^has more than 1000/) });
  expect(read(OKTA, { sub: "a", name: "Ali\u202ece\n\u0007Smith " })?.caller.name).toBe("Ali ce Smith");
  expect(read(OKTA, { sub: "a", preferred_username: "alice" })?.caller.name).toBe("alice");
});
