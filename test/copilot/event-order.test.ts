import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/surfaces/copilot/wire/connection.ts";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { answerAll, startRuntime } from "../support/copilot-client.ts";
import { serveLoopback } from "../support/loopback-web.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const PAY = { name: "pay", description: "Pays", parameters: { type: "object" }, skipPermission: true };
const LEND = { ...PAY, name: "lend", description: "Lends" };

async function begin(replies: readonly object[]) {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  return { model: `scripted:${script}`, project, runtime: startRuntime(join(project, "home"), project) };
}

test("a call that starts while the model still speaks is reported once, behind its message", async () => {
  let speakOn = (): void => {};
  const asked = new Promise<void>((resolve) => {
    speakOn = resolve;
  });
  const glob = (index: number) => ({
    tool_calls: [{ index, id: `call-${index}`, function: { name: "glob", arguments: '{"pattern":"*"}' } }],
  });
  const { port } = await serveLoopback(async (request, response) => {
    const isFirst = !(await text(request)).includes('"role":"tool"');
    const write = (delta: object, finish_reason: string | null = null) =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    response.setHeader("content-type", "text/event-stream");
    if (isFirst) {
      write(glob(0));
      write(glob(1));
      // The first call has begun by now, and the model has not said all of its message.
      await asked;
      write({}, "tool_calls");
    } else write({ content: "Done." }, "stop");
    response.end("data: [DONE]\n\n");
  });
  const { runtime } = await begin([]);
  const client = runtime.connect();
  client.answers.set("hooks.invoke", ({ hookType }) => {
    if (hookType === "preToolUse") speakOn();
    return {};
  });
  const provider = { type: "openai", wireApi: "completions", baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "k" };
  await client.request("session.create", { sessionId: "s", model: "m", provider, hooks: true, streaming: true });
  const stop = answerAll(client, "s");
  await client.request("session.send", { sessionId: "s", prompt: "Look" });
  await client.next("session.idle");
  stop();
  const seen = client.events.map(({ type }) => type);
  const starts = seen.flatMap((type, at) => (type === "tool.execution_start" ? [at] : []));
  expect(starts).toHaveLength(2);
  expect(Math.min(...starts)).toBeGreaterThan(seen.indexOf("assistant.message"));
  expect(seen.indexOf("hook.start")).toBeGreaterThan(Math.min(...starts));
});

test("a message that follows a failed turn at once is not ended by the idle of that turn", async () => {
  const { model, runtime } = await begin([{ error: { status: 400, message: "no" } }, { text: "Two." }]);
  const client = runtime.connect();
  await client.request("session.create", { sessionId: "s", model });
  await client.request("session.send", { sessionId: "s", prompt: "One" });
  await client.next("session.error");
  await client.request("session.send", { sessionId: "s", prompt: "Two" });
  await client.next("session.idle");
  const seen = client.events.map(({ type }) => type).filter((type) => /error|idle|assistant.message$/.test(type));
  expect(seen).toEqual(["session.error", "assistant.message", "session.idle"]);
  // Nothing of the first turn comes later either.
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Three" }).catch(() => {});
  await client.next("session.idle");
  expect(client.events.filter(({ type }) => type === "session.idle")).toHaveLength(2);
});

test("a failed turn ends in idle where nobody sends anything", async () => {
  const { model, runtime } = await begin([{ error: { status: 400, message: "no" } }]);
  const client = runtime.connect();
  client.answers.set("ping", () => new Promise(() => {}));
  await client.request("session.create", { sessionId: "s", model });
  await client.request("session.send", { sessionId: "s", prompt: "One" });
  await client.next("session.idle");
  expect(client.events.at(-1)?.type).toBe("session.idle");
});

