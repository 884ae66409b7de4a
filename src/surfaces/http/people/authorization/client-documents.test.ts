import { expect, test } from "vitest";
import { serveLoopback, testReach } from "../../../../../test/support/loopback-web.ts";
import { getPublic, type PublicResponse } from "../../../../system/addresses/get-public.ts";
import { isDocumentId, readClientDocument } from "./client-document.ts";
import { createClientDocuments } from "./client-documents.ts";

const ID = "https://client.public.test/oauth/client.json";
const DOCUMENT = { client_id: ID, client_name: "A client", redirect_uris: ["https://client.public.test/cb"] };

/** The real way of fetching, to a server of this machine in the place of a public one. */
function through(port: number) {
  return (url: string, signal: AbortSignal): Promise<PublicResponse> =>
    getPublic(
      url.replace("https://client.public.test", `http://client.public.test:${port}`),
      {},
      testReach(),
      signal,
      () => false,
    );
}

async function serve(body: string | object, headers: Record<string, string> = {}, status = 200) {
  const server = await serveLoopback((_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const clock = { now: 0 };
  const documents = createClientDocuments({ get: through(server.port), now: () => clock.now });
  return { server, clock, find: (id = ID) => documents.find(id) };
}

test("a client is who its document says, and the document is fetched again when it is too old", async () => {
  const { server, clock, find } = await serve(DOCUMENT, { "cache-control": "max-age=600" });
  expect(await find()).toEqual({ id: ID, name: "A client", redirects: DOCUMENT.redirect_uris });
  await find();
  clock.now += 599_999;
  await Promise.all([find(), find()]);
  expect(server.requests).toHaveLength(1);
  clock.now += 1;
  await Promise.all([find(), find()]);
  expect(server.requests).toHaveLength(2);
});

test.each([
  ["another client_id", { ...DOCUMENT, client_id: `${ID}x` }, "is about another client_id"],
  ["a secret", { ...DOCUMENT, client_secret: "s" }, "holds a secret"],
  ["no usable redirect", { ...DOCUMENT, redirect_uris: ["http://a.example/"] }, "names no redirect address"],
  [
    "too many redirects",
    { ...DOCUMENT, redirect_uris: Array(21).fill("https://a.example/") },
    "names no redirect address",
  ],
  ["no public way", { ...DOCUMENT, token_endpoint_auth_method: "private_key_jwt" }, "not supported here"],
  ["no object", [], "is no JSON object"],
  ["no JSON", "<html>", "is no JSON object"],
  ["too deep", "[".repeat(20_000), "is no JSON object"],
  ["1 GB body", "x".repeat(70_000), "is larger than 65536 bytes"],
])("CIMD: a document with %s is refused", async (_, body, why) => {
  const { find } = await serve(body);
  expect(await find()).toContain(why);
});

test("CIMD: what is no JSON, and every status but 200, is refused, and a failure is asked about again after a minute", async () => {
  expect(await (await serve(DOCUMENT, { "content-type": "text/html" })).find()).toContain("is not JSON");
  const { server, clock, find } = await serve(DOCUMENT, {}, 403);
  expect(await find()).toContain("status 403");
  clock.now += 59_999;
  await find();
  expect(server.requests).toHaveLength(1);
  clock.now += 1;
  await find();
  expect(server.requests).toHaveLength(2);
});

test("CIMD SSRF: a redirect is not followed", async () => {
  const other = await serveLoopback((_, response) => response.end(JSON.stringify(DOCUMENT)));
  const { find } = await serve("", { location: `http://other.public.test:${other.port}/` }, 302);
  expect(await find()).toContain("is not at a public address");
  expect(other.requests).toEqual([]);
});

test("CIMD SSRF: a slow body has an end", async () => {
  const server = await serveLoopback((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("{");
  });
  const documents = createClientDocuments({ get: through(server.port), patience: 200 });
  expect(await documents.find(ID)).toBe("its document cannot be fetched");
});

test.each([
  "http://client.example.com/c.json",
  "https://client.example.com",
  "https://client.example.com/",
  "https://client.example.com:8443/c.json",
  "https://client.example.com/c.json?x=1",
  "https://client.example.com/c.json#x",
  "https://user@client.example.com/c.json",
  "https://client.example.com/a/../c.json",
  "https://client.example.com/%2e%2E/c.json",
  "https://127.0.0.1/c.json",
  "https://2130706433/c.json",
  "https://0x7f.1/c.json",
  "https://[::1]/c.json",
  "https://[::ffff:127.0.0.1]/c.json",
  "https://localhost/c.json",
  "https://Client.example.com/c.json",
  "https://client.example.com\\@evil/c.json",
  "https://client..example.com/c.json",
  `https://client.example.com/${"x".repeat(600)}`,
])("CIMD SSRF: %s is no address of a document", async (id) => {
  expect(isDocumentId(id)).toBe(false);
  expect(await createClientDocuments({ get: () => expect.fail("fetched") }).find(id)).toContain(
    "no address of a document",
  );
});

test.each(["https://printer.local/c.json", "https://metadata.google.internal/c.json", "https://tools.corp/c.json"])(
  "CIMD SSRF: %s is asked nothing",
  async (id) => {
    expect(await createClientDocuments().find(id)).toBe("its document is not at a public address");
  },
);

test("CIMD SSRF: a name that leads to this machine is refused before anything connects", async () => {
  const server = await serveLoopback((_, response) => response.end("{}"));
  const reach = { ...testReach(), lookup: async () => [{ address: "127.0.0.1", family: 4 as const }] };
  const get = (url: string, signal: AbortSignal) =>
    getPublic(url.replace(".example.com/", `.example.com:${server.port}/`), {}, reach, signal, () => false);
  expect(await createClientDocuments({ get }).find("https://client.example.com/c.json")).toContain(
    "not at a public address",
  );
  expect(server.connections()).toBe(0);
});

test("the copy of a common client's document counts where the live one cannot be had, and only there", async () => {
  const id = "https://claude.ai/oauth/claude-code-client-metadata";
  const away = createClientDocuments({ get: () => Promise.reject(new Error("no way out")) });
  expect(await away.find(id)).toMatchObject({ id, name: "Claude Code" });
  const server = await serveLoopback((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ client_id: id, client_name: "Newer", redirect_uris: ["http://localhost/new"] }));
  });
  const get = (_: string, signal: AbortSignal) =>
    getPublic(`http://claude.public.test:${server.port}/`, {}, testReach(), signal, () => false);
  expect(await createClientDocuments({ get }).find(id)).toEqual({
    id,
    name: "Newer",
    redirects: ["http://localhost/new"],
  });
});

test("a client that also takes none needs no key, and its name is one visible line", () => {
  const proofs = { token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_methods_supported: ["none"] };
  const client_name = `Chat\u202eGPT\n\u001b[31m${"x".repeat(500)}`;
  const read = readClientDocument(ID, { ...DOCUMENT, ...proofs, client_name, grant_types: ["unheard-of"] });
  expect(read).toMatchObject({ name: expect.stringMatching(/^ChatGPT x{1,80}$/) });
  expect(readClientDocument(ID, { ...DOCUMENT, client_name: 7 })).toMatchObject({ name: "client.public.test" });
});
