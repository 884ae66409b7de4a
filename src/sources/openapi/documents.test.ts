import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ApiServer, serveDocument } from "../../../test/support/openapi-server.ts";
import { callApi, DOCUMENTS, never, openApi } from "../../../test/support/openapi-source.ts";
import { sampleArguments } from "../../../test/support/sample-arguments.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { scanEntry } from "../../core/trust/scan-entry.ts";
import type { Source } from "../source.ts";
import type { ApiSpec } from "./api-spec.ts";

const toolOf = async (source: Source, name: string): Promise<Tool | undefined> =>
  (await source.list(never)).find((tool) => tool.name === name);

const last = ({ requests }: ApiServer) => requests.at(-1);

/** A document with so many operations, as a generator would write it. */
function manyOperations(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-openapi-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = Array.from({ length: count }, (_, at) => [
    `/things${at}/{id}`,
    {
      get: {
        operationId: `getThing${at}`,
        summary: `Shows thing number ${at}`,
        parameters: [{ name: "id", in: "path", required: true, schema: { $ref: "#/components/schemas/Id" } }],
        responses: { 200: { description: "a thing" } },
      },
    },
  ]);
  const document = {
    openapi: "3.0.3",
    info: { title: "Many", version: "1" },
    paths: Object.fromEntries(paths),
    components: { schemas: { Id: { type: "string" } } },
  };
  const file = join(folder, "many.json");
  writeFileSync(file, JSON.stringify(document));
  return file;
}

