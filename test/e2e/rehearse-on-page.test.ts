import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { requireRole } from "../../src/surfaces/http/api/actor.ts";
import type { TrialView } from "../../src/surfaces/http/api/api.ts";
import { newMachine, startUp } from "../support/running-up.ts";

const SERVER = fileURLToPath(new URL("../fixtures/clerk-server.mjs", import.meta.url));

test("a policy that is tried on the page says what it would have meant, and nothing is changed", async () => {
  const config = {
    mcpServers: { crm: { command: process.execPath, args: [SERVER] } },
    permissions: { allow: ["crm/*"] },
    toolSearch: "off",
  };
  const machine = newMachine({ user: JSON.stringify(config) });
  const up = await startUp(machine);
  const client = await up.connect();
  const say = () => client.callTool({ name: "crm__say", arguments: { text: "a canary in a call" } });
  await say();
  const { inspector, token } = up.document;
  const post = (body: object) =>
    fetch(new URL("api/rehearsals", inspector), {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const policy = JSON.stringify({ ...config, permissions: { allow: ["crm/*"], ask: ["crm/say"] } });
  const answer = await post({ policy, days: 1 });
  const text = await answer.text();
  expect({ status: answer.status, text }).toEqual({ status: 200, text });
  const trial = JSON.parse(text) as TrialView; // The page's own type.
  expect(trial).toMatchObject({ judged: 1, now: { allow: 1 }, next: { ask: 1 }, unjudged: [] });
  expect(trial.changes).toMatchObject([{ tool: "crm/say", from: "allow", to: "ask", code: "permission.asked" }]);
  expect(text).not.toContain("canary in a call");
  expect((await say()).isError).not.toBe(true);
  const mistake = await post({ policy: "permissions: { alow: [] }" });
  expect(mistake.status).toBe(422);
  expect(await mistake.json()).toMatchObject({ error: { text: expect.stringContaining("alow") } });
  expect((await post({ days: 1 })).status).toBe(400);
});

test("viewers and admins may try a policy, and nobody else", () => {
  const may = (role: "viewer" | "admin" | "approver" | "auditor" | "member") => () =>
    requireRole({ roles: new Set([role] as const) }, "POST", "rehearsals");
  expect(may("viewer")).not.toThrow();
  expect(may("admin")).not.toThrow();
  for (const role of ["approver", "auditor", "member"] as const) expect(may(role)).toThrow("needs the role");
});
