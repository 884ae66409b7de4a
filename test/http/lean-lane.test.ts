import { once } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { head, isShort, LONG, openBoth, post, readAnswers } from "./both-ways.ts";
import { ACCESS, CLIENT_TOKEN, type Door, isClosed, openDoor, readAnswer, TOKEN } from "./door.ts";

describe("the short way", () => {
  test("takes a plain message, and one after the other on the same connection", async () => {
    const socket = (await openBoth()).dial();
    for (const body of ['{"a":1}', '{"b":"ä€😀"}', ""]) {
      socket.write(post(body));
      const [answer = ""] = await readAnswers(socket, 1);
      expect(isShort(answer)).toBe(true);
      expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ body });
    }
  });

  test("takes a message that comes byte by byte once its head is whole", async () => {
    const socket = (await openBoth()).dial();
    const text = post('{"a":"ä"}');
    const end = text.indexOf("\r\n\r\n") + 4;
    socket.setNoDelay(true);
    socket.write(text.slice(0, end));
    for (const byte of Buffer.from(text.slice(end))) {
      await new Promise(setImmediate);
      socket.write(Buffer.from([byte]));
    }
    const [answer = ""] = await readAnswers(socket, 1);
    expect(isShort(answer)).toBe(true);
    expect(answer).toContain("ä");
  });

  test("closes no connection for a time in which this process did not get to read it", async () => {
    const socket = (await openBoth({ limits: { idleTimeout: 2_000, headTimeout: 2_000 } })).dial();
    socket.write(post('"one"'));
    await readAnswers(socket, 1);
    socket.write(post('"two"'));
    // As while the machine sleeps, or has too much to do: nothing of this process runs.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
    expect((await readAnswers(socket, 1))[0]).toContain(JSON.stringify('"two"'));
  });

  test("takes a body of many pieces at a cost that grows with its size", async () => {
    const socket = (await openBoth()).dial();
    const body = JSON.stringify("x".repeat(60_000));
    socket.setNoDelay(true);
    socket.write(post(body).slice(0, -body.length));
    const answered = readAnswers(socket, 1);
    for (let at = 0; at < body.length; at += 60) {
      socket.write(body.slice(at, at + 60));
      if (at % 600 === 0) await new Promise(setImmediate);
    }
    expect(isShort((await answered)[0] ?? "")).toBe(true);
  });

  test("answers what came in one piece in its order", async () => {
    const socket = (await openBoth()).dial();
    const bodies = Array.from({ length: 40 }, (_, at) => `"m${at}"`);
    socket.write(bodies.map((body) => post(body)).join(""));
    const answers = await readAnswers(socket, bodies.length);
    answers.forEach((answer, at) => {
      expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ body: bodies[at] });
    });
  });

  test("gives a connection away at the first other request, with all that has come of it", async () => {
    const socket = (await openBoth()).dial();
    socket.write(post('"one"') + head(["GET /healthz HTTP/1.1", "Host: localhost"]) + post('"two"'));
    const [one = "", health = "", two = ""] = await readAnswers(socket, 3);
    expect(isShort(one)).toBe(true);
    expect(health).toContain('{"ok":true}');
    expect(isShort(two)).toBe(false);
    expect(two).toContain(JSON.stringify('"two"'));
  });

  test.each([
    ["a long body", post("x".repeat(70_000))],
    ["a body in chunks", `${post("").replace("Content-Length: 0", "Transfer-Encoding: chunked")}3\r\nabc\r\n0\r\n\r\n`],
    ["a client that wants to be told to go on", post("{}", "Expect: 100-continue")],
    ["a line that comes twice", post("{}", "X-A: 1", "X-A: 2")],
    ["a line with other letters", post("{}", "X-A: ä")],
    ["a connection that shall close", post("{}", "Connection: close")],
    ["a client that would rather speak something else", post("{}", "Connection: Upgrade", "Upgrade: h2c")],
  ])("leaves %s to the long way, which answers", async (_, text) => {
    const answer = await (await openBoth()).raw(text);
    expect(answer.text).toMatch(/HTTP\/1\.1 200 OK|HTTP\/1\.1 100 Continue/);
    expect(isShort(answer.text)).toBe(false);
  });

  test("says nothing and reads nothing of a body before Host, Origin and token are good", async () => {
    const reached: unknown[] = [];
    const door = await openBoth({ mcpMessage: async (request) => void reached.push(request) });
    const begun = (line: string) => post("x".repeat(100)).slice(0, -100).replace("Host: 127.0.0.1", line);
    for (const [text, status] of [
      [begun("Host: evil.test"), 403],
      [begun("Host: 127.0.0.1\r\nOrigin: http://evil.test"), 403],
      [begun("Host: 127.0.0.1").replace(TOKEN, "wrong"), 401],
    ] as const)
      expect((await door.raw(text)).status).toBe(status);
    expect(reached).toEqual([]);
  });

  test("forgets a token with the next request when it counts no more", async () => {
    const door = await openBoth();
    const socket = door.dial();
    socket.write(post("{}"));
    await readAnswers(socket, 1);
    door.setAccess({ ...ACCESS, token: "another-token-that-is-long-enough" });
    socket.write(post("{}"));
    expect((await readAnswers(socket, 1))[0]).toMatch(/^HTTP\/1\.1 401/);
  });

  test("never takes one token's head for another's", async () => {
    const socket = (await openBoth()).dial();
    socket.write(post("{}") + post("{}").replace(TOKEN, CLIENT_TOKEN) + post("{}"));
    const principals = (await readAnswers(socket, 3)).map((answer) => /"principal":"([^"]+)"/.exec(answer)?.[1]);
    expect(principals).toEqual(["main", "client-1-reviewer", "main"]);
  });

  test("counts against the same rate as the long way", async () => {
    const socket = (await openBoth({ limits: { requestsPerSecond: 0.001, burst: 3 } })).dial();
    for (let at = 0; at < 3; at++) {
      socket.write(post("{}"));
      expect((await readAnswers(socket, 1))[0]).toMatch(/^HTTP\/1\.1 200/);
    }
    socket.write(post("{}"));
    expect((await readAnswers(socket, 1))[0]).toMatch(/^HTTP\/1\.1 429/);
  });

  test("lets an answer become a stream, piece by piece", async () => {
    const door = await openBoth({
      async mcpMessage(_request, _text, wire) {
        wire.writeHead(200, { "content-type": "text/event-stream" });
        wire.flushHeaders();
        for (const text of ["one ä", "two"]) wire.write(text);
        wire.end("three");
      },
    });
    const answer = await door.ask("/mcp", { method: "POST", body: "{}" });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(await answer.text()).toBe("one ätwothree");
  });

  test("tells an answer that its client went away", async () => {
    let gone = (): void => {};
    const left = new Promise<void>((resolve) => {
      gone = resolve;
    });
    let arrived = (): void => {};
    const here = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const door = await openBoth({
      async mcpMessage(_request, _text, wire) {
        wire.once("close", gone);
        arrived();
      },
    });
    const socket = door.dial();
    socket.write(post("{}"));
    await here;
    socket.destroy();
    await left;
  });

  test.each([
    ["that sends nothing", "", { headTimeout: 40 }],
    ["that never sends the rest of a body", post("{}").slice(0, -1), { headTimeout: 40, requestTimeout: 60 }],
    ["that sends no next request", post("{}"), { headTimeout: 40, idleTimeout: 60 }],
  ])("is not waited on for ever by a connection %s", async (_, text, limits) => {
    const socket = (await openBoth({ limits })).dial();
    socket.resume();
    if (text !== "") socket.write(text);
    await isClosed(socket);
  });

  test("closes when the door does: the idle at once, the busy after their answer", async () => {
    let answer = (): void => {};
    let arrived = (): void => {};
    const here = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const door = await openBoth({
      async mcpMessage(_request, _text, wire) {
        arrived();
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        wire.writeHead(200, { "content-length": 2 }).end("ok");
      },
    });
    const [idle, busy] = [door.dial(), door.dial()];
    await once(idle, "connect");
    busy.write(post("{}"));
    await here;
    const closing = door.close();
    await isClosed(idle.resume());
    const answered = readAnswer(busy);
    answer();
    expect(await answered).toMatchObject({ status: 200, text: expect.stringContaining("connection: close") });
    await closing;
  });
});

