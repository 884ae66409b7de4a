import { describe, expect, test } from "vitest";
import { type LoopbackServer, serveLoopback, testReach } from "../../../test/support/loopback-web.ts";
import { getPublic } from "./get-public.ts";
import { isPublicAddress } from "./is-public-address.ts";
import type { ResolvedAddress } from "./resolve-public.ts";

const never = new AbortController().signal;
const get = (url: string, reach = testReach()) => getPublic(url, { "user-agent": "test" }, reach, never);
const canaryServer = () => serveLoopback((_, response) => response.end("canary"));

const SPELLINGS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "0177.1",
  "127.0.0.1.",
  "127.0.0.1..",
  "0",
  "0.0.0.0",
  "127.127.127.127",
  "%31%32%37.0.0.1",
  "127%2e0%2e0%2e1",
  "１２７.０.０.１",
  "127。0。0。1",
  "①②⑦.0.0.1",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "localhost..",
  "ⓛocalhost",
  "loc%61lhost",
  "a.localhost",
  "metadata.google.internal",
  "printer.local",
  "router.lan",
  "box.home.arpa",
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "0251.0376.0251.0376",
  "10.0.0.1",
  "100.100.100.200",
  "192.168.0.1",
  "user@127.0.0.1",
  "example.com@127.0.0.1",
  "127.0.0.1@example.com",
  "example.com:x@localhost",
  "127.0.0.1\\@example.com",
  "example.com@[::1]",
];

describe("spellings of addresses that are not public", () => {
  test.each(SPELLINGS)("%s is refused and reached by no connection", async (host) => {
    const canary = await canaryServer();
    const reach = testReach();
    for (const authority of [host, `${host}:${canary.port}`]) {
      await expect(get(`http://${authority}/`, reach)).rejects.toMatchObject({ name: "AddressRefusal" });
    }
    expect(canary.connections()).toBe(0);
    expect(reach.lookups).toEqual([]);
  });

  test.each(["file:///etc/passwd", "ftp://a.public.test/", "gopher://a.public.test/", "data:,x", "javascript:1"])(
    "%s has no scheme to fetch",
    async (url) => {
      await expect(get(url)).rejects.toMatchObject({ kind: "scheme" });
    },
  );

  test.each(["", "example.com", "http://", "http://256.1.1.1/", "http://[::1", "http://a b/"])(
    "%j is no URL",
    async (url) => {
      await expect(get(url)).rejects.toMatchObject({ kind: "invalid-url" });
    },
  );
});

describe("names", () => {
  test("one private address among several refuses the host", async () => {
    const canary = await canaryServer();
    const mixed: ResolvedAddress[] = [
      { address: "93.184.216.34", family: 4 },
      { address: "::ffff:127.0.0.1", family: 6 },
    ];
    const reach = { lookup: async () => mixed, isAllowed: isPublicAddress };
    await expect(getPublic(`http://mixed.example:${canary.port}/`, {}, reach, never)).rejects.toMatchObject({
      kind: "private",
    });
    expect(canary.connections()).toBe(0);
  });

  test("a name that changes its address after the check is connected to the checked one", async () => {
    const server = await serveLoopback((_, response) => response.end("checked"));
    const answers: ResolvedAddress[] = [{ address: "127.0.0.1", family: 4 }];
    let lookups = 0;
    const reach = {
      lookup: async () => {
        lookups += 1;
        return lookups === 1 ? answers : [{ address: "169.254.169.254", family: 4 } as const];
      },
      isAllowed: (address: string) => address === "127.0.0.1",
    };
    const { status, message } = await getPublic(`http://rebind.example:${server.port}/`, {}, reach, never);
    message.destroy();
    expect([status, lookups, server.connections()]).toEqual([200, 1, 1]);
    expect(server.requests[0]?.headers.host).toBe(`rebind.example:${server.port}`);
    await expect(getPublic(`http://rebind.example:${server.port}/`, {}, reach, never)).rejects.toMatchObject({
      kind: "private",
    });
  });

  test("an unknown host says so, without the resolver's words", async () => {
    await expect(get("http://nowhere.example/")).rejects.toMatchObject({
      kind: "unknown-host",
      message: "The host nowhere.example cannot be found.",
    });
  });

  test("a lookup that hangs ends with the signal", async () => {
    const reach = { lookup: () => new Promise<never>(() => {}), isAllowed: isPublicAddress };
    const stop = new AbortController();
    const fetching = getPublic("http://slow.example/", {}, reach, stop.signal);
    stop.abort(new Error("enough"));
    await expect(fetching).rejects.toThrow("enough");
  });
});

