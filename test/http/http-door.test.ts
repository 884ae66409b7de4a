import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { sourced } from "../../src/core/codes/origin.ts";
import { ACCESS, CLIENT_TOKEN, isClosed, openDoor, readAnswer, TOKEN } from "./door.ts";

const head = (lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
const bearer = `Authorization: Bearer ${TOKEN}`;

describe("Host and Origin", () => {
  test.each([["Host: evil.test"], ["Host: 127.0.0.1", "Origin: http://evil.test"]])(
    "%s %s is refused while its body has not even begun",
    async (...lines) => {
      const reached: unknown[] = [];
      const door = await openDoor({ mcp: async (request) => void reached.push(request) });
      const answer = await door.raw(
        head(["POST /mcp HTTP/1.1", ...lines, bearer, "Content-Type: application/json", "Content-Length: 1000000"]),
      );
      expect(answer.status).toBe(403);
      expect(answer.text).toMatch(/"code":"http\.foreign-(host|origin)"/);
      expect(reached).toEqual([]);
    },
  );

  test("a refused body that never ends is not read for long", async () => {
    const door = await openDoor({ limits: { lingerBytes: 100_000 } });
    const socket = door.dial();
    socket.write(head(["POST /mcp HTTP/1.1", "Host: evil.test", "Transfer-Encoding: chunked"]));
    expect((await readAnswer(socket)).status).toBe(403);
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
    const feed = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", feed);
    feed();
    await isClosed(socket);
  });

  test("a refused body that stalls is not waited for", async () => {
    const door = await openDoor({ limits: { lingerTime: 20 } });
    const socket = door.dial();
    socket.write(head(["POST /mcp HTTP/1.1", "Host: evil.test", "Content-Length: 10"]));
    expect((await readAnswer(socket)).status).toBe(403);
    await isClosed(socket);
  });

  test.each([
    "evil.test",
    "127.0.0.1.nip.io",
    "localhost.evil.test",
    "localhost.",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "[::]",
    "localhost@evil.test",
    "evil.test@localhost",
    "localhost:80@evil.test",
    "localhost:8787:1",
    "localhost/evil.test",
    "localhost, evil.test",
    "localhost#.evil.test",
    "localhost\\.evil.test",
    "lоcalhost",
    "xn--lcalhost-4jg",
    "",
  ])("the Host %j is not ours", async (host) => {
    const door = await openDoor();
    const answer = await door.raw(head(["GET /healthz HTTP/1.1", `Host: ${host}`, bearer]));
    expect([400, 403]).toContain(answer.status);
  });

  test("two Hosts are one too many, and so is none", async () => {
    const door = await openDoor();
    expect((await door.raw(head(["GET /healthz HTTP/1.1", "Host: localhost", "Host: evil.test"]))).status).not.toBe(
      200,
    );
    expect((await door.raw(head(["GET /healthz HTTP/1.1", "Host: localhost", "host: localhost"]))).status).not.toBe(
      200,
    );
    expect((await door.raw(head(["GET /healthz HTTP/1.0"]))).status).not.toBe(200);
  });

  test.each(["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:9"])("the Host %s is ours", async (host) => {
    const door = await openDoor();
    expect((await door.raw(head(["GET /healthz HTTP/1.1", `Host: ${host}`]))).status).toBe(200);
  });

  test("on all addresses, the one that was reached counts and no name does", async () => {
    const door = await openDoor({ host: "0.0.0.0" });
    expect((await fetch(`${door.origin}/healthz`)).status).toBe(200);
    expect((await door.raw(head(["GET /healthz HTTP/1.1", "Host: 127.0.0.1"]))).status).toBe(200);
    for (const host of ["0.0.0.0", "10.0.0.1", "box.lan"])
      expect((await door.raw(head(["GET /healthz HTTP/1.1", `Host: ${host}`]))).status, host).toBe(403);
  });

  test.each(["null", "http://localhost:1", "https://evil.test", "http://localhost.evil.test", "file://", "localhost"])(
    "the Origin %s is foreign",
    async (origin) => {
      const door = await openDoor();
      expect((await door.ask("/mcp", { headers: { origin } })).status).toBe(403);
      expect((await door.ask("/healthz", { headers: { origin } })).status).toBe(403);
    },
  );

  test("the page's own Origin is not", async () => {
    const door = await openDoor();
    expect((await door.ask("/mcp", { headers: { origin: door.origin } })).status).toBe(200);
  });

  test("an address in place of a path opens nothing", async () => {
    const door = await openDoor();
    const answer = await door.raw(head(["GET http://localhost/mcp HTTP/1.1", "Host: localhost", bearer]));
    expect(answer.status).toBe(404);
  });
});

describe("tokens", () => {
  test.each([
    [undefined],
    [""],
    ["Bearer"],
    ["Bearer "],
    ["Bearer wrong"],
    [`Bearer ${TOKEN}x`],
    [`Bearer ${TOKEN.slice(1)}`],
    [`Bearer ${TOKEN} ${TOKEN}`],
    [`Basic ${TOKEN}`],
    [TOKEN],
  ])("Authorization: %s is a 401 that says what is wanted", async (authorization) => {
    const door = await openDoor();
    const headers = authorization === undefined ? {} : { authorization };
    for (const path of ["/mcp", "/api/overview", "/metrics", `/mcp?token=${TOKEN}`, `/mcp?access_token=${TOKEN}`]) {
      const answer = await door.ask(path, { token: null, headers });
      expect(answer.status, path).toBe(401);
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer realm="toolcrib"/);
      expect(await answer.json()).toMatchObject({ error: { code: "http.unauthorized" } });
    }
  });

  test("the main token is nobody's part, a client's token is bound to what its entry says", async () => {
    const door = await openDoor();
    expect(await (await door.ask("/mcp")).json()).toMatchObject({ principal: "main", agent: null, limits: [] });
    expect(await (await door.ask("/mcp", { token: CLIENT_TOKEN })).json()).toMatchObject({
      principal: "client-1-reviewer",
      agent: "reviewer",
      limits: [{ include: null, exclude: { value: [{ value: "execute" }] } }],
    });
  });

  test("a client's token opens neither the inspector's data nor metrics", async () => {
    const door = await openDoor();
    for (const path of ["/api/overview", "/api/events", "/api/", "/metrics"]) {
      const answer = await door.ask(path, { token: CLIENT_TOKEN });
      expect(answer.status, path).toBe(403);
      expect(await answer.json()).toMatchObject({ error: { code: "http.forbidden" } });
    }
  });

  test("tokens can be replaced, and a label never passes to another token", async () => {
    const door = await openDoor();
    const [client] = ACCESS.clients;
    if (client === undefined) throw new Error("there is one");
    door.setAccess({ token: TOKEN, clients: [{ ...client, token: "another-one" }] });
    expect((await door.ask("/mcp", { token: CLIENT_TOKEN })).status).toBe(401);
    expect(await (await door.ask("/mcp", { token: "another-one" })).json()).toMatchObject({
      principal: "client-1-reviewer.2",
    });
    expect(() => door.setAccess({ token: TOKEN, clients: [{ ...client, token: TOKEN }] })).toThrow(/give each its own/);
    expect((await door.ask("/mcp", { token: "another-one" })).status).toBe(200);
  });

  test.each(["has a space", "zw\u00f6lf", "line\nend"])("a token that nobody could send is told: %j", async (token) => {
    const door = await openDoor();
    const [client] = ACCESS.clients;
    if (client === undefined) throw new Error("there is one");
    expect(() => door.setAccess({ token, clients: [] })).toThrow(/^gateway\.token holds a space or another character/);
    expect(() => door.setAccess({ token: TOKEN, clients: [client, { ...client, token }] })).toThrow(
      /gateway\.clients\[1\]\.token holds a space/,
    );
    expect((await door.ask("/mcp", { token: CLIENT_TOKEN })).status).toBe(200);
  });

  test("a token keeps its label while others come and go before it, and gets another one with another agent", async () => {
    const door = await openDoor();
    const [client] = ACCESS.clients;
    if (client === undefined) throw new Error("there is one");
    const who = async (token: string) => JSON.parse(await (await door.ask("/mcp", { token })).text()).principal;
    const [first, second] = ["first-one", "second-one"].map((token) => ({ ...client, token, agent: null }));
    if (first === undefined || second === undefined) throw new Error("there are two");
    door.setAccess({ token: TOKEN, clients: [first, second, client] });
    const labels = ["client-2", "client-1-reviewer"];
    expect([await who("second-one"), await who(CLIENT_TOKEN)]).toEqual(labels);
    door.setAccess({ token: TOKEN, clients: [client, second] });
    expect([await who("second-one"), await who(CLIENT_TOKEN)]).toEqual(labels);
    door.setAccess({ token: TOKEN, clients: [second, { ...client, agent: sourced("writer") }] });
    expect([await who("second-one"), await who(CLIENT_TOKEN)]).toEqual(["client-2", "client-2-writer"]);
  });

  test("a token of an entry with a name goes by that, and the gateway's own name stays its own", async () => {
    const door = await openDoor();
    const [client] = ACCESS.clients;
    if (client === undefined) throw new Error("there is one");
    const who = async (token: string) => JSON.parse(await (await door.ask("/mcp", { token })).text()).principal;
    const clients = ["ci", "ci", "main"].map((name, at) => ({ ...client, name, token: `token-${at}` }));
    door.setAccess({ token: TOKEN, clients });
    const tokens = ["token-0", "token-1", "token-2", TOKEN];
    expect(await Promise.all(tokens.map(who))).toEqual(["ci", "ci.2", "main.2", "main"]);
  });

  test("no answer repeats a token", async () => {
    const door = await openDoor();
    for (const token of [TOKEN, CLIENT_TOKEN, "canary-wrong"]) {
      for (const path of ["/mcp", "/api/x", "/metrics", `/${token}`, `/mcp/${token}?${token}`]) {
        const answer = await door.ask(path, { token });
        expect(`${JSON.stringify([...answer.headers])}${await answer.text()}`).not.toContain("canary");
      }
    }
  });
});

