import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveDocument } from "../../../test/support/openapi-server.ts";
import { callApi, never, openApi } from "../../../test/support/openapi-source.ts";

const SECRET = "query-secret-of-ours";
const object = { type: "object", additionalProperties: true };
const at = (name: string, place: string, more: object = {}) => ({ name, in: place, schema: object, ...more });

const get = (operationId: string, parameters: readonly object[] = [], security: readonly object[] = [{ key: [] }]) => ({
  get: { operationId, parameters, security, responses: { 200: { description: "what there is" } } },
});

/** References that lead nowhere. */
const REFERRING = {
  "/loop": get("loop", [{ $ref: "#/components/parameters/loop" }]),
  "/passwd": get("passwd", [{ $ref: "../../../../../../etc/passwd" }]),
  "/file": get("file", [{ $ref: "file:///etc/passwd" }]),
};

const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Attacked", version: "1" },
  paths: {
    "/find": get("find", [at("filter", "query"), at("deep", "query", { style: "deepObject" })]),
    "/sit": get("sit", [at("more", "cookie")], [{ sid: [] }]),
    "/items/{ids}": get("items", [at("ids", "path", { required: true, schema: {} })]),
    "/odd": get("odd", [at("x\r\ny", "header", { schema: { type: "string" } })]),
    "/pollute": get("pollute", [at("__proto__", "query", { schema: { type: "string" } })]),
  },
  components: {
    parameters: { loop: { $ref: "#/components/parameters/pool" }, pool: { $ref: "#/components/parameters/loop" } },
    securitySchemes: {
      key: { type: "apiKey", in: "query", name: "api_key" },
      sid: { type: "apiKey", in: "cookie", name: "sid" },
    },
  },
};

async function attack(
  respond?: Parameters<typeof serveDocument>[1],
  { query = "", key = SECRET }: { readonly query?: string; readonly key?: string } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-openapi-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const spec = join(folder, "attacked.json");
  const served = join(folder, "served.json");
  writeFileSync(served, JSON.stringify(DOCUMENT));
  writeFileSync(spec, JSON.stringify({ ...DOCUMENT, paths: { ...DOCUMENT.paths, ...REFERRING } }));
  const server = await serveDocument(served, respond);
  const source = openApi({ spec, baseUrl: `${server.url}${query}`, auth: { key, sid: SECRET } });
  return { server, source, call: (name: string, args: object = {}) => callApi(source, name, { ...args }) };
}

