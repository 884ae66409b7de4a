import type { RequestListener } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { makeHost, makeRun } from "../../../../test/support/builtin-host.ts";
import { type LoopbackServer, serveLoopback, testReach } from "../../../../test/support/loopback-web.ts";
import { createWebFamily } from "./web-family.ts";

const LIMITS = { time: 10_000, bytes: 200_000 };

/** A server that stands for a public one, and the tool that may reach it. */
async function serve(listener: RequestListener, limits = LIMITS) {
  const server: LoopbackServer = await serveLoopback(listener);
  const handler = createWebFamily(testReach(), limits).handlers.get("web_fetch");
  if (handler === undefined) throw new Error("no web_fetch");
  const fetch = (args: Readonly<Record<string, unknown>> = {}, signal?: AbortSignal) =>
    handler({ url: `http://a.public.test:${server.port}/`, ...args }, makeRun(signal), makeHost(null));
  const text = async (args?: Readonly<Record<string, unknown>>) => (await fetch(args)).textResultForLlm;
  return { server, fetch, text, url: `http://a.public.test:${server.port}/` };
}

const page = (body: string | Buffer, type: string | null = "text/html; charset=utf-8"): RequestListener => {
  return (_, response) => response.writeHead(200, type === null ? {} : { "content-type": type }).end(body);
};

describe("a page", () => {
  test("comes as its title, address and readable text", async () => {
    const { fetch, url } = await serve(page("<title>Hi</title><h1>Head</h1><p>Text</p>"));
    expect(await fetch()).toEqual({ resultType: "success", textResultForLlm: `Hi\n${url}\n\n# Head\n\nText` });
  });

  test("comes as it is when asked for", async () => {
    const { text, url } = await serve(page("<p>Text</p>"));
    expect(await text({ raw: true })).toBe(`${url}\n\n<p>Text</p>`);
  });

  test("after a redirect names the address it came from", async () => {
    const { text, server } = await serve((request, response) => {
      if (request.url === "/") response.writeHead(301, { location: "/moved" }).end();
      else page("here")(request, response);
    });
    expect(await text()).toBe(`http://a.public.test:${server.port}/moved\n\nhere`);
  });

  test.each([
    ["application/json", '{"a":1}'],
    ["text/plain", "a < b"],
    ["application/problem+json", "{}"],
    [null, "no type at all"],
  ])("of type %s comes as it is", async (type, body) => {
    const { text, url } = await serve(page(body, type));
    expect(await text()).toBe(`${url}\n\n${body}`);
  });

  test("without a type is read as HTML when it looks like it", async () => {
    const { text, url } = await serve(page("<!DOCTYPE html><p>Text</p>", null));
    expect(await text()).toBe(`${url}\n\nText`);
  });

  test.each([
    ["application/pdf", "%PDF", "application/pdf (4 bytes)"],
    ["image/png", "x", "image/png (1 bytes)"],
    [null, "\0\x01", "a binary file (2 bytes)"],
  ])("of type %s is refused, and its type named", async (type, body, named) => {
    const { fetch } = await serve(page(body, type));
    const result = await fetch();
    expect(result).toMatchObject({
      resultType: "failure",
      textResultForLlm: `The address holds ${named}, which is not text.`,
    });
  });

  test.each([
    ["the header", "text/html; charset=iso-8859-1", Buffer.from("<p>caf\xe9</p>", "latin1")],
    ["the header in quotes", 'text/html; charset="windows-1252"', Buffer.from("<p>caf\xe9</p>", "latin1")],
    ["a meta tag", "text/html", Buffer.from('<meta charset="latin1"><p>caf\xe9</p>', "latin1")],
    [
      "an older meta tag",
      "text/html",
      Buffer.from('<meta http-equiv="x" content="text/html; charset=latin1"><p>caf\xe9</p>', "latin1"),
    ],
    ["a byte order mark", "text/html; charset=latin1", Buffer.from("\uFEFF<p>café</p>", "utf16le")],
    ["nothing", "text/html", Buffer.from("<p>café</p>")],
    ["a charset nobody knows", "text/html; charset=klingon", Buffer.from("<p>café</p>")],
  ])("has the charset of %s", async (_, type, body) => {
    const { text, url } = await serve(page(body, type));
    expect(await text()).toBe(`${url}\n\ncafé`);
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("packed with %s is unpacked", async (encoding, pack) => {
    const { text, url } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding }).end(pack("packed"));
    });
    expect(await text()).toBe(`${url}\n\npacked`);
  });

  test("hides no character that changes how the rest is read", async () => {
    const { text, url } = await serve(page("a\u202eb\u{e0041}c\u001b[31md", "text/plain"));
    expect(await text()).toBe(`${url}\n\nabcd`);
  });
});

