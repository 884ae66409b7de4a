import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/surfaces/copilot/wire/connection.ts";
import type {
  ApprovalView,
  CallView,
  Overview,
  QuestionView,
  RunView,
  ToolsetView,
  WhyView,
} from "../../src/surfaces/http/api/api.ts";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;

beforeAll(ensureBuilt);

/** The real program, an app that speaks to it over standard input and output, and somebody at the inspector. */
async function startApp(
  argv: readonly string[],
  replies: readonly object[] = [],
  card: Promise<unknown> | null = null,
) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const child = startCli(argv, { cwd: folder, env: { HOME: folder, COPILOT_HOME: join(folder, "home") } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error("it has no streams");
  const ended = once(child, "exit");
  const [line = ""] = (await once(createInterface(stderr), "line")) as [string?];
  const [, origin = "", token = ""] =
    /^toolcrib: inspector at (http:\/\/127\.0\.0\.1:\d+)\/#token=(\w{64})$/.exec(line) ?? [];
  const said: string[] = [];
  const events: { readonly type: string; readonly data: Json }[] = [];
  let wake = (): void => {};
  const app = openConnection({
    input: stdout,
    output: stdin,
    // Whatever is no message on standard output is noted here.
    onNote: (text) => said.push(text),
    onRequest: () => card,
    onNotification: (method, { event }) => {
      if (method !== "session.event") return;
      events.push(event as (typeof events)[number]);
      wake();
    },
  });
  const ask = (path: string, init: RequestInit = {}, bearer = token) =>
    fetch(`${origin}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    });
  return {
    ...{ app, ask, ended, said, line, origin, model: `scripted:${script}` },
    request: (method: string, params: Json = {}) => app.request(method, params) as Promise<Json>,
    async next(type: string): Promise<Json> {
      for (;;) {
        const at = events.findIndex((event) => event.type === type);
        const [found] = at === -1 ? [] : events.splice(at, 1);
        if (found !== undefined) return found.data;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async json<T>(path: string): Promise<T> {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 200]);
      return (await answer.json()) as T;
    },
  };
}

const TOOLS = ["pay", "refund"].map((name) => ({
  name,
  description: `Will ${name}`,
  parameters: { type: "object", properties: { amount: { type: "number" } } },
}));

test("the inspector shows a running app: sessions, tools with their reasons, questions, calls; and ends with it", async () => {
  let choose = (_answer: unknown): void => {};
  const started = await startApp(
    ["rpc", "--inspect"],
    [
      { calls: [{ tool: "pay", arguments: { amount: 7 } }] },
      { calls: [{ tool: "ask_user", arguments: { question: "Which card?", choices: ["red", "blue"] } }] },
      { text: "Paid." },
    ],
    new Promise((resolve) => {
      choose = resolve;
    }),
  );
  const { request, json, ask, next, app, said, ended, model } = started;
  expect(started.line).toMatch(/^toolcrib: inspector at /);

  // Before the app has a session there is nothing, and that is said.
  expect(await json<Overview>("/api/overview")).toMatchObject({ isApp: true, endpoint: null, clients: [] });
  expect((await json<ToolsetView>("/api/toolset")).tools).toEqual([]);

  await request("session.create", {
    ...{ sessionId: "orders-1", clientName: "shop", model, tools: TOOLS, excludedTools: ["refund"] },
    requestUserInput: true,
  });
  const { clients } = await json<Overview>("/api/overview");
  expect(clients).toMatchObject([{ id: "orders-1", label: "shop orders-1", calls: 0 }]);
  const { tools, gates } = await json<ToolsetView>("/api/toolset?client=orders-1");
  expect(tools.find(({ name }) => name === "pay")).toMatchObject({ standing: "visible" });
  const hidden = tools.find(({ name }) => name === "refund");
  expect(hidden?.standing).toBe("hidden");
  expect(hidden?.trace.map(({ gate }) => gate)).toEqual(gates.filter((gate) => gate !== "budget"));
  const why = await json<WhyView>("/api/why/refund?client=orders-1");
  expect(why.tools[0]).toMatchObject({ name: "refund", standing: "hidden" });
  expect(why.tools[0]?.reasons).toMatchObject([{ gate: "filter", verdict: "hide", code: "filter.excluded" }]);

  // A question is shown, and the app alone answers it.
  await request("session.send", { sessionId: "orders-1", prompt: "Pay 7" });
  const { requestId } = await next("permission.requested");
  const [waiting, ...others] = await json<readonly ApprovalView[]>("/api/approvals");
  expect([waiting, others]).toMatchObject([{ tool: "pay", session: "orders-1", client: "shop orders-1" }, []]);
  const answer = { method: "POST", body: JSON.stringify({ decision: "allow" }) };
  expect((await ask(`/api/approvals/${waiting?.id}`, answer)).status).toBe(404);
  expect(await json<readonly RunView[]>("/api/runs")).toMatchObject([
    { id: "orders-1", state: "waiting", isOpen: false },
  ]);
  const result = { kind: "approve-once" };
  await request("session.permissions.handlePendingPermissionRequest", { sessionId: "orders-1", requestId, result });
  const call = await next("external_tool.requested");
  expect(await json("/api/approvals")).toEqual([]);
  await request("session.tools.handlePendingToolCall", {
    ...{ sessionId: "orders-1", requestId: call.requestId, result: "paid 7" },
  });
  await next("user_input.requested");
  expect(await json<readonly QuestionView[]>("/api/questions")).toMatchObject([
    { kind: "user_input", session: "orders-1", question: "Which card?", choices: ["red", "blue"] },
  ]);
  choose({ answer: "red", wasFreeform: false });
  await next("session.idle");
  expect(await json("/api/questions")).toEqual([]);
  const calls = await json<readonly CallView[]>("/api/calls");
  expect(calls.find(({ tool }) => tool === "pay")).toMatchObject({
    ...{ client: "shop orders-1", arguments: { amount: 7 }, state: "done" },
    result: { type: "success", text: "paid 7" },
  });
  expect(await json<readonly RunView[]>("/api/runs")).toMatchObject([
    { prompt: expect.stringContaining("Pay 7"), state: "idle" },
  ]);

  // Standard output carried the protocol and nothing else; a page that still listens keeps nothing alive.
  const stream = await ask("/api/events");
  expect(stream.status).toBe(200);
  expect(said).toEqual([]);
  app.cut(null);
  expect(await ended).toEqual([0, null]);
});

test("nobody looks without the token, and nothing can be done from the page of an app", async () => {
  const { ask, origin, request, app, ended } = await startApp(["--inspect", "--headless", "--stdio"]);
  expect(await request("ping", { message: "hi" })).toMatchObject({ message: expect.stringContaining("hi") });
  expect((await fetch(`${origin}/api/overview`)).status).toBe(401);
  expect((await ask("/api/overview", {}, "0".repeat(64))).status).toBe(401);
  expect((await fetch(`${origin}/`)).status).toBe(200);
  const missing = ["/api/changes", "/api/sessions", "/api/what-if?mode=plan", "/api/runs/new", "/mcp"];
  const posted = ["/api/try/pay", "/api/tools/pay/off", "/api/servers/x/restart", "/api/pins", "/api/runs/s/stop"];
  for (const path of missing) expect([path, (await ask(path)).status]).toEqual([path, 404]);
  const post = { method: "POST", body: '{"arguments":{}}' };
  for (const path of posted) expect([path, (await ask(path, post)).status]).toEqual([path, 404]);
  app.cut(null);
  expect(await ended).toEqual([0, null]);
});
