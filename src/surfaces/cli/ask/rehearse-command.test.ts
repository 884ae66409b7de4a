import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { openAuditLog } from "../../../runtime/audit/audit-log.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import { createListKeeper, folderOfLists } from "../../../runtime/audit/kept-lists.ts";
import { openCrib } from "../../../runtime/crib/open-crib.ts";
import { clientProfile, mainProfile } from "../../../runtime/crib/profile.ts";

const SERVER = fileURLToPath(new URL("../../../../test/fixtures/clerk-server.mjs", import.meta.url));
const servers = { crm: { command: process.execPath, args: [SERVER] } };
const today = {
  mcpServers: servers,
  builtins: "all",
  permissions: { allow: ["crm/say", "crm/letter", "Bash(echo:*)"] },
  sandbox: { allowHostShell: true, shell: "off" },
  gateway: { clients: [{ name: "intern", exclude: ["crm/coded"] }] },
};

interface Made {
  readonly tool: string;
  readonly args?: object;
  readonly by?: "intern";
}

/** A machine whose log has these calls, made through a gateway. */
async function afterCalls(calls: readonly Made[], options: { readonly keepsLists?: boolean } = {}) {
  const place = createWorkspace({ "toolcrib.yaml": JSON.stringify(today) });
  const { cwd, home } = place;
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const config = await place.load({ config: "toolcrib.yaml" }, env);
  const path = auditPath({ home, env }, cwd);
  const log = await openAuditLog({ path, onError: () => {} });
  const failed = (text: string, error: unknown): never => {
    throw new Error(text, { cause: error });
  };
  const lists = createListKeeper({ folder: folderOfLists(path), values: null, onError: failed });
  const crib = await openCrib(config, {
    ...{ version: "1", workspace: cwd, drain: 0, cwd, home, env },
    watch(view) {
      log.watch(view);
      if (options.keepsLists !== false) lists.watch(view.session);
    },
  });
  const [intern] = config.gateway.clients;
  const open = (by?: "intern") =>
    crib.openView({
      profile: by === undefined || intern === undefined ? mainProfile() : clientProfile(intern, by),
      ...{ label: "test", client: null, approve: async () => ({ decision: "allow" as const }) },
    });
  for (const { tool, args = {}, by } of calls) {
    const session = await open(by);
    await session.settled(AbortSignal.timeout(30_000));
    await session.call(tool, args);
    await session.close();
  }
  await crib.close();
  await lists.flush();
  await log.close();
  const rehearse = (policy: object, ...flags: readonly string[]) => {
    place.write("new.yaml", JSON.stringify({ ...today, ...policy }));
    return runCli(["rehearse", "--policy", "new.yaml", ...flags], { cwd, env });
  };
  const rehearseJson = async (policy: object, ...flags: readonly string[]) => {
    const { status, out, err } = await rehearse(policy, "--json", ...flags);
    expect(err).toBe("");
    return { status, ...JSON.parse(out) };
  };
  return { place, rehearse, rehearseJson };
}

const CALLS: readonly Made[] = [
  { tool: "crm/say", args: { text: "hello" } },
  { tool: "crm/say", args: { text: "pay with 4111 1111 1111 1111" } },
  { tool: "crm/letter", by: "intern" },
  { tool: "crm/customer" },
];