describe("arguments", () => {
  test("never say who asks, nor what the entry says", async () => {
    const { server, call } = await attack(undefined, { query: "/?tenant=ours" });
    const refused = { resultType: "failure", textResultForLlm: expect.stringContaining("the entry says already") };
    expect(await call("find", { filter: { api_key: "theirs" } })).toMatchObject(refused);
    expect(await call("find", { filter: { tenant: "theirs" } })).toMatchObject(refused);
    expect(await call("sit", { more: { sid: "theirs" } })).toMatchObject(refused);
    expect(server.requests).toEqual([]);
    await call("find", { filter: { a: "1" }, deep: { api_key: "2" } });
    expect(server.requests.map(({ url }) => url)).toEqual([
      `/find?tenant=ours&a=1&deep%5Bapi_key%5D=2&api_key=${SECRET}`,
    ]);
  });

  test("never lead to another operation", async () => {
    const { server, call } = await attack();
    for (const ids of [[], [""], {}, "../admin", "a/../../b", "..\\x", "./x", ["..", "a"].join("/"), "a/.."])
      expect(await call("items", { ids }), JSON.stringify(ids)).toMatchObject({ resultType: "failure" });
    expect(server.requests).toEqual([]);
    for (const ids of ["%2e%2e", "a/b", "..a/b..", "?x=1#y", [1, 2]]) await call("items", { ids });
    expect(server.requests.map(({ url }) => url?.split("?")[0])).toEqual([
      "/items/%252e%252e",
      "/items/a%2Fb",
      "/items/..a%2Fb..",
      "/items/%3Fx%3D1%23y",
      "/items/1,2",
    ]);
  });

  test("that no address can hold are named", async () => {
    const { server, call } = await attack();
    for (const [name, args] of [
      ["items", { ids: "\ud800" }],
      ["find", { filter: { "\udfff": 1 } }],
    ] as const)
      expect(await call(name, args)).toMatchObject({
        textResultForLlm: expect.stringContaining("no whole characters"),
      });
    expect(server.requests).toEqual([]);
  });

  test("pollute nothing", async () => {
    const { server, call } = await attack();
    await call("find", { filter: JSON.parse('{"__proto__":{"polluted":1},"constructor":2}') });
    await call("pollute", JSON.parse('{"__proto__":"x"}'));
    expect(server.requests.map(({ url }) => url?.replace(/&api_key.*/, ""))).toEqual([
      "/find?__proto__=%7B%22polluted%22%3A1%7D&constructor=2",
      "/pollute?__proto__=x",
    ]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("a server", () => {
  test.each<[string, Parameters<typeof serveDocument>[1]]>([
    ["a redirect", ({ url }) => ({ status: 302, headers: { location: `http://127.0.0.2${url}` } })],
    ["a redirect that is none", ({ url }) => ({ status: 307, headers: { location: `http://[${url}` } })],
    [
      "the headers of bytes",
      ({ url }) => ({ headers: { "content-type": "image/png", link: `<${url}>` }, body: Buffer.from([1]) }),
    ],
    ["the type of bytes", ({ url }) => ({ headers: { "content-type": `image/x${url}` }, body: Buffer.from([0, 1]) })],
    ["an error", ({ url }) => ({ status: 500, headers: { "retry-after": String(url) }, body: String(url) })],
  ])("does not get a secret to the model through %s", async (_, respond) => {
    const { call } = await attack(respond);
    expect(JSON.stringify(await call("find"))).not.toContain(SECRET);
  });

  test("gets no cookie that it set", async () => {
    const { server, call } = await attack(() => ({ headers: { "set-cookie": "a=b" }, body: "{}" }));
    await call("find");
    await call("find");
    expect(server.requests.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });

  test("cannot fill memory with what it packs", async () => {
    const bomb = gzipSync(Buffer.alloc(11 * 2 ** 20, "x"));
    const { call } = await attack(({ url }) => ({
      headers: { "content-encoding": url?.includes("twice") ? "gzip, gzip" : "gzip", "content-type": "text/plain" },
      body: bomb,
    }));
    expect((await call("find")).textResultForLlm).toContain("longer than 10 MiB");
    expect((await call("find", { filter: { twice: 1 } })).textResultForLlm).toContain("cannot be unpacked");
  });

  test("sends JSON that nobody can take for a prototype, or that is too deep", async () => {
    const { call } = await attack(({ url }) => ({
      body: url?.includes("deep") ? "[".repeat(100_000) : '{"__proto__":{"polluted":1},"toJSON":"x"}',
    }));
    expect(await call("find")).toMatchObject({ resultType: "success" });
    expect((await call("find", { filter: { deep: 1 } })).structured).toBeUndefined();
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

test("a secret with a line end is not sent, nor shown", async () => {
  const { server, call } = await attack(undefined, { key: `${SECRET}\nX-Evil: 1` });
  await call("find");
  expect(server.requests.map(({ url, headers }) => [url, headers["x-evil"]])).toEqual([
    [`/find?api_key=${SECRET}%0AX-Evil%3A%201`, undefined],
  ]);
});

test("references that loop or leave the folder, and names that no header has, cost their own operation", async () => {
  const { source } = await attack();
  const names = (await source.list(never)).map(({ name }) => name);
  expect(names).toContain("find");
  for (const name of ["loop", "passwd", "file", "odd"]) expect(names).not.toContain(name);
});
