import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serveDocument } from "./support/openapi-server.ts";
import { DOCUMENTS } from "./support/openapi-source.ts";
import { createMachine, runCli } from "./support/run-cli.ts";

/** A project with an API of its own, and a person who works in it. */
function createProject(files: Readonly<Record<string, string>> = {}, policy?: string) {
  const { cwd, home, write } = createMachine(files);
  cpSync(join(DOCUMENTS, "petstore.yaml"), join(cwd, "petstore.yaml"));
  const env: Record<string, string> = { HOME: home, PET_KEY: "s3cret-of-ours" };
  if (policy !== undefined) write("policy.yaml", policy);
  if (policy !== undefined) env.TOOLCRIB_POLICY = join(cwd, "policy.yaml");
  const cli = async (...argv: readonly string[]) => {
    const { status, out, err } = await runCli(argv, { cwd, env });
    return { status, out, err, json: () => JSON.parse(out) };
  };
  return { cwd, write, cli };
}

const entry = (url: string, more = ""): string =>
  `openapi:\n  pets:\n    spec: petstore.yaml\n    baseUrl: ${url}\n    auth: { petKey: "\${PET_KEY}" }\n${more}`;

test("an API is a server: added, trusted, listed, explained, called, pinned and removed like any other", async () => {
  const server = await serveDocument(join(DOCUMENTS, "petstore.yaml"));
  const { cli, write } = createProject();
  const added = await cli("add", "pets", "--openapi", "petstore.yaml", server.url);
  expect(added.out).toContain("toolcrib trust");
  expect((await cli("servers", "--json")).out).toContain("is not trusted");
  write("toolcrib.yaml", entry(server.url, "    exclude: [removePet]\npermissions: { deny: ['pets/add*'] }\n"));
  await cli("trust", "--yes");
  const listed = (await cli("list", "--json")).json();
  const ids = listed.tools
    .filter(({ source }: { source: string }) => source === "openapi")
    .map(({ id }: { id: string }) => id);
  expect(ids).toEqual(["pets/addPet", "pets/getPet", "pets/listPets"]);
  const { out } = await cli("servers");
  expect(out).toMatch(/pets +connected +3 +openapi +toolcrib\.yaml:2/);
  const called = await cli("call", "pets/getPet", "--args", '{"petId":"7"}', "--yes");
  expect(called.out).toContain("GET /pets/{petId}");
  expect(server.requests.at(-1)).toMatchObject({ url: "/pets/7", headers: { "x-pet-key": "s3cret-of-ours" } });
  expect((await cli("call", "pets/addPet", "--args", '{"body":{"name":"a"}}', "--yes")).status).toBe(1);
  expect(server.requests).toHaveLength(1);
  expect((await cli("why", "pets/getPet", "--mode", "plan")).out).toContain("pets/getPet is visible");
  const { out: hidden } = await cli("why", "pets/addPet", "--mode", "plan");
  expect([hidden.includes("denied by"), hidden.includes("the session is planning")]).toEqual([true, true]);
  expect((await cli("why", "pets/getPet", "--exclude", "pets/get*")).out).toContain('excluded by "pets/get*"');
  expect((await cli("pin", "--yes")).out).toContain("pins 3 tools of 1 server");
  expect((await cli("pin", "--check")).status).toBe(0);
  write("toolcrib.yaml", entry("http://127.0.0.1:1/", "    exclude: [removePet]\n"));
  await cli("trust", "--yes");
  expect((await cli("servers")).out).toContain("is not started, because its entry says to start it otherwise");
  expect((await cli("remove", "pets")).status).toBe(0);
  expect((await cli("servers", "--json")).out).not.toContain("pets");
});

test("a document that changes is held against the lock, tool by tool", async () => {
  const server = await serveDocument(join(DOCUMENTS, "petstore.yaml"));
  const { cli, write } = createProject({ "toolcrib.yaml": entry(server.url) });
  await cli("trust", "--yes");
  await cli("pin", "--yes");
  const text = (path: string) =>
    `openapi: 3.0.0\ninfo: {title: t, version: "1"}\npaths: {${path}: {get: {operationId: getPet, responses: {}}}}\n`;
  write("petstore.yaml", text("/everything"));
  const { out } = await cli("why", "pets/getPet");
  expect(out).toContain("pets/getPet is hidden");
  expect(out).toContain("toolcrib pin --approve pets/getPet");
});

test("doctor names the place in the document, and servers says what is left out", async () => {
  const { cli, write } = createProject({ "toolcrib.yaml": entry("https://pets.example/") });
  write("petstore.yaml", "openapi: 3.0.0\ninfo: {}\npaths:\n  /a/{b}:\n    get: {}\n  /c:\n    get: {}\n");
  await cli("trust", "--yes");
  const { out } = await cli("doctor", "--json");
  expect(JSON.parse(out).findings).toContainEqual(
    expect.objectContaining({
      code: "server.partial",
      text: 'API "pets" leaves out 1 of its operations: petstore.yaml:5 (#/paths/~1a~1{b}/get) has no parameter for {b} of its path',
    }),
  );
  expect((await cli("servers")).out).toContain("leaves out 1 of its operations");
});

test("policy goes by the address of an API, also where only the document says it", async () => {
  const policy = "policy: { deniedMcpServers: [{ serverUrl: 'https://pets.example/*' }] }\n";
  const named = createProject(
    { "toolcrib.yaml": "openapi: { pets: { spec: petstore.yaml, baseUrl: 'https://pets.example/v1' } }\n" },
    policy,
  );
  await named.cli("trust", "--yes");
  expect((await named.cli("servers")).out).toContain('policy denies server "pets"');
  const silent = createProject({ "toolcrib.yaml": "openapi: { pets: { spec: petstore.yaml } }\n" }, policy);
  await silent.cli("trust", "--yes");
  const { out } = await silent.cli("servers");
  expect(out).toContain('policy denies server "pets"');
  expect(
    (await silent.cli("list", "--json")).json().tools.map(({ source }: { source: string }) => source),
  ).not.toContain("openapi");
});

test("a server and an API share their names", async () => {
  const both =
    "mcpServers: { pets: { command: nothing, enabled: false } }\nopenapi: { pets: { spec: petstore.yaml } }\n";
  const { cli } = createProject({ user: both });
  const { err } = await cli("list");
  expect(err).toContain('API "pets" is left out: a server has that name');
});
