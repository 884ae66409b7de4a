import { describe, expect, test } from "vitest";
import type { Progress } from "../../src/sources/source.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { type Answer, type Demo, listen, sessionAnswer, statelessAnswer } from "../support/loopback-mcp.ts";
import { call, openSource, reaches, runContext, toolOf } from "../support/mcp-sources.ts";

/** Processes start slowly on a busy machine. */
const MB = 1024 * 1024;
const success = (text: string) => expect.objectContaining({ resultType: "success", textResultForLlm: text });

function demo(): Demo & { readonly hung: Promise<void> } {
  let begun = () => {};
  const hung = new Promise<void>((resolve) => {
    begun = resolve;
  });
  return { extraTools: [], begun, hung };
}

test("a server that is slow to say which protocol it speaks is waited for", async () => {
  const answer = sessionAnswer();
  const { url } = await listen((request, response, body) => {
    const isProbe = body.includes("server/discover");
    setTimeout(() => void answer(request, response, body), isProbe ? 200 : 0);
  });
  const source = openSource({ url }, { limits: { probeTimeout: 20 } });
  expect(await call(source, "echo", { text: "hello" })).toEqual(success("hello"));
});

describe.each<[string, "auto" | "session"]>([
  ["2026-07-28, stateless", "auto"],
  ["2025-11-25, sessions", "session"],
])("Streamable HTTP, %s", (_, kind) => {
  const answerOf = (given?: Demo): Answer =>
    kind === "session" ? sessionAnswer(given) : statelessAnswer(given).answer;

  test("lists, calls, reports progress, sends the headers, and says goodbye", async () => {
    const { url, requests } = await listen(answerOf());
    const source = openSource({ url, headers: { authorization: "Bearer t0ken-t0ken" } });
    expect(await toolOf(source, "echo")).toMatchObject({ server: "it", description: "Says it again" });
    expect(source.instructions).toBe("A demo.");
    expect(await call(source, "echo", { text: "hello" })).toEqual(success("hello"));
    const steps: Progress[] = [];
    await call(source, "steps", {}, runContext({ onProgress: (step) => steps.push(step) }));
    expect(steps).toEqual([{ progress: 1, total: 1, message: null }]);
    await source.close();
    const asked = requests.map(({ what }) => what);
    expect(asked[0]).toBe("POST server/discover");
    expect(asked.includes("POST initialize")).toBe(kind === "session");
    expect(asked.includes("DELETE")).toBe(kind === "session");
    expect(requests.every(({ headers }) => headers.authorization === "Bearer t0ken-t0ken")).toBe(true);
  });

  test("a result beyond the cap fails its call and nothing else", async () => {
    const { url } = await listen(answerOf());
    const source = openSource({ url });
    const [big, small] = await Promise.all([
      call(source, "big", { bytes: 12 * MB }),
      call(source, "echo", { text: "beside" }),
    ]);
    expect(big).toMatchObject({ resultType: "failure", error: expect.stringContaining("mcp.result-too-large") });
    expect(small).toEqual(success("beside"));
    expect(await call(source, "echo", { text: "after" })).toEqual(success("after"));
  });

  test("a call that hangs is given up at its time-out, and an aborted one at once", async () => {
    const given = demo();
    const { url } = await listen(answerOf(given));
    const clock = createFakeClock();
    const source = openSource({ url, timeout: 7_000 }, { clock });
    const hang = source.run(await toolOf(source, "hang"), {}, runContext());
    await given.hung;
    clock.advance(7_000);
    expect(await hang).toMatchObject({ resultType: "timeout" });
    const user = new AbortController();
    const second = source.run(await toolOf(source, "hang"), {}, runContext({ signal: user.signal }));
    user.abort();
    expect(await second).toMatchObject({ error: "the call was cancelled" });
    expect(await call(source, "echo", { text: "alive" })).toEqual(success("alive"));
  });

  test("a server that goes away mid-call is a typed error at once, and is back after the backoff", async () => {
    const given = demo();
    const first = await listen(answerOf(given));
    const clock = createFakeClock();
    const source = openSource({ url: first.url }, { clock, random: () => 0 });
    const hang = source.run(await toolOf(source, "hang"), {}, runContext());
    await given.hung;
    await first.stop();
    await expect(hang).rejects.toMatchObject({ code: "mcp.disconnected" });
    await reaches(source, "stale");
    expect((await source.list(AbortSignal.abort())).length).toBeGreaterThan(3);
    await listen(answerOf(), Number(new URL(first.url).port));
    const next = call(source, "echo", { text: "again" });
    clock.advance(250);
    expect(await next).toEqual(success("again"));
  });
});