describe("redirects", () => {
  const chain = (port: () => number, length: number) =>
    serveLoopback((request, response) => {
      const hop = Number(new URL(request.url ?? "", "http://x").searchParams.get("hop"));
      if (hop >= length) return response.end("arrived");
      return response.writeHead(302, { location: `http://hop${hop}.public.test:${port()}/?hop=${hop + 1}` }).end();
    });

  test("five are followed, each host looked up once", async () => {
    const server: LoopbackServer = await chain(() => server.port, 5);
    const reach = testReach();
    const { url, status, message } = await get(`http://start.public.test:${server.port}/?hop=0`, reach);
    message.destroy();
    expect([status, url.hostname]).toEqual([200, "hop4.public.test"]);
    expect(reach.lookups).toHaveLength(6);
  });

  test("six are too many", async () => {
    const server: LoopbackServer = await chain(() => server.port, 6);
    await expect(get(`http://start.public.test:${server.port}/?hop=0`)).rejects.toMatchObject({ kind: "redirects" });
    expect(server.requests).toHaveLength(6);
  });

  test("a circle ends", async () => {
    const server = await serveLoopback((_, response) => response.writeHead(301, { location: "/" }).end());
    await expect(get(`http://a.public.test:${server.port}/`)).rejects.toMatchObject({ kind: "redirects" });
  });

  test.each([...SPELLINGS, "//127.0.0.1", "/\\127.0.0.1", "file:///etc/passwd", "http:127.0.0.1", "http://["])(
    "one to %s is refused and reaches no listener",
    async (host) => {
      const canary = await canaryServer();
      const location = /^[/\w]+:|^\/|^http/.test(host) ? host : `http://${host}:${canary.port}/`;
      const server = await serveLoopback((_, response) =>
        response.writeHead(307, { location: encodeNonAscii(location) }).end(),
      );
      await expect(get(`http://a.public.test:${server.port}/`)).rejects.toMatchObject({ name: "AddressRefusal" });
      expect(canary.connections()).toBe(0);
    },
  );

  test("one in the middle of a chain is refused too", async () => {
    const canary = await canaryServer();
    const server: LoopbackServer = await serveLoopback((request, response) => {
      const location =
        request.url === "/" ? `http://b.public.test:${server.port}/next` : `http://2130706433:${canary.port}/`;
      response.writeHead(302, { location }).end();
    });
    await expect(get(`http://a.public.test:${server.port}/`)).rejects.toMatchObject({ kind: "private" });
    expect([server.requests.length, canary.connections()]).toEqual([2, 0]);
  });

  test("no cookie and no credential goes along", async () => {
    const server: LoopbackServer = await serveLoopback((request, response) => {
      if (request.url === "/end") return response.end();
      const location = `http://b.public.test:${server.port}/end`;
      return response.writeHead(302, { location, "set-cookie": "session=1; Path=/" }).end();
    });
    const { message } = await get(`http://a.public.test:${server.port}/`);
    message.destroy();
    expect(Object.keys(server.requests[1]?.headers ?? {}).sort()).toEqual(["connection", "host", "user-agent"]);
  });
});

/** Header values are bytes; browsers and Node read them as Latin-1. */
function encodeNonAscii(location: string): string {
  return Buffer.from(location, "utf8").toString("latin1");
}