describe("limits", () => {
  test("an announced body that is too large is refused before it comes", async () => {
    const reached: unknown[] = [];
    const door = await openDoor({ mcp: async (request) => void reached.push(request), limits: { messageBytes: 1000 } });
    const answer = await door.raw(head(["POST /mcp HTTP/1.1", "Host: localhost", bearer, "Content-Length: 1001"]));
    expect(answer.status).toBe(413);
    expect(answer.text).toContain("http.too-large");
    expect(reached).toEqual([]);
  });

  test("the sender of a body that is too large gets to read so", async () => {
    const door = await openDoor({ limits: { messageBytes: 1000 } });
    const answer = await door.ask("/mcp", { method: "POST", body: "x".repeat(300_000) });
    expect(answer.status).toBe(413);
  });

  test("the sender of a few megabytes who reads only when all is sent gets to read so", async () => {
    const door = await openDoor({ mcp: async (_, response) => void response.end() });
    const socket = door.dial();
    const body = "x".repeat(5 * 1024 * 1024);
    const lines = ["POST /mcp HTTP/1.1", "Host: localhost", bearer, "Content-Type: application/json"];
    socket.pause().write(head([...lines, `Content-Length: ${body.length}`]));
    const answered = readAnswer(socket);
    await new Promise((resolve) => socket.write(body, resolve));
    socket.resume();
    expect((await answered).status).toBe(413);
  });

  test("a body that comes too slowly is given up", async () => {
    const door = await openDoor({
      limits: { headTimeout: 50, requestTimeout: 100 },
      mcp: async (request) => {
        for await (const _ of request);
      },
    });
    const answer = await door.raw(
      `${head(["POST /mcp HTTP/1.1", "Host: localhost", bearer, "Content-Length: 100"])}{"slow":`,
    );
    expect(answer.status).toBe(408);
  });

  test("a head that comes too slowly is given up", async () => {
    const door = await openDoor({ limits: { headTimeout: 50, requestTimeout: 100 } });
    expect((await door.raw("GET /mcp HTTP/1.1\r\nHost: local")).status).toBe(408);
  });

  test("nobody is told to go on with a body that is refused anyway", async () => {
    const door = await openDoor();
    const expecting = ["Expect: 100-continue", "Content-Length: 5"];
    const refused = await door.raw(head(["POST /mcp HTTP/1.1", "Host: evil.test", bearer, ...expecting]));
    expect(refused.text).toMatch(/^HTTP\/1\.1 403/);
    const welcome = await door.raw(head(["POST /mcp HTTP/1.1", "Host: localhost", bearer, ...expecting]));
    expect(welcome.text).toMatch(/^HTTP\/1\.1 100 Continue/);
  });

  test("each token has a rate of its own", async () => {
    const door = await openDoor({ limits: { requestsPerSecond: 0.001, burst: 3 } });
    const statuses = async (token: string, times: number) => {
      const all: number[] = [];
      for (let at = 0; at < times; at++) all.push((await door.ask("/mcp", { token })).status);
      return all;
    };
    expect(await statuses(TOKEN, 4)).toEqual([200, 200, 200, 429]);
    expect(await statuses(CLIENT_TOKEN, 4)).toEqual([200, 200, 200, 429]);
    const late = await door.ask("/mcp");
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await late.json()).toMatchObject({ error: { code: "http.too-many" } });
  });

  test("guessing tokens is slowed down, and keeps nobody else out", async () => {
    const door = await openDoor({ limits: { refusalsPerSecond: 0.001, refusalBurst: 2 } });
    for (const status of [401, 401, 429, 429]) expect((await door.ask("/mcp", { token: "guess" })).status).toBe(status);
    expect((await door.ask("/mcp")).status).toBe(200);
  });

  test("more connections than allowed are not taken", async () => {
    const door = await openDoor({ limits: { connections: 1 } });
    const first = door.dial();
    first.write(head(["GET /healthz HTTP/1.1", "Host: localhost"]));
    expect((await readAnswer(first)).status).toBe(200);
    await expect(door.raw(head(["GET /healthz HTTP/1.1", "Host: localhost"]))).rejects.toThrow("without an answer");
  });
});