test("2026-07-28: list changes arrive on the stream that was asked for", async () => {
  const given = demo();
  const { answer, changed } = statelessAnswer(given);
  const { url, requests } = await listen(answer);
  const source = openSource({ url });
  const before = await toolOf(source, "echo");
  while (!requests.some(({ what }) => what === "POST subscriptions/listen")) await turn();
  given.extraTools.push("new");
  changed();
  const arrived = async () => (await source.list(AbortSignal.abort())).some((tool) => tool.name === "new");
  while (!(await arrived())) await new Promise<void>((resolve) => source.changes(resolve));
  expect(await toolOf(source, "new")).toMatchObject({ server: "it" });
  expect(await toolOf(source, "echo")).toBe(before);
});

test("2026-07-28: parameters that belong into headers are sent there too, and the result is whole", async () => {
  const { url, requests } = await listen(statelessAnswer().answer);
  const source = openSource({ url });
  expect(await call(source, "mirrored", { region: "eu-west" })).toEqual(success("eu-west"));
  expect(requests.find(({ what }) => what === "POST tools/call")?.headers).toMatchObject({
    "mcp-name": "mirrored",
    "mcp-param-region": "eu-west",
  });
});

test("a session that the server forgot is opened again", async () => {
  let answer = sessionAnswer();
  const { url } = await listen((...exchange) => answer(...exchange));
  const clock = createFakeClock();
  const source = openSource({ url }, { clock, random: () => 0 });
  await toolOf(source, "echo");
  answer = sessionAnswer();
  await expect(call(source, "echo", { text: "lost" })).rejects.toMatchObject({ code: "mcp.disconnected" });
  const next = call(source, "echo", { text: "new session" });
  clock.advance(250);
  expect(await next).toEqual(success("new session"));
});

describe("a server that wants a login", () => {
  const challenge = 'Bearer resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource"';

  test.each(["http", "sse"] as const)(
    "%s: needs-auth with what to do, no retries, no token in any text",
    async (type) => {
      const { url, requests } = await listen((_request, response) => {
        response.writeHead(401, { "www-authenticate": challenge }).end("bad token: wrong-t0ken-value");
      });
      const clock = createFakeClock();
      const source = openSource({ type, url, headers: { Authorization: "Bearer wrong-t0ken-value" } }, { clock });
      await reaches(source, "needs-auth");
      expect(source.status).toMatchObject({
        reason: "needs a login (HTTP 401)",
        next: expect.stringContaining("toolcrib servers login it"),
      });
      const tool = await toolOf(openSource({ url: (await listen(statelessAnswer().answer)).url }), "echo");
      const refused = source.run(tool, { text: "x" }, runContext());
      await expect(refused).rejects.toMatchObject({ code: "mcp.unavailable" });
      const error = await refused.catch((thrown: unknown) => thrown);
      expect(`${JSON.stringify(source.status)}${String(error)}`).not.toContain("t0ken");
      const asked = requests.length;
      clock.advance(120_000);
      await turn();
      expect(requests.length).toBe(asked);
      expect(clock.pending).toEqual([]);
    },
  );

  test("also when the token expires later", async () => {
    const { answer } = statelessAnswer();
    let expired = false;
    const { url } = await listen((request, response, body) =>
      expired ? response.writeHead(401, { "www-authenticate": challenge }).end() : answer(request, response, body),
    );
    const source = openSource({ url }, { clock: createFakeClock() });
    await toolOf(source, "echo");
    expired = true;
    await expect(call(source, "echo", { text: "x" })).rejects.toMatchObject({ code: "mcp.unavailable" });
    await reaches(source, "needs-auth");
    expired = false;
    await source.restart();
    expect(await call(source, "echo", { text: "in" })).toEqual(success("in"));
  });
});

test("headers are not carried to another origin", async () => {
  const canary = await listen((_request, response) => response.end());
  const { url } = await listen((_request, response) => {
    response.writeHead(307, { location: `${canary.origin}/mcp` }).end();
  });
  const source = openSource({ url, headers: { authorization: "Bearer t0ken-t0ken" } }, { clock: createFakeClock() });
  await reaches(source, "failed");
  expect(canary.requests).toEqual([]);
});

test("a flood of events is cut with a reason", async () => {
  const { answer } = statelessAnswer();
  const event = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } })}\n\n`;
  const { url } = await listen(async (request, response, body) => {
    if (!body.includes('"tools/call"')) return answer(request, response, body);
    let gone: (reason?: unknown) => void = () => {};
    response.once("close", () => gone());
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let sent = 0; sent < 200 && !response.destroyed; sent++) {
      if (!response.write(event.repeat(500)))
        await new Promise<unknown>((resolve) => {
          gone = resolve;
          response.once("drain", resolve);
        });
    }
    return undefined;
  });
  const source = openSource({ url }, { clock: createFakeClock() });
  await expect(call(source, "echo", { text: "x" })).rejects.toMatchObject({ code: "mcp.disconnected" });
  await reaches(source, "stale");
  expect(source.status.reason).toMatch(/^was cut off: /);
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
