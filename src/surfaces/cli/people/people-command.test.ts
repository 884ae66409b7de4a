import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { findAuditPath } from "../../../runtime/audit/audit-path.ts";
import { createPeopleRows } from "../../../runtime/people/people-rows.ts";
import { peopleScope } from "../../../runtime/people/people-scope.ts";
import { openStoreAt } from "../../../runtime/store/open-store.ts";

const IDP = "https://idp.example.com";
const WRITTEN = (store: string) => `store: { url: "sqlite:${store}" }
gateway:
  publicUrl: https://tools.example.com
  builtins: read
  profiles:
    readers: { exclude: [grep], permissions: { deny: ["view(secret.txt)"] } }
  auth:
    login: { issuer: "${IDP}", clientId: gateway }
    people:
      - { group: [eng], profile: readers, roles: [member] }
      - { issuer: "${IDP}", subject: carol, roles: [admin] }
`;

/** A workspace whose gateway alice, of the people group eng, and carol have logged in to. */
async function someCameIn() {
  const workspace = createWorkspace();
  const path = join(workspace.root, "people.db");
  workspace.write("user", WRITTEN(path));
  const scope = peopleScope(await workspace.load());
  if (scope === null) throw new Error("people log in here");
  const place = { home: workspace.home, env: {}, workspace: workspace.cwd };
  const withRows = async <T>(work: (rows: ReturnType<typeof createPeopleRows>) => Promise<T>): Promise<T> => {
    const store = await openStoreAt(`sqlite:${path}`, place);
    const rows = createPeopleRows({ store, scope });
    const result = await work(rows);
    rows.close();
    await store.close();
    return result;
  };
  await withRows(async (rows) => {
    const known = { issuer: IDP, claims: [], email: null };
    await rows.note({ ...known, subject: "alice", groups: ["eng"], name: "Alice Doe" });
    await rows.note({ ...known, subject: "carol", groups: [], name: "Carol" });
  });
  const run = (argv: readonly string[], types?: string, env: Readonly<Record<string, string>> = {}) =>
    runCli(argv, {
      ...{ cwd: workspace.cwd, env: { HOME: workspace.home, ...env } },
      ...(types === undefined ? {} : { types }),
    });
  return { run, withRows, workspace };
}

test("people lists who came in with what they get, and show names the rule, file and line (O6)", async () => {
  const { run } = await someCameIn();
  const { out } = await run(["people"]);
  expect(out).toMatch(/alice@idp\.example\.com +Alice Doe +readers +member/);
  expect(out).toMatch(/carol@idp\.example\.com +Carol +none +admin/);
  const shown = await run(["people", "show", "alice doe"]);
  expect(shown.out).toMatch(/people group "eng" gives profile "readers" \(.*config\.yaml:10\)/);
  expect((await run(["people", "show", "carol"])).out).toContain("no rule gives a profile, so there are no tools");
  const { out: json } = await run(["people", "show", "alice", "--json"]);
  expect(JSON.parse(json).person).toMatchObject({ subject: "alice", profiles: ["readers"], problem: null });
});

test("why, list and check answer for a person, with the profile and the group that gives it (O6)", async () => {
  const { run } = await someCameIn();
  const why = await run(["why", "grep", "--person", "alice", "--no-start"]);
  expect(why.status).toBe(1);
  expect(why.err).toContain("As alice@idp.example.com (people groups eng) gets it through the gateway.");
  const said = why.out.replace(/\s+/g, " ");
  expect(said).toContain('excluded by "grep" in the readers profile\'s exclude list; people group "eng" gives profile');
  expect(said).toMatch(/config\.yaml:10/);
  const list = JSON.parse((await run(["list", "--person", "carol", "--no-start", "--json"])).out);
  expect(list.tools.every(({ standing }: { standing: string }) => standing === "hidden")).toBe(true);
  expect(JSON.stringify(list.tools)).toContain("no rule of gateway.auth.people gives carol@idp.example.com a profile");
  const check = await run(["check", "view", "--args", '{"path":"secret.txt"}', "--person", "alice"]);
  expect(check.out).toMatch(/^view: deny/);
  expect((await run(["check", "view", "--args", '{"path":"secret.txt"}'])).out).not.toMatch(/^view: deny/);
});

test("somebody who has not come in yet can be asked about with people groups, and nobody else", async () => {
  const { run } = await someCameIn();
  const { out, err } = await run(["why", "view", "--person", "dave", "--groups", "eng,ops", "--no-start"]);
  expect(err).toContain("As dave@idp.example.com (people groups eng, ops)");
  expect(out).toContain("view is visible");
  const unknown = await run(["why", "view", "--person", "dave", "--no-start"]);
  expect([unknown.status, unknown.err]).toEqual([3, expect.stringContaining('nobody called "dave" has come in')]);
  expect((await run(["list", "--groups", "eng"])).err).toContain("--groups needs --person NAME");
});

test("end asks first, and ends somebody's access until admit (O8)", async () => {
  const { run, withRows } = await someCameIn();
  const invited = JSON.parse((await run(["people", "invite", "dave", "--groups", "eng", "--json"])).out);
  const alice = { issuer: IDP, subject: "alice" };
  expect(await run(["people", "end", "alice"], "n")).toMatchObject({ status: 1, out: "Nothing was changed.\n" });
  expect((await run(["people", "end", "alice"], "y")).out).toContain("has ended");
  expect(await withRows((rows) => rows.find(alice))).toMatchObject({
    ended: { by: expect.stringContaining("command line") },
  });
  const back = { ...alice, groups: ["eng"], claims: [], name: null, email: null };
  await expect(withRows((rows) => rows.note(back))).rejects.toThrow(/access of alice@idp\.example\.com was ended/);
  expect((await run(["people", "end", "alice"])).err).toContain("was ended already");
  expect((await run(["people", "admit", "alice"])).out).toContain("can log in again");
  await withRows((rows) => rows.note(back));
  const { out } = await run(["audit", "--json"]);
  expect(out).not.toContain(new URL(invited.link).hash.slice(1));
  const rows = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const principal = "alice@idp.example.com";
  expect(rows.filter(({ type }) => type.startsWith("person."))).toMatchObject([
    { type: "person.invited", text: expect.stringMatching(/command line invited "dave" with people groups eng$/) },
    { type: "person.ended", principal, text: expect.stringMatching(/^their access was ended by .*command line$/) },
    { type: "person.admitted", principal, text: expect.stringMatching(/command line let them log in again$/) },
  ]);
});

test("where policy requires the log of calls and it cannot be written, nobody is let in or out", async () => {
  const { run, withRows, workspace } = await someCameIn();
  mkdirSync(await findAuditPath({ cwd: workspace.cwd, home: workspace.home, env: {} }), { recursive: true });
  const warned = await run(["people", "invite", "erin"]);
  expect([warned.status, warned.err]).toEqual([0, expect.stringContaining("no row says what happens now")]);
  workspace.write("required.yaml", "policy: { audit: required }\n");
  const refused = await run(["people", "end", "alice", "--yes"], "", { TOOLCRIB_POLICY: "required.yaml" });
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("so that nothing was changed")]);
  expect(await withRows((rows) => rows.find({ issuer: IDP, subject: "alice" }))).toMatchObject({ ended: null });
});

test("where nobody logs in, people says what is missing", async () => {
  const { cwd, home } = createWorkspace();
  const { status, err } = await runCli(["people"], { cwd, env: { HOME: home } });
  expect([status, err]).toEqual([3, expect.stringContaining("gateway.auth is not set")]);
});