describe("paths and methods", () => {
  test("health is told to everybody, without details", async () => {
    const door = await openDoor();
    const answer = await door.ask("/healthz", { token: null });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ ok: true });
    const only = await door.ask("/healthz", { token: null, method: "HEAD" });
    expect([only.status, await only.text()]).toEqual([200, ""]);
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])("%s to what is only read is a 405", async (method) => {
    const door = await openDoor();
    const answer = await door.ask("/healthz", { method, token: null });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("GET, HEAD");
  });

  test.each(["/nothing", "/mcp/", "/mcpx", "/MCP", "/api", "//mcp", "/./mcp", "/%6dcp", "/.well-known/x"])(
    "%s is not found, whatever a client makes of it",
    async (path) => {
      const door = await openDoor();
      const answer = await door.raw(head([`GET ${path} HTTP/1.1`, "Host: localhost", bearer]));
      expect(answer.status).toBe(404);
    },
  );

  test("no other origin is ever invited", async () => {
    const door = await openDoor();
    for (const path of ["/mcp", "/healthz", "/nothing"])
      expect((await door.ask(path)).headers.get("access-control-allow-origin")).toBeNull();
  });

  test("a gateway that breaks is a 500 that tells nothing", async () => {
    const told: unknown[] = [];
    const door = await openDoor({
      mcp: async () => {
        throw new Error("canary secret inside");
      },
      onError: (_text, error) => void told.push(error),
    });
    const answer = await door.ask("/mcp");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("canary");
    expect(told).toHaveLength(1);
  });

  test("an address in use is told with what to change", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await expect(openDoor({ port })).rejects.toMatchObject({
      code: "http.cannot-listen",
      message: expect.stringContaining("is in use; choose another gateway.port"),
    });
  });
});

describe("closing", () => {
  test("lets a running request end, takes no new one, and twice is fine", async () => {
    let finish = (): void => {};
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const door = await openDoor({
      mcp: (_request, response) =>
        new Promise((resolve) => {
          begun();
          finish = () => {
            response.end("done");
            resolve();
          };
        }),
    });
    const answer = door.ask("/mcp");
    await running;
    const closing = door.close();
    await expect(door.ask("/healthz")).rejects.toThrow();
    finish();
    expect(await (await answer).text()).toBe("done");
    await closing;
    await door.close();
  });

  test("cuts off what does not end", async () => {
    let begun = (): void => {};
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const door = await openDoor({
      limits: { grace: 20 },
      mcp: () => {
        begun();
        return new Promise(() => {});
      },
    });
    const answer = door.ask("/mcp").then(
      () => "answered",
      () => "cut off",
    );
    await running;
    await door.close();
    expect(await answer).toBe("cut off");
  });
});
