import { describe, expect, test } from "vitest";
import { TOKEN } from "../http/door.ts";
import { asking, openPeopleGateway, PUBLIC_URL } from "./world.ts";

/** The address that the log has for a refused token. */
async function addressFor(trustedProxies: readonly string[], headers: Record<string, string>): Promise<string> {
  const { ask, notes } = await openPeopleGateway({ trustedProxies });
  expect((await ask("/mcp", asking("wrong", headers))).status).toBe(401);
  return /^a token from (\S+) was/.exec(notes.at(-1)?.text ?? "")?.[1] ?? "";
}

describe("proxies", () => {
  test.each([
    [["192.0.2.1"], { "x-forwarded-for": "203.0.113.9" }, "127.0.0.1"],
    [["127.0.0.1"], { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    [["127.0.0.0/8"], { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    // What stands before the last one that is no proxy can be made up.
    [["127.0.0.1"], { "x-forwarded-for": "198.51.100.1, 203.0.113.9" }, "203.0.113.9"],
    [["127.0.0.1", "10.0.0.0/8"], { "x-forwarded-for": "198.51.100.1, 203.0.113.9, 10.1.2.3" }, "203.0.113.9"],
    [["127.0.0.1"], { "x-forwarded-for": "nonsense" }, "127.0.0.1"],
    [["127.0.0.1"], { "x-forwarded-for": "203.0.113.9, <script>" }, "127.0.0.1"],
    [["127.0.0.1"], { "x-forwarded-for": "::ffff:203.0.113.9" }, "203.0.113.9"],
    [["127.0.0.1"], { "x-forwarded-for": "2001:db8::7" }, "2001:db8::7"],
    [["127.0.0.1"], { forwarded: "for=203.0.113.9", "x-real-ip": "203.0.113.9" }, "127.0.0.1"],
    [["127.0.0.1"], {}, "127.0.0.1"],
  ])("%j is trusted, %j: the caller is %s", async (trusted, headers, address) => {
    expect(await addressFor(trusted, headers)).toBe(address);
  });

  test("nothing that a request says about its host, scheme or person changes an answer", async () => {
    const { ask } = await openPeopleGateway({ trustedProxies: ["127.0.0.1"] });
    const spoofed = {
      ...{ "x-forwarded-host": "evil.example", "x-forwarded-proto": "http", forwarded: "host=evil.example;proto=http" },
      ...{ "x-forwarded-user": "admin", "x-auth-request-email": "admin@example.com", "x-forwarded-port": "1" },
      ...{ "x-original-url": "/api/overview", "x-forwarded-prefix": "/evil" },
    };
    const answer = await ask("/mcp", asking(null, spoofed));
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toContain(`resource_metadata="${PUBLIC_URL}/`);
    const metadata = await ask("/.well-known/oauth-protected-resource", { headers: spoofed });
    expect(await metadata.json()).toMatchObject({ resource: `${PUBLIC_URL}/mcp`, authorization_servers: [PUBLIC_URL] });
    expect((await ask("/mcp", asking(TOKEN, spoofed))).status).toBe(401);
  });

  test("each address has its own limit for wrong tokens, and IPv6 by network", async () => {
    const limits = { refusalsPerSecond: 0.001, refusalBurst: 2 };
    const { ask, tryToken } = await openPeopleGateway({ trustedProxies: ["127.0.0.1"] }, { limits });
    const from = async (address: string) => (await ask("/mcp", asking("wrong", { "x-forwarded-for": address }))).status;
    expect([await from("203.0.113.9"), await from("203.0.113.9"), await from("203.0.113.9")]).toEqual([401, 401, 429]);
    expect(await from("203.0.113.10")).toBe(401);
    const network = "2001:db8:0:1:";
    expect([await from(`${network}:1`), await from(`${network}:2`), await from(`${network}:3`)]).toEqual([
      401, 401, 429,
    ]);
    expect(await from("2001:db8:0:2::1")).toBe(401);
    expect(await tryToken(TOKEN)).toBe(200);
  });

  test.each(["10.0.0.0/33", "tools.example.com", "10.0.0", "::1/129", ""])(
    "%j is no proxy, which is said with its line",
    async (proxy) => {
      await expect(openPeopleGateway({ trustedProxies: [proxy] })).rejects.toThrow(/trustedProxies/);
    },
  );
});

describe("the address of the gateway", () => {
  const asked = async (headers: Record<string, string>) => {
    const { door } = await openPeopleGateway({});
    const { request } = await import("node:http");
    return new Promise((resolve, reject) => {
      const init = { host: "127.0.0.1", port: door.port, path: "/healthz", headers };
      request(init, (answer) => resolve(answer.resume().statusCode))
        .once("error", reject)
        .end();
    });
  };
  test.each([
    [{ host: "tools.example.com" }, 200],
    [{ host: "TOOLS.example.com:443" }, 200],
    [{ host: "tools.example.com:80" }, 403],
    [{ host: "tools.example.com.evil.example" }, 403],
    [{ host: "evil.example" }, 403],
    [{ host: "tools.example.com", origin: PUBLIC_URL }, 200],
    [{ host: "127.0.0.1", origin: PUBLIC_URL }, 200],
    [{ host: "tools.example.com", origin: "https://evil.example" }, 403],
    [{ host: "tools.example.com", origin: "https://tools.example.com.evil.example" }, 403],
    [{ host: "tools.example.com", origin: "null" }, 403],
  ])("%j gets %i", async (headers, status) => {
    expect(await asked(headers)).toBe(status);
  });
});

test("timing: an unknown token, one of an unknown person, and one in the wrong form get the same status and shape", async () => {
  const { ask } = await openPeopleGateway({});
  const answers = [];
  for (const token of [
    "wrong",
    `tca_${"a".repeat(65)}`,
    `tcr_${"a".repeat(65)}`,
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln",
    "a.b.c",
    "a.b.c.d.e",
  ]) {
    const answer = await ask("/mcp", asking(token));
    answers.push([answer.status, answer.headers.get("www-authenticate"), await answer.text()]);
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toHaveLength(1);
});
