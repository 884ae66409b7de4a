import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveLoopback, testReach } from "../../../test/support/loopback-web.ts";
import { serveDocument } from "../../../test/support/openapi-server.ts";
import { callApi, DOCUMENTS, never, openApi } from "../../../test/support/openapi-source.ts";
import { sourceContract } from "../contract-suite/source-contract.ts";
import { openStoredList } from "../parts/stored-list.ts";

const PETS = join(DOCUMENTS, "petstore.yaml");

/** A workspace with these files. */
function files(written: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-openapi-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(written)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const document = (paths: object, more: object = {}): string =>
  JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths, ...more });

const OK = { responses: { 200: { description: "ok" } } };

describe("the contract", () => {
  const make = async () => {
    const server = await serveLoopback((request, response) => {
      if (request.url?.endsWith("/slow") !== true)
        response.writeHead(request.url === "/pets/gone" ? 404 : 200).end("{}");
    });
    return { source: openApi({ spec: PETS, baseUrl: `http://127.0.0.1:${server.port}` }) };
  };
  const works = { tool: "getPet", args: { petId: "1" } };
  const calls = { works, fails: { ...works, args: { petId: "gone" } }, hangs: { ...works, args: { petId: "slow" } } };
  for (const { name, check } of sourceContract({ make, calls })) test(name, check);
});

