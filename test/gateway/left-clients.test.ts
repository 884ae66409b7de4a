import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openGateway } from "./world.ts";

const ASK = { permissions: { ask: ["create"] } };
const CALL = { name: "create", arguments: { path: "made.txt", content: "x" } };

/** A client of the older protocol, by hand, so that it can leave at any moment. */
async function openSession(url: string, capabilities: object = {}) {
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  });
  const post = (message: object, signal?: AbortSignal) =>
    fetch(url, {
      ...{ method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...message }) },
      ...(signal === undefined ? {} : { signal }),
    });
  const clientInfo = { name: "leaver", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo };
  const opened = await post({ id: 0, method: "initialize", params });
  headers.set("mcp-session-id", opened.headers.get("mcp-session-id") ?? "");
  await opened.text();
  await (await post({ method: "notifications/initialized" })).text();
  return { post };
}

const ended = (world: Awaited<ReturnType<typeof openGateway>>) =>
  new Promise<{ readonly resultType: string; readonly error: string | null }>((resolve) => {
    for (const { session } of world.crib.views) session.on("tool.execution_complete", resolve);
  });

test.each(["inspector", "client"])(
  "a call that waits for a person is given up when its client has left, and nobody can let it run then (approvals: %s)",
  async (approvals) => {
    const world = await openGateway({ ...ASK, gateway: { approvals } });
    const { post } = await openSession(world.url);
    const over = ended(world);
    const leaving = new AbortController();
    const call = post({ id: 1, method: "tools/call", params: CALL }, leaving.signal);
    await vi.waitFor(() => expect(world.crib.approvals.pending).toHaveLength(1), { timeout: 30_000 });
    const [waiting] = world.crib.approvals.pending;
    leaving.abort();
    await expect(call).rejects.toThrow();
    expect(await over).toMatchObject({
      resultType: "denied",
      error: expect.stringContaining("the client has gone, so nobody would get the result"),
    });
    expect(world.crib.approvals.pending).toEqual([]);
    expect(await world.crib.approvals.answer(waiting?.id ?? "", { decision: "allow" })).toBe(false);
    expect(existsSync(join(world.place.cwd, "made.txt"))).toBe(false);
  },
);

test("so is one whose client left the form open that it was asked by", async () => {
  const world = await openGateway(ASK);
  const { post } = await openSession(world.url, { elicitation: {} });
  const over = ended(world);
  const leaving = new AbortController();
  const asked = await post({ id: 1, method: "tools/call", params: CALL }, leaving.signal);
  const { value } = (await asked.body?.getReader().read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toContain("elicitation/create");
  leaving.abort();
  expect(await over).toMatchObject({ resultType: "denied", error: expect.stringContaining("the client has gone") });
  expect(world.crib.approvals.pending).toEqual([]);
});
