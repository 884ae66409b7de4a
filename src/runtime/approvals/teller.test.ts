import { expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { serveLoopback } from "../../../test/support/loopback-web.ts";
import { createRedactor } from "../audit/redact-value.ts";
import { createApprovals } from "../crib/approvals.ts";
import { guardApprovals } from "../crib/guarded-approvals.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { createStore } from "../store/create-store.ts";
import { createMemoryBackEnd } from "../store/memory-back-end.ts";
import { startTelling } from "./teller.ts";

const REQUEST = {
  ...{ kind: "mcp", toolName: "it__plain", toolArgs: {}, toolCallId: "c", sessionId: "s", description: "", parts: [] },
  ...{ reason: "a rule asks", origin: "default", source: "server it", code: "permission.asked", suggestions: [] },
} as unknown as PermissionRequest;

test("what a machine told and left when it ended is told to have ended by another one, once nobody waits (O14)", async () => {
  const types: string[] = [];
  const hook = await serveLoopback((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { type, outcome } = JSON.parse(Buffer.concat(parts).toString("utf8"));
      types.push(`${type} ${outcome ?? ""}`.trim());
      response.end();
    });
  });
  const to = [{ webhook: `http://127.0.0.1:${hook.port}/`, secret: "s" }];
  const auth = { people: [{ everybody: true, roles: ["approver"] }] };
  const gateway = { publicUrl: "https://tools.example.com", auth, approvals: { ask: "approvers", to } };
  const config = await createWorkspace({ user: JSON.stringify({ gateway }) }).load();
  const place = { store: createStore(createMemoryBackEnd()), scope: "telling" };
  const problems: unknown[] = [];
  const start = () => {
    const clock = createFakeClock();
    const approvals = guardApprovals(createApprovals(), { onRefused: () => {} });
    const teller = startTelling({
      ...{ approvals, place, clock, publicUrl: "https://tools.example.com", note: () => {} },
      settings: () => config.gateway.approvals,
      redactor: () => createRedactor([]),
      onError: (_, error) => void problems.push(error),
    });
    onTestFinished(() => teller.close());
    return { clock, approvals, teller };
  };
  const first = start();
  first.approvals.ask(REQUEST, { client: "editor" }, new AbortController().signal, { id: "q" }).catch(() => {});
  first.clock.advance(1);
  await expect.poll(() => types).toEqual(["approval.asked"]);
  const { createToldRows } = await import("./told-rows.ts");
  await expect.poll(() => createToldRows(place).list()).toEqual(["q"]);
  await first.teller.close();

  const second = start();
  // The machine that asked may be saying so itself: it is looked at twice.
  for (let look = 0; look < 2; look += 1) {
    expect(types).toEqual(["approval.asked"]);
    await expect.poll(() => second.clock.pending).toEqual([15_000]);
    second.clock.advance(15_000);
  }
  await expect.poll(() => types).toEqual(["approval.asked", "approval.ended withdrawn"]);
  expect(await createToldRows(place).list()).toEqual([]);
  expect(problems).toEqual([]);
});
