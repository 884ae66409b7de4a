import { expect, test } from "vitest";
import { serveLoopback } from "../../../test/support/loopback-web.ts";
import { postConfigured } from "./post-configured.ts";

const post = (address: string) =>
  postConfigured(address, { body: "{}", headers: { "x-a": "b" }, signal: AbortSignal.timeout(20_000) });

test("sends to this machine and reads the answer, and when to come again", async () => {
  const server = await serveLoopback((_, response) => response.writeHead(429, { "retry-after": "7" }).end("later"));
  expect(await post(`http://127.0.0.1:${server.port}/x`)).toEqual({ status: 429, text: "later", retryAfter: 7_000 });
  expect(server.requests[0]?.headers["x-a"]).toBe("b");
});

test("follows no redirect", async () => {
  const canary = await serveLoopback((_, response) => response.end());
  const location = `http://127.0.0.1:${canary.port}/`;
  const server = await serveLoopback((_, response) => response.writeHead(307, { location }).end());
  expect(await post(`http://127.0.0.1:${server.port}/`)).toMatchObject({ status: 307 });
  expect(canary.connections()).toBe(0);
});

test.each([
  ["http://hooks.example.com/", "scheme"],
  ["http://10.0.0.1/", "scheme"],
  ["ftp://127.0.0.1/", "scheme"],
  ["https://user:pass@example.com/", "credentials"],
  ["https://169.254.169.254/latest/meta-data", "private"],
  ["https://2852039166/", "private"],
  ["https://[::ffff:169.254.169.254]/", "private"],
  ["https://[fe80::1]/", "private"],
  ["https://[fd00:ec2::254]/", "private"],
  ["https://100.100.100.200/", "private"],
  ["https://0.0.0.0/", "private"],
  ["nothing", "invalid-url"],
])("%s is no address to send to", async (address, kind) => {
  await expect(post(address)).rejects.toMatchObject({ name: "AddressRefusal", kind });
});

test("reads no endless answer", async () => {
  const server = await serveLoopback((_, response) => response.end("x".repeat(300_000)));
  await expect(post(`http://127.0.0.1:${server.port}/`)).rejects.toThrow("more than");
});