test("clients learn when the tools of their session change, and only then", async () => {
  const { model, runtime } = await begin([{ text: "One." }]);
  const first = runtime.connect();
  const ask = (method: string, params = {}) => first.request(`session.${method}`, { sessionId: "s", ...params });
  const updates = () => first.events.filter(({ type }) => type === "session.tools_updated");
  const grows = async (what: string, act: () => Promise<unknown>, by = 1) => {
    const before = updates().length;
    await act();
    // Anyone who asks for the tools has them as they are now, and what is not there by the next event does not come.
    await ask("tools.getCurrentMetadata");
    await ask("log", { message: what, level: "info" });
    await expect.poll(() => first.events.some(({ data }) => data.message === what)).toBe(true);
    expect([what, updates().length - before]).toEqual([what, by]);
  };
  await grows("start", () => first.request("session.create", { sessionId: "s", model, tools: [PAY] }));
  expect(updates()[0]).toMatchObject({ ephemeral: true, data: { model: expect.stringContaining("scripted") } });
  await grows("nothing", () => ask("options.update", { enableStreaming: true }), 0);
  await grows("a filter", () => ask("options.update", { excludedTools: ["bash"] }));
  await grows("the same filter", () => ask("options.update", { excludedTools: ["bash"] }), 0);
  await grows("tools", () => ask("tools.set", { tools: [PAY, LEND] }));
  await grows("the same tools", () => ask("tools.set", { tools: [PAY, LEND] }), 0);
  await grows("a definition", () => ask("tools.set", { tools: [PAY, { ...LEND, description: "Lends money" }] }));
  await grows("a model", () => ask("model.switchTo", { modelId: "gpt-4.1" }));
  await grows("a refresh", () => ask("skills.ensureLoaded"), 0);
  const second = runtime.connect();
  await grows("a client", () => second.request("session.resume", { sessionId: "s", tools: [{ ...PAY, name: "own" }] }));
  await grows("its end", () => second.request("session.destroy", { sessionId: "s" }));
  const third = runtime.connect();
  await grows("a client without tools", () => third.request("session.resume", { sessionId: "s" }), 0);
});

test("a stored session tells who resumes it whether its tools are others than before", async () => {
  const { model, project, runtime } = await begin([{ text: "One." }]);
  const first = runtime.connect();
  await first.request("session.create", { sessionId: "s", model, tools: [PAY] });
  await first.request("session.sendAndWait", { sessionId: "s", prompt: "Hi" });
  await runtime.server.close();
  const resume = async (tools: readonly object[]) => {
    const again = startRuntime(join(project, "home"), project);
    const client = again.connect();
    await client.request("session.resume", { sessionId: "s", model, tools });
    await client.request("session.log", { sessionId: "s", message: "Resumed", level: "info" });
    await client.next("session.info");
    await again.server.close();
    return client.events.map(({ type }) => type).filter((type) => type === "session.tools_updated");
  };
  expect(await resume([PAY, LEND])).toHaveLength(1);
  expect(await resume([PAY])).toHaveLength(0);
});

test.each(["sources", "build"])(
  "a client whose connection ends as another resumes its session has left by then: %s",
  async (kind) => {
    const { model, project, runtime } = await begin([{ calls: [{ tool: "pay", arguments: {} }] }, { text: "Paid." }]);
    const port = kind === "sources" ? await runtime.server.listen(0, "127.0.0.1") : await listenBuilt(project);
    // The first to leave is the one for whom something may have to be loaded.
    for (const sessionId of ["a", "b"]) {
      const resumed: unknown[] = [];
      const second = await dial(port, ({ type, data }) => {
        if (type === "session.resume") resumed.push(data.sessionWasActive);
      });
      let called = () => {};
      const calling = new Promise<void>((resolve) => {
        called = resolve;
      });
      const first = await dial(port, ({ type }) => type === "external_tool.requested" && called());
      await first.client.request("session.create", { sessionId, model, tools: [PAY] });
      await first.client.request("session.send", { sessionId, prompt: "Pay" });
      await calling;
      const resuming = second.client.request("session.resume", { sessionId, tools: [PAY] });
      // Behind the request, which goes out with the next turn of the event loop: the runtime reads both at once.
      setImmediate(() => first.socket.destroy());
      await resuming;
      await second.client.request("session.log", { sessionId, message: "Here", level: "info" });
      await expect.poll(() => resumed).toEqual([false]);
      second.client.cut(null);
    }
  },
  120_000,
);

type OnEvent = (event: { readonly type?: string; readonly data: Record<string, unknown> }) => unknown;

async function dial(port: number, onEvent: OnEvent) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const client = openConnection({
    ...{ input: socket, output: socket, onNote: () => {}, onRequest: () => null },
    onNotification: (_method, { event }) => onEvent((event ?? { data: {} }) as Parameters<OnEvent>[0]), // Of a lifecycle there is none.
  });
  await client.request("connect", {});
  return { socket, client };
}

/** The executable, in a process of its own; resolves to its port. */
async function listenBuilt(project: string): Promise<number> {
  ensureBuilt();
  const child = startCli(["--headless", "--port", "0"], { cwd: project, env: { COPILOT_HOME: join(project, "home") } });
  onTestFinished(() => void child.kill());
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    out += part;
  });
  await expect.poll(() => out, { timeout: 30_000 }).toMatch(/port \d+/);
  return Number(/port (\d+)/.exec(out)?.[1]);
}