describe("a document that cannot be used says why, where and what to do", () => {
  const statusOf = async (name: string, text: string) => {
    const folder = files({ [name]: text });
    const source = openApi({ spec: join(folder, name), baseUrl: "https://x.example/" }, { workspace: folder });
    await source.list(never);
    const { state, reason, next } = source.status;
    expect(state).toBe("failed");
    return `${reason}. ${next}`;
  };

  test.each([
    ["a.yaml", "openapi: 3.0.0\npaths: {\n  a: [\n", /a\.yaml:4 .*It is read again by itself/],
    ["a.json", "[1]", /a\.json is not an OpenAPI document/],
    ["a.json", "{}", /a\.json is not an OpenAPI document: it has no `openapi: 3\.x`/],
    [
      "a.yaml",
      "info: {}\nopenapi: 4.0.0\npaths: {}\n",
      /a\.yaml:2 \(#\/openapi\) is a version that Toolcrib does not read/,
    ],
    ["a.yaml", "openapi: 3.1.0\ninfo: {}\n", /a\.yaml \(#\/paths\) has no paths/],
    ["a.json", `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`, /is nested too deep to be read/],
    ["a.yaml", `a: ${"[".repeat(20_000)}`, /cannot be used: a\.yaml/],
  ])("%s: %.30j", async (name, text, expected) => {
    expect(await statusOf(name, text)).toMatch(expected);
  });

  test("one without operations is there, and says so", async () => {
    const folder = files({ "a.json": document({}) });
    const source = openApi({ spec: join(folder, "a.json"), baseUrl: "https://x.example/" }, { workspace: folder });
    expect(await source.list(never)).toEqual([]);
    expect(source.status).toMatchObject({ state: "connected", reason: expect.stringContaining("has no operations") });
  });

  test("one of Swagger 2.0", async () => {
    const source = openApi({ spec: join(DOCUMENTS, "swagger.json"), baseUrl: "https://x.example/" });
    await source.list(never);
    expect(source.status).toMatchObject({
      reason: "cannot be used: swagger.json:2 (#/swagger) is Swagger 2.0, and Toolcrib reads OpenAPI 3.0 and 3.1",
      next: "Convert it, such as with: npx swagger2openapi swagger.json -o openapi.yaml",
    });
  });

  test("one that is not there", async () => {
    const source = openApi({ spec: "/no/such/file.yaml" });
    await source.list(never);
    expect(source.status.reason).toBe("cannot be used: /no/such/file.yaml does not exist");
  });

  test("one that does not say where the API is", async () => {
    const folder = files({ "a.json": document({ "/a": { get: OK } }) });
    const source = openApi({ spec: join(folder, "a.json") }, { workspace: folder });
    await source.list(never);
    expect(source.status).toMatchObject({
      reason: expect.stringContaining("does not say where the API is"),
      next: "Set `baseUrl` in its entry.",
    });
  });
});

describe("where calls go", () => {
  const at = (url: string) => files({ "a.json": document({ "/a": { get: OK } }, { servers: [{ url }] }) });
  const calling = async (url: string) => {
    const folder = at(url);
    return callApi(openApi({ spec: join(folder, "a.json") }, { workspace: folder, reach: testReach() }), "get_a");
  };

  test("an address that only the document names has to be public", async () => {
    const server = await serveLoopback((_, response) => response.end("{}"));
    expect(await calling(`http://api.public.test:${server.port}`)).toMatchObject({ resultType: "success" });
    expect(server.requests).toHaveLength(1);
    for (const host of ["127.0.0.1", "localhost", "2130706433", "[::1]", "169.254.169.254", "10.0.0.1"])
      expect(await calling(`http://${host}:${server.port}`)).toMatchObject({ resultType: "failure" });
    expect(server.connections()).toBe(1);
  });

  test("secrets go nowhere but to the address in the entry", async () => {
    const folder = at("https://elsewhere.example/");
    for (const secrets of [{ headers: { "x-key": "secret" } }, { auth: { key: "secret" } }]) {
      const source = openApi({ spec: join(folder, "a.json"), ...secrets }, { workspace: folder });
      expect(await source.list(never)).toEqual([]);
      expect(source.status).toMatchObject({
        state: "failed",
        reason: expect.stringContaining(
          "wants calls to go to https://elsewhere.example, and `headers` and `auth` are sent only where",
        ),
        next: "Set `baseUrl: https://elsewhere.example/` in its entry, if that is where they belong.",
      });
    }
  });

  test("a document at an address may have its API beside it", async () => {
    const server = await serveLoopback((request, response) => {
      response.end(
        request.url === "/openapi.json" ? document({ "/a": { get: OK } }, { servers: [{ url: "/v2" }] }) : "{}",
      );
    });
    const source = openApi({ spec: `http://127.0.0.1:${server.port}/openapi.json`, headers: { "x-key": "secret" } });
    expect(await callApi(source, "get_a")).toMatchObject({ resultType: "success" });
    expect(server.requests.map(({ url, headers }) => [url, headers["x-key"]])).toEqual([
      ["/openapi.json", undefined],
      ["/v2/a", "secret"],
    ]);
  });

  test("policy is asked about the document, the entry and what the document says", async () => {
    const folder = at("https://from-document.example/");
    const asked: string[] = [];
    const refusing = (what: string) => (url: string) => {
      asked.push(url);
      return url.includes(what) ? `policy denies ${what}` : null;
    };
    const listed = async (api: { spec: string; baseUrl?: string }, what: string) => {
      const source = openApi(api, { workspace: folder, whyRefused: refusing(what) });
      return [await source.list(never), source.status.reason];
    };
    const spec = join(folder, "a.json");
    expect(await listed({ spec, baseUrl: "https://entry.example/" }, "entry")).toEqual([[], "policy denies entry"]);
    expect(await listed({ spec }, "from-document")).toEqual([[], "policy denies from-document"]);
    expect(await listed({ spec: "https://specs.example/a.json" }, "specs")).toEqual([[], "policy denies specs"]);
    expect(asked).toEqual(["https://entry.example/", "https://from-document.example/", "https://specs.example/a.json"]);
  });
});

describe("what a document may refer to", () => {
  const referring = ($ref: string) => document({ "/a": { $ref }, "/b": { get: { ...OK, operationId: "b" } } });
  const ITEM = JSON.stringify({ get: { ...OK, operationId: "found" } });
  const namesIn = async (folder: string, spec: string, refs: readonly string[] = [], workspace = folder) => {
    const source = openApi({ spec, baseUrl: "https://x.example/", refs }, { workspace });
    const names = (await source.list(never)).map(({ name }) => name);
    return [names, source.status.reason?.replace(/^.*which /, "") ?? null];
  };

  test("files of the workspace, wherever links lead", async () => {
    const folder = files({
      "api/a.json": referring("../shared/item.json"),
      "shared/item.json": ITEM,
      "api/b.json": referring("out.json"),
    });
    expect(await namesIn(folder, join(folder, "api/a.json"))).toEqual([["found", "b"], null]);
    const outside = join(files({ "item.json": ITEM }), "item.json");
    symlinkSync(outside, join(folder, "api/out.json"));
    expect(await namesIn(folder, join(folder, "api/b.json"))).toEqual([["b"], "lies outside the workspace"]);
    writeFileSync(join(folder, "api/c.json"), referring(outside));
    expect(await namesIn(folder, join(folder, "api/c.json"))).toEqual([["b"], "lies outside the workspace"]);
    // Of a document that lies elsewhere, only its own folder.
    expect(await namesIn(folder, join(folder, "api/a.json"), [], "/nowhere")).toEqual([
      ["b"],
      "lies outside its folder",
    ]);
  });

  test("addresses that the entry names, and none else", async () => {
    const server = await serveLoopback((request, response) =>
      response.end(request.url === "/s/item.json" ? ITEM : "{}"),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const folder = files({ "a.json": referring(`${url}/s/item.json`), "b.json": referring("file:///etc/passwd") });
    expect(await namesIn(folder, join(folder, "a.json"))).toEqual([["b"], "the entry's `refs` does not name"]);
    expect(await namesIn(folder, join(folder, "a.json"), [`${url}/other`])).toMatchObject([
      ["b"],
      "the entry's `refs` does not name",
    ]);
    expect(server.requests).toEqual([]);
    expect(await namesIn(folder, join(folder, "a.json"), [`${url}/s/`])).toEqual([["found", "b"], null]);
    expect((await namesIn(folder, join(folder, "b.json")))[0]).toEqual(["b"]);
  });
});

test("a document that did not change is not read again until somebody calls", async () => {
  const server = await serveDocument(PETS);
  const folder = files({ "a.yaml": "openapi: 3.1.0\npaths:\n  /a: {get: {operationId: one}}\n  /b/{x}: {get: {}}\n" });
  const lists = join(folder, "lists");
  const keep = (key: string) => openStoredList(join(lists, `${key}.json`));
  const listed = async () => {
    const source = openApi({ spec: join(folder, "a.yaml"), baseUrl: server.url }, { workspace: folder, keep });
    return { source, tools: await source.list(never), ...source.status };
  };
  const first = await listed();
  expect(readdirSync(lists)).toHaveLength(1);
  const second = await listed();
  expect(second.tools).toEqual(first.tools);
  expect(second.reason).toBe(first.reason);
  expect(second.reason).toContain("(#/paths/~1b~1{x}/get) has no parameter for {x} of its path");
  expect(await callApi(second.source, "one")).toMatchObject({ textResultForLlm: expect.stringContaining("HTTP 404") });
  expect(server.requests.map(({ url }) => url)).toEqual(["/a"]);
  writeFileSync(join(folder, "a.yaml"), "openapi: 3.1.0\npaths: {/a: {get: {operationId: two}}}\n");
  expect((await listed()).tools.map(({ name }) => name)).toEqual(["two"]);
});

test("a value that fits several variants of one thing is fine, and what tells them apart is said", async () => {
  const base = { type: "object", required: ["kind"], properties: { kind: { type: "string" } } };
  const variant = (property: string) => ({
    allOf: [{ $ref: "#/components/schemas/Pet" }, { type: "object", properties: { [property]: {} } }],
  });
  const schemas = { Pet: base, Cat: variant("lives"), Dog: variant("barks") };
  const [cat, dog] = ["#/components/schemas/Cat", "#/components/schemas/Dog"];
  const schema = {
    oneOf: [{ $ref: cat }, { $ref: dog }],
    discriminator: { propertyName: "kind", mapping: { cat, dog } },
  };
  const requestBody = { required: true, content: { "application/json": { schema } } };
  const folder = files({
    "a.json": document({ "/pets": { post: { operationId: "add", requestBody, ...OK } } }, { components: { schemas } }),
  });
  const source = openApi({ spec: join(folder, "a.json"), baseUrl: "https://x.example/" }, { workspace: folder });
  const [tool] = await source.list(never);
  const isFine = new Ajv.default({ strict: false }).compile(Object(tool?.inputSchema));
  expect([isFine({ body: { kind: "cat", lives: 9 } }), isFine({ body: { lives: 9 } })]).toEqual([true, false]);
  expect(JSON.stringify(tool?.inputSchema)).toContain('\\"kind\\" says which one it is: cat, dog.');
});
