import { describe, expect, onTestFinished, test } from "vitest";
import type { AuditNote } from "../../src/runtime/audit/audit-row.ts";
import { createAuthorizations } from "../../src/runtime/people/authorizations.ts";
import { createBrowserSessions } from "../../src/runtime/people/browser-sessions.ts";
import { createPeopleRows } from "../../src/runtime/people/people-rows.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { openPeople } from "../../src/surfaces/http/people/open-people.ts";
import { giveTokens } from "../people/world.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { CLIENT_TOKEN } from "./door.ts";
import { entry, openInspector } from "./inspector.ts";

const IDP = "https://idp.example.com";
const GATEWAY = {
  publicUrl: "http://127.0.0.1:1",
  auth: {
    login: { issuer: IDP, clientId: "gateway" },
    people: [
      ...["viewer", "approver", "auditor", "admin"].map((role) => ({ group: [`${role}s`], roles: [role] })),
      { group: ["elsewhere"], roles: ["approver"], servers: ["other"] },
    ],
  },
};

/** An inspector that people log in to, and somebody's browser for each set of people groups. */
async function openWithPeople() {
  const notes: AuditNote[] = [];
  const refused: unknown[] = [];
  const config = await createWorkspace({ user: JSON.stringify({ gateway: GATEWAY }) }).load();
  const place = { store: createStore(createMemoryBackEnd()), scope: "inspector-people" };
  const people = await openPeople({
    ...{ gateway: config.gateway, publicUrl: GATEWAY.publicUrl, place, folder: makeTempFolder() },
    front: { endOf: async () => {} },
    note: (each) => void notes.push(each),
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  onTestFinished(() => people.close());
  const served = { mcpServers: { it: entry() }, permissions: { ask: ["it/*"] }, gateway: GATEWAY };
  const crib = { onRefusedAnswer: (each: unknown) => void refused.push(each) };
  const opened = await openInspector(served, { crib, door: { people } });
  const rows = createPeopleRows(place);
  onTestFinished(() => rows.close());
  const browsers = createBrowserSessions({ place, people: rows, provider: null });
  const browserOf = async (subject: string, ...groups: readonly string[]) => {
    const caller = { issuer: IDP, subject, client: null, groups, claims: [], name: null, email: null };
    const cookie = `toolcrib=${await browsers.open(caller, null)}`;
    const ask = (path: string, method = "GET", headers: Readonly<Record<string, string>> = {}) =>
      opened.door.ask(path, {
        method,
        token: null,
        headers: {
          ...{ cookie, "content-type": "application/json" },
          ...(method === "POST" ? { origin: opened.door.origin } : {}),
          ...headers,
        },
        ...(method === "POST" ? { body: JSON.stringify({ decision: "deny" }) } : {}),
      });
    return { ask, status: async (...given: Parameters<typeof ask>) => (await ask(...given)).status };
  };
  const authorizations = createAuthorizations(place, { people: rows, log: () => {} });
  return { ...opened, browserOf, rows, notes, refused, people: rows, authorizations };
}

describe("the inspector for people", () => {
  test("everybody with a role looks, auditors alone read calls, approvers alone answer, admins alone change (O9)", async () => {
    const { browserOf } = await openWithPeople();
    const [viewer, approver, auditor, admin, member] = await Promise.all([
      browserOf("v", "viewers"),
      browserOf("a", "approvers"),
      browserOf("u", "auditors"),
      browserOf("m", "admins"),
      browserOf("n", "members"),
    ]);
    const table = async (path: string, method?: string) =>
      Promise.all([viewer, approver, auditor, admin, member].map(({ status }) => status(path, method)));
    expect(await table("/api/overview")).toEqual([200, 200, 200, 200, 403]);
    expect(await table("/api/calls")).toEqual([403, 403, 200, 403, 403]);
    // Here the log is a file of the machine.
    for (const path of ["/api/log?bodies=1", "/api/log/verify"])
      expect(await table(path)).toEqual([403, 403, 404, 403, 403]);
    expect(await table("/api/approvals")).toEqual([403, 200, 403, 403, 403]);
    // Allowed to answer, and nobody waits under that id.
    expect(await table("/api/approvals/none", "POST")).toEqual([403, 404, 403, 403, 403]);
    expect(await table("/api/tools/it__echo/off", "POST")).toEqual([403, 403, 403, 200, 403]);
    expect(await table("/api/pins", "POST")).toEqual([403, 403, 403, 404, 403]);
  });

  test("what an admin changes is logged under their name", async () => {
    const { browserOf, acted } = await openWithPeople();
    const admin = await browserOf("carol", "admins");
    expect(await admin.status("/api/tools/it__echo/off", "POST")).toBe(200);
    expect(acted).toMatchObject([
      {
        type: "inspector.acted",
        principal: "carol@idp.example.com",
        names: ["it__echo"],
        text: expect.stringContaining("off"),
      },
    ]);
  });

  test("an approver sees and answers calls of their servers alone, and an answer counts once (O9, O14)", async () => {
    const { browserOf, refused, view, crib } = await openWithPeople();
    const session = await view();
    const call = session.call("it/echo", { text: "x" }, { behind: {} });
    await expect.poll(() => crib.approvals.pending.length).toBe(1);
    const [{ id } = { id: "" }] = crib.approvals.pending;
    const [other, approver] = [await browserOf("o", "elsewhere"), await browserOf("a", "approvers")];
    expect(await (await other.ask("/api/approvals")).json()).toEqual([]);
    const answer = await other.ask(`/api/approvals/${id}`, "POST");
    expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: "approval.not-theirs" } }]);
    expect(refused).toMatchObject([{ principal: "o@idp.example.com" }]);
    // Nothing that would count for longer is offered.
    expect(await (await approver.ask("/api/approvals")).json()).toMatchObject([{ id, suggestions: [] }]);
    expect(await approver.status(`/api/approvals/${id}`, "POST")).toBe(204);
    expect(await approver.status(`/api/approvals/${id}`, "POST")).toBe(404);
    expect((await call).resultType).toBe("denied");
  });

  test("who asks for more than their role allows, and a client's token, are refused and logged by name (O9)", async () => {
    const { browserOf, acted, notes, door, people, authorizations } = await openWithPeople();
    const viewer = await browserOf("v", "viewers");
    expect(await viewer.status("/api/tools/it__echo/off", "POST")).toBe(403);
    expect(acted).toEqual([
      {
        ...{ type: "inspector.refused", principal: "v@idp.example.com" },
        text: "v@idp.example.com was refused POST /api/tools: this needs the role admin",
      },
    ]);
    const caller = { subject: "a", issuer: IDP, groups: ["approvers"] };
    const { accessToken: token } = await giveTokens({ people, authorizations }, caller);
    const sent = { method: "POST", token, headers: { "content-type": "application/json" }, body: "{}" };
    expect((await door.ask("/api/approvals/some-id", sent)).status).toBe(401);
    const text =
      "a client's token was refused for POST /api/approvals/some-id from 127.0.0.1, because it opens /mcp alone";
    expect(notes).toEqual([{ type: "token.refused", principal: "a@idp.example.com", text }]);
    expect((await door.ask("/api/approvals/some-id", { ...sent, token: CLIENT_TOKEN })).status).toBe(403);
    expect(notes).toHaveLength(2);
    expect((await door.ask("/api/approvals/some-id", { ...sent, token: "nobody's" })).status).toBe(401);
  });

  test("a cookie counts for pages of this gateway alone, and ends with the person's access", async () => {
    const { browserOf, rows, door } = await openWithPeople();
    const admin = await browserOf("carol", "admins");
    expect(await admin.status("/api/tools/it__echo/off", "POST", { origin: "https://evil.example" })).toBe(403);
    const bare = await door.ask("/api/pins", { method: "POST", token: null, headers: { cookie: "toolcrib=x.y" } });
    expect(bare.status).toBe(401);
    expect(await bare.json()).toMatchObject({ error: { code: "http.login" } });
    await rows.end({ issuer: IDP, subject: "carol" }, "dave");
    expect(await admin.status("/api/overview")).toBe(401);
  });
});
