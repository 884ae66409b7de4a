import { describe, expect, onTestFinished, test } from "vitest";
import type { PageEvent } from "../../src/surfaces/http/api/api.ts";
import { entry, openInspector } from "./inspector.ts";

const SERVED = { mcpServers: { it: entry() }, permissions: { allow: ["it/*"] } };

/** Listens as the page does; `next` waits until all of these were told. */
async function listen({ door }: Pick<Awaited<ReturnType<typeof openInspector>>, "door">) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const answer = await door.ask("/api/events", { signal: stop.signal });
  if (answer.body === null || answer.status !== 200) throw new Error(`no stream: ${answer.status}`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  const told: PageEvent["changed"][] = [];
  let rest = "";
  const read = async (): Promise<boolean> => {
    const { done, value = "" } = await reader.read();
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const [, data] = /^data: (.*)$/m.exec(part) ?? [];
      if (data !== undefined) told.push(JSON.parse(data).changed);
    }
    return !done;
  };
  await read();
  return {
    answer,
    told,
    stop: () => stop.abort(),
    async next(...wanted: readonly PageEvent["changed"][]) {
      while (!wanted.every((kind) => told.includes(kind)) && (await read()));
      expect(told).toEqual(expect.arrayContaining([...wanted]));
    },
    async end() {
      while (await read());
    },
  };
}

describe("events", () => {
  test("are a stream that nothing keeps", async () => {
    const { answer } = await listen(await openInspector({}));
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("tell of calls, clients, definitions, servers and toolsets", async () => {
    const inspector = await openInspector(SERVED);
    const calls = await listen(inspector);
    await inspector.crib.main.call("it/echo", { text: "x" });
    await calls.next("calls");
    const others = await listen(inspector);
    inspector.told();
    await others.next("overview", "changes");
    const servers = await listen(inspector);
    await inspector.post("/api/servers/it/restart");
    await servers.next("servers");
    const toolsets = await listen(inspector);
    inspector.place.write("user", JSON.stringify({ ...SERVED, excludeTools: ["web"] }));
    await inspector.crib.reconfigure(await inspector.place.load({}, { PATH: process.env.PATH }));
    await toolsets.next("toolset");
  });

  test("tell of an approval that waits, and again when it is answered", async () => {
    const inspector = await openInspector({
      ...SERVED,
      permissions: { ask: ["it/echo"] },
      gateway: { approvals: "inspector" },
    });
    const before = await listen(inspector);
    const result = inspector.crib.main.call("it/echo", { text: "x" });
    await before.next("approvals");
    const after = await listen(inspector);
    const [{ id } = { id: "" }] = inspector.crib.approvals.pending;
    void inspector.crib.approvals.answer(id, { decision: "deny" });
    await after.next("approvals");
    await result;
  });

  test("come once for much that happens at once", async () => {
    const inspector = await openInspector({});
    const { told, next } = await listen(inspector);
    for (let at = 0; at < 1_000; at++) inspector.told();
    await next("overview", "changes", "toolset");
    expect(told.filter((kind) => kind === "overview")).toHaveLength(1);
  });

  test("are for a bounded number of pages, and a place is free again when one goes", async () => {
    const inspector = await openInspector({}, { listeners: 2 });
    const first = await listen(inspector);
    await listen(inspector);
    expect(inspector.api.listeners).toBe(2);
    const refused = await inspector.door.ask("/api/events");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("5");
    await refused.body?.cancel();
    first.stop();
    await expect.poll(() => inspector.api.listeners, { timeout: 9_000 }).toBe(1);
    await listen(inspector);
  });

  test("end when the server closes, which waits for nobody who listens", async () => {
    const inspector = await openInspector({}, { door: { limits: { grace: 600_000 } } });
    const { end } = await listen(inspector);
    const closing = inspector.door.close();
    await end();
    await closing;
  });
});