describe("a long page", () => {
  test("is read part by part without losing a letter", async () => {
    const body = "0123456789😀".repeat(1000);
    const { text } = await serve(page(body, "text/plain"));
    let [seen, start] = ["", 0];
    for (let part = 0; part < 20; part += 1) {
      const shown = await text({ start_index: start, max_length: 1001 });
      expect(Buffer.from(shown).toString(), "no letter is cut in two").toBe(shown);
      seen += shown.split("\n")[2];
      const next = /Go on with start_index (\d+)\./.exec(shown)?.[1];
      if (next === undefined) break;
      start = Number(next);
    }
    expect(seen).toBe(body);
  });

  test("read past its end says how long it is", async () => {
    const { text } = await serve(page("12345", "text/plain"));
    expect(await text({ start_index: 5 })).toBe("The text has 5 characters; 5 is past its end.");
  });

  test("over the cap is cut there, and says so", async () => {
    const { text } = await serve(page("x".repeat(300_000), "text/plain"));
    const shown = await text({ start_index: 150_000, max_length: 100_000 });
    expect(shown).toContain("[Characters 150000 to 200000 of 200000. The page is too long; its end was not read.]");
  });

  test("that is small only while it is packed is cut at the same cap", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 0x78));
    const { text } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(bomb);
    });
    expect(await text({ max_length: 10 })).toContain(
      "[Characters 0 to 10 of 200000. Go on with start_index 10. The page",
    );
  });

  test("that never ends is cut at the cap too", async () => {
    const { text } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    expect(await text({ max_length: 10 })).toContain("of 200000");
  });
});

describe("a page that does not come", () => {
  test.each([
    ["has no answer", (() => {}) as RequestListener],
    ["stops in the middle", ((_, response) => response.writeHead(200).write("x")) as RequestListener],
  ])("because the server %s ends with the time limit", async (_, listener) => {
    const { fetch } = await serve(listener, { ...LIMITS, time: 200 });
    expect(await fetch()).toEqual({
      resultType: "failure",
      textResultForLlm: "The page took longer than 0.2 seconds.",
    });
  });

  test("because the caller gave up ends at once", async () => {
    const stop = new AbortController();
    const { fetch } = await serve(() => stop.abort(new Error("enough")));
    await expect(fetch({}, stop.signal)).rejects.toThrow("enough");
  });

  test("because of its status gives that and a little of its text", async () => {
    const { fetch } = await serve((_, response) => {
      response.writeHead(404, { "content-type": "text/html" }).end(`<h1>Not here</h1>${"x".repeat(5000)}`);
    });
    const { resultType, textResultForLlm } = await fetch();
    expect([resultType, textResultForLlm.slice(0, 55)]).toEqual([
      "failure",
      "The server answered with status 404.\n# Not here\n\nxxxxxx",
    ]);
    expect(textResultForLlm.length).toBeLessThan(600);
  });

  test("because nobody listens gives a code and no address", async () => {
    const { fetch, server } = await serve(page(""));
    const result = await fetch({ url: "http://a.public.test:1/" });
    expect(result).toMatchObject({
      resultType: "failure",
      textResultForLlm: "The page could not be fetched (ECONNREFUSED).",
    });
    expect(server.connections()).toBe(0);
  });

  test("because its packing is broken gives a code", async () => {
    const { fetch } = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip"),
    );
    expect((await fetch()).textResultForLlm).toBe("The page could not be fetched (Z_DATA_ERROR).");
  });
});

describe("private addresses", () => {
  test.each([
    "http://127.0.0.1",
    "http://2130706433",
    "http://[::ffff:7f00:1]",
    "http://localhost",
    "http://x@127.0.0.1",
  ])("%s is refused, straight and by redirect, and no connection is made", async (address) => {
    const canary = await serveLoopback(page("canary"));
    const { fetch } = await serve((_, response) => {
      response.writeHead(302, { location: `${address}:${canary.port}/` }).end();
    });
    for (const args of [{ url: `${address}:${canary.port}/` }, {}]) {
      const { resultType, textResultForLlm } = await fetch(args);
      expect(resultType).toBe("failure");
      expect(textResultForLlm).toMatch(/not a public address|user name or password/);
    }
    expect(canary.connections()).toBe(0);
  });

  test("are refused with the policy that ships", async () => {
    const canary = await serveLoopback(page("canary"));
    const handler = createWebFamily().handlers.get("web_fetch");
    const result = await handler?.({ url: `http://0x7f.1:${canary.port}/` }, makeRun(), makeHost(null));
    expect(result?.textResultForLlm).toBe("127.0.0.1 is not a public address; only public ones are fetched.");
    expect(canary.connections()).toBe(0);
  });

  test("an argument that is no text is refused", async () => {
    const { text } = await serve(page(""));
    expect(await text({ url: 7 })).toBe('"url" must be text.');
  });
});
