import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import type { Caller } from "../../core/people/person.ts";
import { personProfile, renewProfile, toViewConfig } from "./profile.ts";

const WRITTEN = `
gateway:
  publicUrl: https://tools.example.com
  profiles:
    engineers: { include: ["github/*", view], exclude: ["prod/*"], permissions: { deny: ["bash"] } }
    oncall: { include: ["pager/*"] }
    everything: { exclude: ["payroll/*"] }
    writer: { agent: writer }
    reader: { agent: reader }
  auth:
    login: { issuer: "https://idp.example.com", clientId: gateway }
    people:
      - { group: [eng], profile: engineers }
      - { group: [oncall], profile: oncall }
      - { group: [all], profile: everything }
      - { group: [writers], profile: writer }
      - { group: [readers], profile: reader }
`;
const caller = (...groups: readonly string[]): Caller => ({
  ...{ issuer: "https://idp.example.com", subject: "alice", client: "c", groups, claims: [], name: null, email: null },
});
const load = () => createWorkspace({ user: WRITTEN }).load();

test("a person is given what rules say, each limit with whose it is and why (O6)", async () => {
  const { limits, rules, principal } = personProfile(await load(), caller("eng"));
  expect(principal).toBe("alice@idp.example.com");
  expect(limits.map(({ whose }) => whose)).toEqual(["the engineers profile's", "the engineers profile's"]);
  expect(limits[0]?.because).toMatch(/^people group "eng" gives profile "engineers" \(.*config\.yaml:13\)$/);
  expect(rules?.deny).toHaveLength(1);
});

test("includes of several profiles unite, and every exclude counts (O6)", async () => {
  const config = await load();
  const names = (list: { value: readonly { value: string }[] } | null) => list?.value.map(({ value }) => value) ?? null;
  const { limits } = personProfile(config, caller("eng", "oncall"));
  expect(limits.map(({ include, exclude }) => [names(include), names(exclude)])).toEqual([
    [["github/*", "view", "pager/*"], []],
    [null, ["prod/*"]],
  ]);
  // A profile without an include list gives everything.
  const all = personProfile(config, caller("eng", "all"));
  expect(all.limits.map(({ include, exclude }) => [names(include), names(exclude)])).toEqual([
    [null, ["prod/*"]],
    [null, ["payroll/*"]],
  ]);
});

test("without a matching rule there are no tools, with that reason; two agents are an error (O6)", async () => {
  const config = await load();
  const { limits } = personProfile(config, caller("strangers"));
  expect(limits).toMatchObject([
    { include: { value: [] }, because: "no rule of gateway.auth.people gives alice@idp.example.com a profile" },
  ]);
  expect(() => personProfile(config, caller("writers", "readers"))).toThrow(
    /two agents for one person: .*"writer".*"reader"/,
  );
});

test("a person keeps what a new configuration gives, and nothing once logging in is gone", async () => {
  const profile = personProfile(await load(), caller("eng"));
  expect(renewProfile(profile, await load())?.limits).toEqual(profile.limits);
  expect(renewProfile(profile, await createWorkspace().load())).toBeNull();
});

test("what nobody could be given is refused with its line, and what is odd is reported", async () => {
  const load = (gateway: string) =>
    createWorkspace({ user: `gateway:\n${gateway}` })
      .load()
      .then(
        ({ notices }) => notices.map(({ code, text }) => `${code}: ${text}`).join("\n"),
        (error: Error) => error.message,
      );
  const url = "  publicUrl: https://tools.example.com\n";
  expect(await load("  auth: { people: [] }")).toMatch(/config\.yaml:2: gateway.auth needs gateway.publicUrl/);
  const typo = "  profiles: { engineers: {} }\n  auth: { people: [{ everybody: true, profile: enginers }] }";
  expect(await load(url + typo)).toMatch(/config\.yaml:4: .*no "enginers"; did you mean "engineers"/);
  const client = "  profiles: { engineers: {} }\n  clients: [{ name: ci, profile: engineer }]";
  expect(await load(client)).toMatch(/config\.yaml:3: .*did you mean "engineers"/);
  const foreign = "  auth: { people: [{ issuer: https://elsewhere.example.com, roles: [viewer] }] }";
  const said = await load(url + foreign);
  expect(said).toMatch(/auth.unknown-issuer: nobody comes in from https:\/\/elsewhere/);
  expect(said).toMatch(/auth.no-admin: nobody is an admin/);
  expect(await load("  publicUrl: http://tools.example.com\n")).toMatch(/must begin with https/);
  expect(await load("  publicUrl: https://tools.example.com/mcp\n")).toMatch(/without a path/);
});

test("rules that are about nobody or give nothing are refused with their line", async () => {
  const bad = async (rule: string) => {
    const config = await createWorkspace({ user: `gateway:\n  auth:\n    people:\n      - ${rule}\n` })
      .load()
      .catch((error: unknown) => error);
    return config instanceof Error ? config.message : "loaded";
  };
  expect(await bad("{ profile: p }")).toMatch(/config\.yaml:4.*names nobody/);
  expect(await bad("{ subject: alice, profile: p }")).toMatch(/without its issuer/);
  expect(await bad("{ group: [eng] }")).toMatch(/gives nothing/);
  expect(await bad("{ everybody: true, group: [eng], profile: p }")).toMatch(/everybody: true/);
});

test("filters of profiles unite and come beside those of everybody", async () => {
  const config = await createWorkspace({
    user: `filters: [{ kinds: [secret] }]
gateway:
  publicUrl: https://tools.example.com
  profiles:
    support: { filters: [{ kinds: [card], do: block }] }
    sales: { filters: [{ kinds: [email] }] }
  auth:
    login: { issuer: "https://idp.example.com", clientId: gateway }
    people:
      - { group: [support], profile: support }
      - { group: [sales], profile: sales }
`,
  }).load();
  const kinds = (...groups: readonly string[]) =>
    toViewConfig(config, personProfile(config, caller(...groups))).filters.map((filter) => filter.kinds?.join());
  expect(kinds("support", "sales")).toEqual(["secret", "card", "email"]);
  expect(kinds("sales")).toEqual(["secret", "email"]);
});