describe("every operation of a document is a tool that reaches its path", () => {
  test.each([
    ["petstore.yaml", ["listPets", "addPet", "getPet", "removePet"]],
    ["library.json", ["books_search", "books_add", "shelves_place"]],
    ["styles.yaml", ["points"]],
    ["forms.yaml", ["login", "upload", "putRaw", "note", "choose"]],
    ["split/openapi.yaml", ["trains", "addTrain", "station"]],
    [
      "unnamed.yaml",
      [
        "get_root",
        "get_users_by_user-id_posts_by_post",
        "patch_users_by_user-id_posts_by_post",
        "head_files_by_name_by_ext",
        "same",
        "post_copy",
      ],
    ],
    ["broken.yaml", ["works"]],
    ["secured.yaml", ["byQuery", "byCookie", "byBasic", "byToken", "byBoth", "byEither", "open", "never"]],
    [
      "harbour.yaml",
      [
        "ships.list",
        "ships.register",
        "ships.get",
        "ships.replace",
        "ships.forget",
        "visits.list",
        "visits.plan",
        "cranes.order",
      ],
    ],
  ])("%s", async (file, names) => {
    const server = await serveDocument(join(DOCUMENTS, file));
    const source = openApi({ spec: join(DOCUMENTS, file), baseUrl: server.url });
    const tools = await source.list(never);
    expect(source.status.state).toBe("connected");
    expect(tools.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect(buildCatalog(tools).entries.flatMap((entry) => scanEntry(entry).signals)).toEqual([]);
    const ajv = new Ajv.default({ strict: false, validateFormats: false });
    for (const tool of tools) {
      const args = sampleArguments(tool.inputSchema);
      const isFine = ajv.compile(Object(tool.inputSchema));
      expect([isFine(args), isFine.errors]).toEqual([true, null]);
      const result = await callApi(source, tool.name, args);
      const [method = "", path = ""] = (tool.description.split("\n").at(-1) ?? "").split(" ");
      expect(last(server)).toMatchObject({ operation: `${method} ${path}`, missing: [] });
      expect(result.resultType).toBe("success");
    }
    expect(server.requests).toHaveLength(tools.length);
  });

  test("one with 1,000 operations", async () => {
    const file = manyOperations(1_000);
    const server = await serveDocument(file);
    const source = openApi({ spec: file, baseUrl: server.url });
    expect(await source.list(never)).toHaveLength(1_000);
    expect((await callApi(source, "getThing999", { id: "a b" })).structured).toMatchObject({ url: "/things999/a%20b" });
  });

  test("only those that are wanted", async () => {
    const names = async (choice: Partial<ApiSpec>) =>
      (
        await openApi({ spec: join(DOCUMENTS, "harbour.yaml"), baseUrl: "https://harbour.example/", ...choice }).list(
          never,
        )
      ).map(({ name }) => name);
    expect(await names({ include: ["ships.*"], exclude: ["DELETE *", "* /ships/{imo}"] })).toEqual([
      "ships.list",
      "ships.register",
    ]);
    expect(await names({ include: ["tag:berths", "POST /cranes/*"] })).toEqual([
      "visits.list",
      "visits.plan",
      "cranes.order",
    ]);
    expect(await names({ exclude: ["tag:*"] })).toEqual([]);
  });
});

describe("what a tool says", () => {
  test("what it is for, which call it makes, and what it may change", async () => {
    const source = openApi({ spec: join(DOCUMENTS, "petstore.yaml") });
    expect(await toolOf(source, "getPet")).toMatchObject({
      source: "openapi",
      server: "api",
      title: "Shows a pet",
      // Without `baseUrl` the document says where calls go, so a change of that has to be seen.
      description: "Shows a pet\n\nGET https://pets.example/v1/pets/{petId}",
      inputSchema: {
        type: "object",
        properties: { petId: { type: "string", description: "the id of a pet" } },
        required: ["petId"],
      },
      traits: { readOnly: true, idempotent: true, openWorld: true },
    });
    expect((await toolOf(source, "removePet"))?.traits).toMatchObject({ readOnly: false, idempotent: true });
    expect((await toolOf(source, "removePet"))?.description).toContain("Deprecated.");
    expect((await toolOf(source, "addPet"))?.traits).toMatchObject({ readOnly: false, idempotent: false });
    expect((await toolOf(source, "addPet"))?.inputSchema).toMatchObject({
      required: ["body"],
      properties: {
        body: {
          required: ["name"],
          properties: {
            name: { type: "string", examples: ["Tom"] },
            weight: { type: "number", exclusiveMinimum: 0 },
            owner: { type: ["string", "null"] },
          },
        },
      },
    });
  });

  test("a schema that is used twice, or contains itself, is there once", async () => {
    const source = openApi({ spec: join(DOCUMENTS, "library.json"), baseUrl: "https://x.example/" });
    const tool = await toolOf(source, "books_add");
    expect(tool?.inputSchema).toMatchObject({
      properties: { body: { $ref: "#/$defs/Book" } },
      $defs: {
        Book: {
          properties: {
            by: { $ref: "#/$defs/Person", description: "who wrote it" },
            translators: { items: { $ref: "#/$defs/Person" } },
            sequel: { $ref: "#/$defs/Book" },
          },
        },
      },
    });
    expect(Object.keys(Object((await toolOf(source, "shelves_place"))?.inputSchema).properties)).toEqual([
      "shelf",
      "id",
      "id_query",
    ]);
  });

  test("a file is text or base64", async () => {
    const source = openApi({ spec: join(DOCUMENTS, "forms.yaml"), baseUrl: "https://x.example/" });
    expect((await toolOf(source, "upload"))?.inputSchema).toMatchObject({
      properties: {
        body: {
          properties: {
            file: { description: "the document", properties: { text: {}, base64: {}, filename: {} } },
            pictures: { type: "array", items: { properties: { base64: {} } } },
          },
        },
      },
    });
    expect((await toolOf(source, "note"))?.inputSchema).toMatchObject({
      properties: { body_content: { type: "string" } },
    });
  });
});

describe("what is sent", () => {
  test("parameters in every place, in their style", async () => {
    const server = await serveDocument(join(DOCUMENTS, "styles.yaml"));
    const source = openApi({ spec: join(DOCUMENTS, "styles.yaml"), baseUrl: `${server.url}/?v=2` });
    await callApi(source, "points", {
      area: ["north", "a/b"],
      box: { w: 3, h: 4 },
      corner: [1, 2],
      ids: ["x", "y"],
      near: [1.5, 2],
      words: ["old", "town"],
      kinds: ["a", "b"],
      filter: { min: 3, owner: { name: "Ann" } },
      path: "/a/b?c",
      where: { a: 1 },
      "X-Tags": ["t1", "t2"],
      "X-Pair": { a: 1, b: 2 },
      theme: "dark; x=1",
      Authorization: "mine",
    });
    const seen = last(server);
    expect(seen?.url).toBe(
      "/map/north,a%2Fb/.w=3.h=4/points;corner=1;corner=2?v=2&ids=x&ids=y&near=1.5,2&words=old%20town&kinds=a%7Cb" +
        "&filter%5Bmin%5D=3&filter%5Bowner%5D%5Bname%5D=Ann&path=/a/b?c&where=%7B%22a%22%3A1%7D",
    );
    expect(seen?.headers).toMatchObject({ "x-tags": "t1,t2", "x-pair": "a=1,b=2", cookie: "theme=dark%3B%20x%3D1" });
    expect(seen?.headers.authorization).toBeUndefined();
  });

  test("bodies in their media type", async () => {
    const server = await serveDocument(join(DOCUMENTS, "forms.yaml"));
    const source = openApi({ spec: join(DOCUMENTS, "forms.yaml"), baseUrl: server.url });
    await callApi(source, "login", { body: { user: "a b&c", roles: ["x", "y"], remember: true } });
    expect(last(server)).toMatchObject({
      body: "user=a+b%26c&roles=x,y&remember=true",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const picture = Buffer.from("PNG").toString("base64");
    await callApi(source, "upload", {
      body: {
        title: "T",
        meta: { year: 7 },
        file: { text: "# Hi", filename: "a.md" },
        pictures: [{ base64: picture, filename: "p.png", type: "image/png" }],
      },
    });
    const { body = "", headers } = last(server) ?? {};
    expect(headers?.["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(body).toMatch(/name="title"\r\n\r\nT\r\n/);
    expect(body).toMatch(/name="meta"[\s\S]*?application\/json\r\n\r\n\{"year":7\}\r\n/);
    expect(body).toMatch(/name="file"; filename="a\.md"\r\nContent-Type: text\/markdown\r\n\r\n# Hi\r\n/);
    expect(body).toMatch(/name="pictures"; filename="p\.png"\r\nContent-Type: image\/png\r\n\r\nPNG\r\n/);
    await callApi(source, "putRaw", { body: { base64: Buffer.from("raw").toString("base64") } });
    expect(last(server)).toMatchObject({ body: "raw", headers: { "content-type": "application/octet-stream" } });
    await callApi(source, "note", { body: "q", body_content: "remember" });
    expect(last(server)).toMatchObject({ url: "/note?body=q", body: "remember" });
    await callApi(source, "choose", { body: { way: "json" } });
    expect(last(server)).toMatchObject({ body: '{"way":"json"}', headers: { "content-type": "application/json" } });
  });

  test("what proves who asks, as each operation wants it", async () => {
    const server = await serveDocument(join(DOCUMENTS, "secured.yaml"));
    const auth = { inQuery: "query-secret", inCookie: "cookie secret", basic: "ann:password", login: "token-secret" };
    const source = openApi({
      spec: join(DOCUMENTS, "secured.yaml"),
      baseUrl: server.url,
      auth,
      headers: { "X-Team": "red" },
    });
    const seen = async (name: string) => {
      await callApi(source, name);
      const { url, headers } = last(server) ?? {};
      return [url, headers?.cookie ?? null, headers?.authorization ?? null, headers?.["x-team"]];
    };
    const basic = `Basic ${Buffer.from("ann:password").toString("base64")}`;
    expect(await seen("byQuery")).toEqual(["/query?api_key=query-secret", null, null, "red"]);
    expect(await seen("byCookie")).toEqual(["/cookie", "sid=cookie%20secret", null, "red"]);
    expect(await seen("byBasic")).toEqual(["/basic", null, basic, "red"]);
    expect(await seen("byToken")).toEqual(["/token", null, "Bearer token-secret", "red"]);
    expect(await seen("byBoth")).toEqual(["/both?api_key=query-secret", "sid=cookie%20secret", null, "red"]);
    expect(await seen("byEither")).toEqual(["/either", null, basic, "red"]);
    expect(await seen("open")).toEqual(["/open", null, null, "red"]);
  });

  test("no argument leads to another path, sets a line of its own or is forgotten", async () => {
    const server = await serveDocument(join(DOCUMENTS, "petstore.yaml"));
    const source = openApi({ spec: join(DOCUMENTS, "petstore.yaml"), baseUrl: server.url });
    for (const petId of ["..", ".", "", null, "../admin", "..\\x"])
      expect(await callApi(source, "getPet", { petId })).toMatchObject({ resultType: "failure" });
    expect(await callApi(source, "getPet", {})).toMatchObject({ textResultForLlm: '"petId" is required.' });
    expect(await callApi(source, "addPet", {})).toMatchObject({ textResultForLlm: '"body" is required.' });
    expect(server.requests).toEqual([]);
    for (const petId of ["a?b#c", "%2e%2e", "a\r\nb"]) await callApi(source, "getPet", { petId });
    expect(server.requests.map(({ url }) => url)).toEqual(
      ["a?b#c", "%2e%2e", "a\r\nb"].map((petId) => `/pets/${encodeURIComponent(petId)}`),
    );
    const harbour = await serveDocument(join(DOCUMENTS, "harbour.yaml"));
    const cranes = openApi({ spec: join(DOCUMENTS, "harbour.yaml"), baseUrl: harbour.url });
    const args = { crane: "7", "Idempotency-Key": "a\r\nX-Evil: 1", body: {} };
    expect(await callApi(cranes, "cranes.order", args)).toMatchObject({ resultType: "failure" });
    expect(harbour.requests).toEqual([]);
  });
});

describe("what comes back", () => {
  const answering = async (
    respond: Parameters<typeof serveDocument>[1],
    auth: Readonly<Record<string, string>> = {},
  ) => {
    const server = await serveDocument(join(DOCUMENTS, "petstore.yaml"), respond);
    return openApi({ spec: join(DOCUMENTS, "petstore.yaml"), baseUrl: server.url, auth });
  };

  test("JSON as data, with the headers that say how to go on", async () => {
    const source = await answering(() => ({
      headers: { link: '<https://x/?page=2>; rel="next"', "x-next": "2", "x-other": "no" },
      body: '[ {"name": "Tom"} ]',
    }));
    expect(await callApi(source, "listPets", { kind: "cat" })).toEqual({
      textResultForLlm: '[{"name":"Tom"}]\n[link: <https://x/?page=2>; rel="next"; x-next: 2]',
      resultType: "success",
      structured: [{ name: "Tom" }],
    });
  });

  test("an empty answer, a text, and bytes", async () => {
    const nothing = await answering(() => ({ status: 204, body: "" }));
    expect(await callApi(nothing, "removePet", { petId: "1" })).toMatchObject({
      textResultForLlm: "Done (HTTP 204, without content).",
    });
    const text = await answering(() => ({
      headers: { "content-type": "text/plain" },
      body: "hi\u001b[31m\u200b there",
    }));
    expect(await callApi(text, "getPet", { petId: "1" })).toEqual({
      textResultForLlm: "hi there",
      resultType: "success",
    });
    const image = await answering(() => ({ headers: { "content-type": "image/png" }, body: Buffer.from([1, 2, 3]) }));
    expect(await callApi(image, "getPet", { petId: "1" })).toMatchObject({
      textResultForLlm: "The answer holds image/png (3 bytes).",
      binaryResultsForLlm: [{ data: "AQID", mimeType: "image/png", type: "image" }],
    });
  });

  test("an error with its status, and what to set where the document wants to know who asks", async () => {
    const source = await answering(() => ({ status: 401, body: '{"error":"who?"}' }));
    const { textResultForLlm, resultType } = await callApi(source, "getPet", { petId: "1" });
    expect(resultType).toBe("failure");
    expect(textResultForLlm).toBe(
      'HTTP 401 Unauthorized\n{"error":"who?"}\nThe API wants to know who asks: petKey (a key in the header "X-Pet-Key"). Whoever runs this can set it in `auth` of the entry "api".',
    );
  });

  test("never a secret of the entry", async () => {
    const source = await answering(({ headers }) => ({ body: JSON.stringify({ saw: headers["x-pet-key"] }) }), {
      petKey: "s3cret-of-ours",
    });
    const result = await callApi(source, "getPet", { petId: "1" });
    expect(result).toMatchObject({ textResultForLlm: '{"saw":"[hidden]"}', structured: { saw: "[hidden]" } });
  });

  test("a redirect is followed at the same host alone, and only to read", async () => {
    const other = await serveDocument(join(DOCUMENTS, "petstore.yaml"));
    const source = await answering(({ url, operation }) => {
      if (url === "/pets/near") return { status: 302, headers: { location: "/pets/7" } };
      if (url === "/pets/far") return { status: 302, headers: { location: `${other.url}/pets/7` } };
      return operation === "POST /pets" ? { status: 307, headers: { location: "/pets" } } : null;
    });
    expect((await callApi(source, "getPet", { petId: "near" })).structured).toMatchObject({ url: "/pets/7" });
    expect(await callApi(source, "getPet", { petId: "far" })).toMatchObject({ resultType: "failure" });
    expect(await callApi(source, "addPet", { body: {} })).toMatchObject({ resultType: "failure" });
    expect(other.requests).toEqual([]);
  });
});

test("every mistake of a document is named with its place, and costs only its operation", async () => {
  const source = openApi({ spec: join(DOCUMENTS, "broken.yaml"), baseUrl: "https://x.example/" });
  await source.list(never);
  expect(source.status.reason).toBe(
    "leaves out 6 of its operations: " +
      'broken.yaml:10 (#/paths/~1lost/get/parameters/0) refers to "#/components/parameters/Nowhere", which is not there; ' +
      "broken.yaml:15 (#/paths/~1circle/post/requestBody) refers to itself without end; " +
      "broken.yaml:18 (#/paths/~1gap~1{id}/get) has no parameter for {id} of its path; and 3 more",
  );
  const rest = openApi({
    spec: join(DOCUMENTS, "broken.yaml"),
    baseUrl: "https://x.example/",
    include: ["/place", "/schema", "/elsewhere"],
  });
  await rest.list(never);
  expect(rest.status.reason).toContain(
    'broken.yaml:25 (#/paths/~1place/get/parameters/0/in) of parameter "x" has to be path, query',
  );
  expect(rest.status.reason).toContain(
    'broken.yaml:33 (#/paths/~1schema/post/requestBody/content/application~1json/schema/properties/a) refers to "./nowhere.yaml#/A", which does not exist',
  );
});
