import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
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
  const { out: waiting } = await cli("servers");
  expect(waiting).toMatch(/pets +disabled +0 +openapi +toolcrib\.yaml:2/);
  expect(waiting).toContain("is not trusted");
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
  expect((await cli("why", "pets/getPet", "--mode", "plan")).out).toContain("pets/getPet is visible");
  const { out: hidden } = await cli("why", "pets/addPet", "--mode", "plan");
  expect([hidden.includes("denied by"), hidden.includes("the session is planning")]).toEqual([true, true]);
  for (const name of ["mcp__pets__removePet", "removePet"]) {
    const left = await cli("why", name);
    expect([left.status, left.out]).toEqual([1, ""]);
    expect(left.err.replace(/\s+/g, " ")).toContain(
      `"${name}" is an operation of API "pets" and no tool: openapi.pets.exclude names it by "removePet" (toolcrib.yaml:6). To see it: remove "removePet" from openapi.pets.exclude`,
    );
  }
  expect((await cli("pin", "--yes")).out).toContain("pins 3 tools of 1 server");
  const changed = "{/everything: {get: {operationId: getPet, responses: {}}}}";
  write("petstore.yaml", `openapi: 3.0.0\ninfo: {title: t, version: "1"}\npaths: ${changed}\n`);
  expect((await cli("why", "pets/getPet")).out).toContain("toolcrib pin --approve pets/getPet");
  write("toolcrib.yaml", entry("http://127.0.0.1:1/", "    exclude: [removePet]\n"));
  const { out: held } = await cli("servers", "--config", "toolcrib.yaml");
  expect(held).toContain("is not started, because its entry starts it in another way");
  expect((await cli("remove", "pets")).status).toBe(0);
});

test("add takes a document from where one stands, and none that is not there", async () => {
  const { cwd, cli } = createProject();
  const wrong = await cli("add", "pets", "--openapi", "petstor.yaml");
  expect(wrong).toMatchObject({ status: 2, err: expect.stringContaining('there is no file "petstor.yaml" here') });
  expect(existsSync(join(cwd, "toolcrib.yaml"))).toBe(false);
  mkdirSync(join(cwd, "sub"));
  await cli("add", "pets", "--openapi", "petstore.yaml", "--config", "sub/toolcrib.yaml");
  expect(readFileSync(join(cwd, "sub/toolcrib.yaml"), "utf8")).toContain("spec: ../petstore.yaml");
});

test("doctor names the place in the document", async () => {
  const { cli, write } = createProject({ "toolcrib.yaml": entry("https://pets.example/") });
  write("petstore.yaml", "openapi: 3.0.0\ninfo: {}\npaths:\n  /a/{b}:\n    get: {}\n  /c:\n    get: {}\n");
  const { json } = await cli("doctor", "--json", "--config", "toolcrib.yaml");
  expect(json().findings).toContainEqual(
    expect.objectContaining({
      code: "server.partial",
      text: 'API "pets" leaves out 1 of its operations: petstore.yaml:5 (#/paths/~1a~1{b}/get) has no parameter for {b} of its path',
    }),
  );
});

test("policy goes by the address of an API, also where only the document says it", async () => {
  const policy = "policy: { deniedMcpServers: [{ serverUrl: 'https://pets.example/*' }] }\n";
  const apis =
    "openapi:\n  named: { spec: petstore.yaml, baseUrl: 'https://pets.example/v1' }\n  silent: { spec: petstore.yaml }\n";
  const { cli } = createProject({ "toolcrib.yaml": apis }, policy);
  const { out } = await cli("servers", "--config", "toolcrib.yaml");
  expect(out).toContain("named is left out: policy denies it.");
  expect(out.replace(/\s+/g, " ")).toContain("denying https://pets.example/* (policy.yaml:1)");
  expect(out).toContain('policy denies server "silent"');
});

test("a server and an API share their names", async () => {
  const both =
    "mcpServers: { pets: { command: nothing, enabled: false } }\nopenapi: { pets: { spec: petstore.yaml } }\n";
  const { cli } = createProject({ user: both });
  const { err } = await cli("list");
  expect(err).toContain('API "pets" is left out: a server has that name');
});
