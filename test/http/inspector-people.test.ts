import { describe, expect, onTestFinished, test } from "vitest";
import { createBrowserSessions } from "../../src/runtime/people/browser-sessions.ts";
import { createPeopleRows } from "../../src/runtime/people/people-rows.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { openPeople } from "../../src/surfaces/http/people/open-people.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { entry, openInspector } from "./inspector.ts";

const IDP = "https://idp.example.com";
const GATEWAY = {
  publicUrl: "http://127.0.0.1:1",
  auth: {
    login: { issuer: IDP, clientId: "gateway" },
    people: ["viewer", "approver", "auditor", "admin"].map((role) => ({ group: [`${role}s`], roles: [role] })),
  },
};

/** An inspector that people log in to, and somebody's browser for each set of people groups. */
async function openWithPeople() {
  const config = await createWorkspace({ user: JSON.stringify({ gateway: GATEWAY }) }).load();
  const place = { store: createStore(createMemoryBackEnd()), scope: "inspector-people" };
  const people = await openPeople({
    ...{ gateway: config.gateway, publicUrl: GATEWAY.publicUrl, place, folder: makeTempFolder() },
    front: { endOf: async () => {} },
    note: () => {},
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  onTestFinished(() => people.close());
  const served = { mcpServers: { it: entry() }, permissions: { ask: ["it/*"] }, gateway: GATEWAY };
  const opened = await openInspector(served, { door: { people } });
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
  return { ...opened, browserOf, rows };
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