test("both ways come to the same whatever a head looks like", async () => {
  const [both, long] = [await openBoth(), await openDoor({ mcp: LONG })];
  const line = fc.oneof(
    fc.constantFrom(
      ...["Host: 127.0.0.1", "Host: evil.test", "host:localhost", "Host : localhost", "Origin: http://127.0.0.1"],
      ...["Origin: null", "Origin: http://evil.test", `Authorization: Bearer ${TOKEN}`, "Authorization: Bearer wrong"],
      ...[`authorization: bearer  ${CLIENT_TOKEN} `, "Content-Length: 2", "Content-Length: 02", "Content-Length: +2"],
      ...["Content-Length: 2, 2", "Content-Length: 2 ", "Transfer-Encoding: identity", "Connection: close", "X: \t"],
      ...[" folded", "X-A: a\rb", "X-A: a\nb", "X-A: \0", "no colon", ": no name", "X_Y: 1", "__proto__: 1", "X-A:"],
    ),
    fc.string().map((text) => `X-Any: ${text}`),
  );
  const first = fc.constantFrom(
    ...["POST /mcp HTTP/1.1", "POST /mcp?agent=a HTTP/1.1", "POST /mcp HTTP/1.0", "POST  /mcp HTTP/1.1"],
    ...["POST http://127.0.0.1/mcp HTTP/1.1", "post /mcp HTTP/1.1", "POST /mcp/ HTTP/1.1", "POST /mcp#a HTTP/1.1"],
  );
  const good = ["Host: 127.0.0.1", `Authorization: Bearer ${TOKEN}`, "Content-Length: 2"];
  const lines = fc.oneof(
    fc.array(line, { maxLength: 6 }),
    fc.array(line, { maxLength: 2 }).map((more) => [...good, ...more]),
  );
  let short = 0;
  await fc.assert(
    fc.asyncProperty(first, lines, async (request, given) => {
      const text = `${head([request, ...given, "Connection: keep-alive"])}{}`;
      const [mine, other] = await Promise.all([both, long].map((door) => shape(door, text)));
      if (isShort(mine?.head ?? "")) short += 1;
      expect([mine?.status, mine?.body]).toEqual([other?.status, other?.body]);
    }),
    { numRuns: 400 },
  );
  expect(short).toBeGreaterThan(10);
});

/** What a client can act on; dates and the order of lines are nobody's business. */
async function shape(door: Door, text: string) {
  const socket = door.dial();
  // A head that node waits for the rest of has no answer: the end of what is sent makes it one.
  socket.end(text);
  try {
    const { status, text: answer } = await readAnswer(socket);
    const end = answer.indexOf("\r\n\r\n") + 4;
    return { status, head: answer.slice(0, end), body: answer.slice(end) };
  } catch {
    return null;
  }
}
