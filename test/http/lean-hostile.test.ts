import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { head, isShort, type Message, openBoth, post, readAnswers } from "./both-ways.ts";
import { isClosed, TOKEN } from "./door.ts";

type Wire = Parameters<Message>[2];

const GET_HEALTH = head(["GET /healthz HTTP/1.1", "Host: localhost"]);

/** Something that happens once, and whoever waits for it. */
function signal<T = void>() {
  let happen: (value: T) => void = () => {};
  const happened = new Promise<T>((resolve) => {
    happen = resolve;
  });
  return { happen, happened };
}

/** All that comes until the connection is over. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (part) => {
    text += part;
  });
  await isClosed(socket);
  return text;
}

describe("requests that come while an answer is made", () => {
  test("are given away once, however the answer and the rest of them meet", async () => {
    const long: string[] = [];
    const waiting: Wire[] = [];
    let arrived = signal();
    const door = await openBoth({
      mcp: async (request, response) => {
        long.push(request.url ?? "");
        response.writeHead(200, { "content-length": 0 }).end();
      },
      async mcpMessage(_request, body, wire) {
        if (body === "wait") return arrived.happen(void waiting.push(wire));
        // In one turn of the loop: the other connection's answer ends here, and the rest of its next request comes next.
        waiting.pop()?.writeHead(200, { "content-length": 0 }).end();
        wire.writeHead(200, { "content-length": 0 }).end();
      },
    });
    for (let round = 1; round <= 10; round += 1) {
      const [one, other] = [door.dial(), door.dial()];
      await Promise.all([once(one, "connect"), once(other, "connect")]);
      arrived = signal();
      const next = post("{}", "X-A: 1", "X-A: 2").replace("/mcp", `/mcp?${round}`);
      one.write(post("wait") + next.slice(0, 40));
      await arrived.happened;
      // Turns in which nothing comes: whoever is written to first is then heard first.
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
      const answered = readAnswers(one, 2);
      other.write(post("go"));
      one.write(next.slice(40));
      await answered;
      one.write(GET_HEALTH);
      expect((await readAnswers(one, 1))[0]).toContain('{"ok":true}');
      expect(long).toHaveLength(round);
      one.destroy();
      other.destroy();
    }
  });

  test("are not begun any more once their sender has said that nothing follows", async () => {
    const bodies: string[] = [];
    const door = await openBoth({
      async mcpMessage(_request, body, wire) {
        bodies.push(body);
        wire.writeHead(200, { "content-length": body.length }).end(body);
      },
    });
    const socket = door.dial();
    socket.end(Array.from({ length: 50 }, (_, at) => post(`"${at}"`)).join(""));
    const answers = (await readAll(socket)).match(/(?<=\r\n\r\n)"\d+"/g) ?? [];
    expect(answers.length).toBeGreaterThan(0);
    expect(bodies).toEqual(answers);
  });
});

test("a client that sends on and on while its answer is made has to wait", async () => {
  const begun = signal();
  const door = await openBoth({ limits: { grace: 20 }, mcpMessage: async () => begun.happen() });
  const socket = door.dial();
  socket.write(post("{}"));
  await begun.happened;
  const size = 64 * 1024 * 1024;
  socket.write(Buffer.alloc(size, "x"));
  for (let at = 0; at < 50; at += 1) expect((await door.ask("/healthz")).status).toBe(200);
  // What systems keep on the way is a few megabytes.
  expect(socket.writableLength).toBe(size);
});

describe("a client that reads nothing", () => {
  const LARGE = "x".repeat(1024 * 1024);

  test("is not answered further and further", async () => {
    let answered = 0;
    const stuck = signal();
    const door = await openBoth({
      async mcpMessage(_request, _body, wire) {
        answered += 1;
        wire.writeHead(200, { "content-length": LARGE.length }).end(LARGE);
        if (wire.writableLength > 0) stuck.happen();
      },
    });
    const socket = door.dial();
    socket.pause();
    socket.write(post("{}").repeat(30));
    await stuck.happened;
    const before = answered;
    // Another connection shows that the server has had time for more, had it wanted to.
    for (let at = 0; at < 20; at += 1) expect((await door.ask("/healthz")).status).toBe(200);
    expect(answered).toBeLessThanOrEqual(before + 1);
    const answers = await readAnswers(socket.resume(), 30);
    expect(answers.every((answer) => answer.endsWith(LARGE.slice(0, 100)))).toBe(true);
  });

  // A machine that stops for longer than the server is patient proves nothing; that more than once is no accident.
  test("is waited for as long as it reads at all", { retry: 3 }, async () => {
    const text = LARGE.repeat(32);
    const patience = 1_000;
    const door = await openBoth({
      limits: { headTimeout: 60_000, idleTimeout: patience },
      async mcpMessage(_request, _body, wire) {
        wire.writeHead(200, { "content-length": text.length }).end(text);
      },
    });
    const socket = door.dial();
    socket.write(post("{}"));
    let bytes = 0;
    const start = performance.now();
    socket.on("data", (part: Buffer) => {
      bytes += part.length;
      // Slowly for longer than the server is patient, and then the rest.
      if (performance.now() - start > patience * 1.5) return;
      socket.pause();
      setTimeout(() => socket.resume(), 10);
    });
    await isClosed(socket);
    expect(bytes).toBeGreaterThan(text.length);
  });

  test("and then says that nothing follows has no further request run, whatever it reads later", async () => {
    let answered = 0;
    const text = LARGE.repeat(16);
    const first = signal();
    const door = await openBoth({
      async mcpMessage(_request, _body, wire) {
        answered += 1;
        wire.writeHead(200, { "content-length": text.length }).end(text);
        first.happen();
      },
    });
    const socket = door.dial();
    socket.pause();
    socket.end(post("{}").repeat(5));
    await first.happened;
    for (let at = 0; at < 10; at += 1) expect((await door.ask("/healthz")).status).toBe(200);
    expect((await readAll(socket.resume())).length).toBeGreaterThan(text.length);
    expect(answered).toBe(1);
  });

  test("in time is not held against a later request that takes its time", async () => {
    const text = LARGE.repeat(16);
    const [begun, finish, done] = [signal(), signal(), signal()];
    const door = await openBoth({
      limits: { headTimeout: 1_000, idleTimeout: 500 },
      async mcpMessage(_request, body, wire) {
        if (body === "large") return void wire.writeHead(200, { "content-length": text.length }).end(text);
        if (body === "slow") {
          begun.happen();
          await finish.happened;
        }
        wire.writeHead(200, { "content-length": 2 }).end("ok");
      },
    });
    const socket = door.dial();
    socket.write(post("large") + post("slow"));
    let last = "";
    socket.on("data", (part: Buffer) => {
      last = (last + part.toString("latin1", Math.max(0, part.length - 10))).slice(-10);
      if (last.endsWith("ok")) done.happen();
    });
    await begun.happened;
    // Another connection falls idle later, and is let go: by then this one would have been, too.
    const other = door.dial();
    other.write(post("{}"));
    await isClosed(other.resume());
    finish.happen();
    await done.happened;
  });

  test("is let go in the end", async () => {
    const answered = signal();
    const text = LARGE.repeat(16);
    const door = await openBoth({
      limits: { idleTimeout: 50, grace: 1_000_000 },
      async mcpMessage(_request, _body, wire) {
        wire.writeHead(200, { "content-length": text.length }).end(text);
        answered.happen();
      },
    });
    const socket = door.dial();
    socket.pause();
    socket.write(post("{}"));
    await answered.happened;
    // What is still being sent may end; it does, because nobody takes it.
    await door.close();
  });

  test("of a stream, and has said that nothing follows, is let go in the end", async () => {
    const gone = signal();
    const door = await openBoth({
      limits: { idleTimeout: 50, grace: 1_000_000 },
      async mcpMessage(_request, _body, wire) {
        wire.once("close", gone.happen);
        wire.writeHead(200, { "content-type": "text/event-stream" });
        wire.write(LARGE.repeat(16));
      },
    });
    const socket = door.dial();
    socket.pause();
    socket.end(post("{}"));
    await gone.happened;
    await door.close();
  });
});

describe("an answer that is over", () => {
  test.each([
    ["written to", (wire: Wire) => wire.write("late")],
    ["ended again", (wire: Wire) => wire.end("late")],
    ["destroyed", (wire: Wire) => wire.destroy()],
  ])("and is %s does nothing to the next one on its connection", async (_, late) => {
    let first: Wire | null = null;
    const door = await openBoth({
      async mcpMessage(_request, body, wire) {
        if (first !== null) late(first);
        first ??= wire;
        wire.writeHead(200, { "content-length": body.length }).end(body);
      },
    });
    const socket = door.dial();
    socket.write(post("one") + post("two") + GET_HEALTH);
    const [one, two, health] = await readAnswers(socket, 3);
    expect(one).toMatch(/^HTTP[\s\S]+\r\n\r\none$/);
    expect(two).toMatch(/^HTTP[\s\S]+\r\n\r\ntwo$/);
    expect(health).toContain('{"ok":true}');
  });

  test("is not taken back when whoever made it fails afterwards", async () => {
    const told: unknown[] = [];
    const door = await openBoth({
      onError: (_text, error) => void told.push(error),
      async mcpMessage(_request, body, wire) {
        wire.writeHead(200, { "content-length": body.length }).end(body);
        throw new Error("too late");
      },
    });
    const socket = door.dial();
    socket.write(post("one") + post("two"));
    expect((await readAnswers(socket, 2)).map((answer) => answer.slice(-3))).toEqual(["one", "two"]);
    expect(told).toHaveLength(2);
  });
});

describe("an answer", () => {
  test.each([
    [
      "at once",
      (): Promise<void> => {
        throw new Error("canary");
      },
    ],
    [
      "later",
      async (): Promise<void> => {
        throw new Error("canary");
      },
    ],
  ])("that fails %s is a 500 that tells nothing, and the connection goes on", async (_, mcpMessage) => {
    const socket = (await openBoth({ mcpMessage })).dial();
    socket.write(post("{}") + GET_HEALTH);
    const [failed, health] = await readAnswers(socket, 2);
    expect(failed).toMatch(/^HTTP\/1\.1 500 /);
    expect(failed).not.toContain("canary");
    expect(health).toContain('{"ok":true}');
  });

  test("that fails half way is cut off, so that nobody takes it for a whole one", async () => {
    const door = await openBoth({
      async mcpMessage(_request, _body, wire) {
        wire.writeHead(200, { "content-type": "text/event-stream" });
        wire.write("one");
        throw new Error("half way");
      },
    });
    const socket = door.dial();
    socket.write(post("{}"));
    expect(await readAll(socket)).not.toContain("\r\n0\r\n\r\n");
  });

  test("in pieces ends where it ends, empty ones or not", async () => {
    const door = await openBoth({
      async mcpMessage(_request, _body, wire) {
        wire.writeHead(200, { "content-type": "text/event-stream" });
        for (const part of ["one", "", "ä"]) wire.write(part);
        wire.end("");
      },
    });
    const answer = await door.ask("/mcp", { method: "POST", body: "{}" });
    expect(await answer.text()).toBe("oneä");
  });

  test("in pieces whose length was told is not framed a second time", async () => {
    const door = await openBoth({
      async mcpMessage(_request, _body, wire) {
        wire.writeHead(200, { "content-length": 5 });
        wire.write("on");
        wire.write("e");
        wire.end("ä");
      },
    });
    const socket = door.dial();
    socket.write(post("{}") + GET_HEALTH);
    const [answer, health] = await readAnswers(socket, 2);
    expect(answer).toMatch(/\r\n\r\noneä$/);
    expect(health).toContain('{"ok":true}');
  });

  test.each([204, 304])("of status %i has no body and says no length of it", async (status) => {
    const door = await openBoth({
      async mcpMessage(_request, _body, wire) {
        wire.writeHead(status, {}).end();
      },
    });
    const socket = door.dial();
    socket.write(post("{}") + GET_HEALTH);
    const [answer, health] = await readAnswers(socket, 2);
    expect(answer).toMatch(/\r\n\r\n$/);
    expect(answer).not.toMatch(/transfer-encoding|content-length/i);
    expect(health).toContain('{"ok":true}');
  });

  test.each(["a\r\nx-evil: 1", "a\nb", "a\0", "ä"])("with %j in its head is not sent", async (value) => {
    const door = await openBoth({
      async mcpMessage(_request, _body, wire) {
        wire.writeHead(200, { "mcp-session-id": value, "content-length": 0 }).end();
      },
    });
    expect(await door.raw(post("{}"))).toMatchObject({ status: 500, text: expect.not.stringContaining("evil") });
  });

  test("says how long the connection is kept, as on the long way", async () => {
    const door = await openBoth({ limits: { idleTimeout: 7_000 } });
    const [short, long] = [await door.raw(post("{}")), await door.raw(post("{}", "X-A: 1", "X-A: 2"))];
    expect(isShort(short.text)).toBe(true);
    for (const { text } of [short, long]) expect(text).toMatch(/\r\nkeep-alive: timeout=7\r\n/i);
  });
});

describe("while the door closes", () => {
  test("a message that has begun is still answered, and none that came behind it is run", async () => {
    const bodies: string[] = [];
    const first = signal<Wire>();
    const door = await openBoth({
      limits: { grace: 1_000_000 },
      async mcpMessage(_request, body, wire) {
        bodies.push(body);
        if (body === "busy") return first.happen(wire);
        wire.writeHead(200, { "content-length": body.length }).end(body);
      },
    });
    const [busy, reading] = [door.dial(), door.dial()];
    reading.write(post("first") + post("begun").slice(0, -2));
    await readAnswers(reading, 1);
    busy.write(post("busy") + post("behind") + GET_HEALTH);
    const wire = await first.happened;
    const closing = door.close();
    reading.write(`un${post("behind")}`);
    const [rest, answer] = [readAll(reading), readAll(busy)];
    wire.writeHead(200, { "content-length": 4 }).end("done");
    expect(await answer).toMatch(/connection: close\r\n\r\ndone$/);
    expect(await rest).toMatch(/connection: close\r\n\r\nbegun$/);
    await closing;
    expect(bodies.sort()).toEqual(["begun", "busy", "first"]);
  });
});

test("a message that announces more than it may is refused before it comes", async () => {
  const door = await openBoth({ limits: { messageBytes: 10 } });
  expect((await door.raw(post("x".repeat(10)))).text).toMatch(/^HTTP\/1\.1 200 [\s\S]*x-way: short/);
  expect((await door.raw(post("x".repeat(11)).slice(0, -11))).status).toBe(413);
});

test("what follows a message and is no request is refused after the answer", async () => {
  const door = await openBoth();
  for (const rest of ["rest", "\0", "{}{}"]) {
    const socket = door.dial();
    socket.write(post("{}") + rest + GET_HEALTH);
    expect((await readAll(socket)).match(/HTTP\/1\.1 \d+/g), rest).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  }
});

test("a client that leaves in the middle of its message leaves nothing behind", async () => {
  const reached: string[] = [];
  const door = await openBoth({ mcpMessage: async (_request, body) => void reached.push(body) });
  for (const leave of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
    const socket = door.dial();
    await once(socket, "connect");
    socket.write(post("whole").slice(0, -2));
    leave(socket);
    await isClosed(socket.resume());
  }
  const closing = door.close();
  await closing;
  expect(reached).toEqual([]);
});

test("a token and its rate are looked at again for each message that came with others", async () => {
  const door = await openBoth({ limits: { requestsPerSecond: 0.001, burst: 2 } });
  const socket = door.dial();
  socket.write(post("1") + post("2") + post("3") + post("4").replace(TOKEN, "wrong"));
  expect((await readAnswers(socket, 4)).map((answer) => answer.slice(9, 12))).toEqual(["200", "200", "429", "401"]);
});