describe("a policy that is tried on the log", () => {
  test("that changes nothing says so, with status 0", async () => {
    const { rehearseJson } = await afterCalls(CALLS);
    expect(await rehearseJson({})).toMatchObject({
      status: 0,
      ...{ calls: 4, judged: 4, changes: [], people: [], unjudged: [], withNewestList: 0, underOthers: 0 },
      now: { allow: 3, ask: 1, deny: 0, hidden: 0 },
      next: { allow: 3, ask: 1, deny: 0, hidden: 0 },
    });
  });

  test("shows which calls would have been refused, asked about, hidden and allowed, by whom and by which line", async () => {
    const { rehearseJson, rehearse } = await afterCalls(CALLS);
    const policy = {
      permissions: { allow: ["crm/customer"], ask: ["crm/letter"] },
      filters: [{ kinds: ["card"], do: "block" }],
    };
    const report = await rehearseJson(policy);
    expect(report).toMatchObject({ status: 1, judged: 4, next: { allow: 1, ask: 2, deny: 1, hidden: 0 } });
    expect(report.changes).toHaveLength(4);
    expect(report.changes).toMatchObject([
      {
        who: "main",
        tool: "crm/say",
        from: "allow",
        to: "deny",
        calls: 1,
        code: "filter.blocked",
        origin: "new.yaml:1",
      },
      { who: "intern", tool: "crm/letter", from: "allow", to: "ask", code: "permission.asked", origin: "new.yaml:1" },
      { who: "main", tool: "crm/say", from: "allow", to: "ask", calls: 1, code: "permission.no-rule" },
      { who: "main", tool: "crm/customer", from: "ask", to: "allow", code: "permission.allowed" },
    ]);
    const { out, status } = await rehearse(policy);
    expect(status).toBe(1);
    expect(out).toContain("new.yaml in the place of");
    expect(out).toMatch(/allowed +3 +1\n/);
    expect(out).toMatch(/1 {2}intern +crm\/letter +allowed → asked +permission\.asked \(new\.yaml:1\)/);
    // Nothing that was in a call.
    expect(out + JSON.stringify(report)).not.toMatch(/hello|4111/);
  });

  test("shows who loses and gains which tools, also where they did not call them", async () => {
    const { rehearseJson, rehearse } = await afterCalls(CALLS);
    const policy = { excludeTools: ["crm/letter"], gateway: { clients: [{ name: "intern" }] } };
    const report = await rehearseJson(policy);
    expect(report.people).toEqual([
      { who: "intern", lost: ["crm/letter"], gained: ["crm/coded"] },
      { who: "main", lost: ["crm/letter"], gained: [] },
    ]);
    expect(report.changes).toMatchObject([{ who: "intern", to: "hidden", code: "filter.excluded" }]);
    expect((await rehearse(policy)).out).toContain("intern loses crm/letter\n  intern gains crm/coded");
  });

  test("takes away the tools of servers that it does not start, and names those that nobody knows yet", async () => {
    const { rehearseJson } = await afterCalls(CALLS);
    const other = { command: "/bin/false" };
    const report = await rehearseJson({ mcpServers: { other } });
    expect(report).toMatchObject({ next: { hidden: 4 }, unknownServers: ["other"] });
    expect(report.changes[0]).toMatchObject({ to: "hidden", code: "server.gone" });
  });

  test("is tried on shell lines as they would be judged", async () => {
    const { rehearseJson } = await afterCalls([
      { tool: "bash", args: { command: "echo one" } },
      { tool: "bash", args: { command: "echo two; ls" } },
    ]);
    const report = await rehearseJson({ permissions: { deny: ["Bash(echo two:*)"], allow: ["Bash(echo:*)"] } });
    expect(report).toMatchObject({ judged: 2, now: { allow: 2 }, next: { allow: 1, deny: 1 } });
  });

  test("judges what it can: what is too long or on no list is counted and named", async () => {
    const long = { tool: "crm/say", args: { text: "x".repeat(100_000) } };
    const { rehearseJson, rehearse } = await afterCalls([...CALLS, long], { keepsLists: false });
    const report = await rehearseJson({});
    expect(report).toMatchObject({ calls: 5, judged: 0 });
    expect(report.unjudged).toEqual([
      { why: "their tool is on no list that was kept", calls: 4, tools: expect.arrayContaining(["crm__say"]) },
      { why: "their arguments are too long for the log", calls: 1, tools: ["crm__say"] },
    ]);
    expect((await rehearse({})).out).toContain("1 call cannot be judged: their arguments are too long for the log");
  });

  test("only calls since a moment count", async () => {
    const { rehearseJson } = await afterCalls(CALLS);
    expect(await rehearseJson({}, "--since", "1h")).toMatchObject({ calls: 4 });
    expect(await rehearseJson({}, "--since", "2100-01-01")).toMatchObject({ calls: 0, status: 0 });
  });

  test("managed policy is tried in the place of managed policy", async () => {
    const { place, rehearse } = await afterCalls(CALLS);
    const { cwd, home } = place;
    place.write("policy.yaml", 'policy: { deniedTools: ["crm/say"] }\n');
    const env = { PATH: process.env.PATH ?? "", HOME: home };
    const { out } = await runCli(["rehearse", "--policy", join(cwd, "policy.yaml"), "--json"], { cwd, env });
    expect(JSON.parse(out)).toMatchObject({ now: { allow: 3 }, next: { allow: 1, hidden: 2 } });
    expect((await rehearse({})).status).toBe(0);
  });

  test("a policy that cannot be read, or none, is an error", async () => {
    const { place } = await afterCalls([]);
    const { cwd, home } = place;
    place.write("new.yaml", "permissions: { alow: [] }\n");
    const run = (...args: readonly string[]) => runCli(["rehearse", ...args], { cwd, env: { HOME: home } });
    expect(await run("--policy", "new.yaml")).toMatchObject({ status: 3, err: expect.stringContaining("new.yaml:1") });
    expect(await run("--policy", "gone.yaml")).toMatchObject({ status: 3, err: expect.stringContaining("gone.yaml") });
    expect(await run()).toMatchObject({ status: 2, err: expect.stringContaining("--policy FILE") });
  });
});
