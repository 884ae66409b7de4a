import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

interface Asked {
  readonly path: string | undefined;
  readonly key: string | undefined;
}

/** A server that lists models, or answers as it is told. */
async function startServer(body: unknown = { data: [{ id: "qwen3" }, { id: "\u001b[31mred" }] }, status = 200) {
  const asked: Asked[] = [];
  const server = createServer(({ url, method, headers }, response) => {
    asked.push({ path: url, key: headers.authorization });
    if (method === "POST") return void response.writeHead(200, { "content-type": "application/json" }).end(ANSWER);
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return { host: `127.0.0.1:${port}`, asked };
}

const ANSWER = JSON.stringify({ choices: [{ message: { content: "Here." }, finish_reason: "stop" }] });

/** Nothing of the machine that runs the test: nobody listens on these. */
const NOBODY = { OLLAMA_HOST: "127.0.0.1:9", LMSTUDIO_HOST: "127.0.0.1:9", LLAMACPP_HOST: "127.0.0.1:9" };

function machine(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const { cwd, home } = createMachine(files);
  const all = { HOME: home, ...NOBODY, ...env };
  return { cwd, env: all, run: (...argv: readonly string[]) => runCli(argv, { cwd, env: all }) };
}

test("models lists who can be reached with their models, and why the others cannot", async () => {
  const { host, asked } = await startServer();
  const closed = await startServer("no key like that", 401);
  const { run } = machine({}, { OLLAMA_HOST: host, OPENAI_API_KEY: "k", OPENAI_BASE_URL: `http://${closed.host}/v1` });
  const { status, out } = await run("models");
  expect(status).toBe(0);
  const row = (name: string) => out.split("\n").find((line) => line.startsWith(`${name} `));
  expect(row("ollama")).toContain(`2 models     http://${host}/v1`);
  expect(row("openai")).toContain(`openai at ${closed.host} answered 401: no key like that`);
  expect(closed.asked).toEqual([{ path: "/v1/models", key: "Bearer k" }]);
  expect(row("lmstudio")).toMatch(/unreachable.*lmstudio at 127\.0\.0\.1:9 cannot be reached: /);
  expect(row("anthropic")).toContain("anthropic needs a key: set ANTHROPIC_API_KEY");
  expect(row("azure")).toContain("azure has no address: set AZURE_OPENAI_ENDPOINT");
  expect(out).toContain("\nollama/qwen3\nollama/\\x1b[31mred\n");
  expect(asked).toEqual([{ path: "/v1/models", key: undefined }]);
});

test("a provider of the configuration is asked with its key and headers, and run uses it", async () => {
  const { host, asked } = await startServer({ data: [{ id: "mine" }] });
  const user = `providers:\n  company: { baseUrl: "http://${host}/v1", key: "\${COMPANY_KEY}", headers: { x-team: a } }\n`;
  const { run } = machine({ user }, { COMPANY_KEY: "secret-one" });
  const { status, out } = await run("models", "company", "--json");
  expect([status, JSON.parse(out).providers]).toEqual([
    0,
    [{ provider: "company", address: `http://${host}/v1`, state: "reachable", reason: null, models: ["mine"] }],
  ]);
  expect((await run("run", "Hello")).err).toContain("company answers as configured: --model company/mine");
  expect(await run("run", "Hello", "--model", "company/mine")).toMatchObject({ status: 0, out: "Here.\n" });
  expect(asked.at(-1)).toEqual({ path: "/v1/chat/completions", key: "Bearer secret-one" });
  expect((await run("config", "providers")).out).not.toContain("secret-one");
});

test("a provider whose variable is not set is left out with a word, and an unknown one is named", async () => {
  const user = 'providers:\n  company: { baseUrl: "http://127.0.0.1:9/v1", key: "${COMPANY_KEY}" }\n';
  const { run } = machine({ user });
  const { status, out, err } = await run("models");
  expect(status).toBe(1);
  expect(out).not.toContain("company");
  expect(err).toContain("provider company is left out: ${COMPANY_KEY} is not set");
  expect(await run("models", "olama")).toMatchObject({
    status: 2,
    err: expect.stringContaining('toolcrib: there is no provider "olama"; did you mean "ollama"?\n'),
  });
});

test("a provider of a project counts once it is trusted, and until then is named where a model is missing", async () => {
  const { host, asked } = await startServer();
  const project = `providers:\n  company: { baseUrl: "http://${host}/v1" }\n`;
  const { run } = machine({ "toolcrib.yaml": project });
  expect((await run("models", "company")).status).toBe(2);
  expect((await run("run", "Hello")).err).toContain(
    "provider company in toolcrib.yaml:2 counts once you trust it: toolcrib trust",
  );
  expect(asked).toEqual([]);
  const { out } = await run("trust", "--yes");
  expect(out).toContain(`baseUrl: http://${host}/v1`);
  expect((await run("models", "company")).out).toContain("company/qwen3");
});

test.each([
  ["company: { baseUrl: ftp://a }", "must be an http or https address"],
  ["company: { wire: openai-chad }", 'did you mean "openai-chat"?'],
  ["company: { baseURL: http://a }", 'did you mean "baseUrl"?'],
])("what is wrong with a provider is an error with its line: %s", async (line, text) => {
  const { run } = machine({ user: `providers:\n  ${line}\n` });
  const { status, err } = await run("models");
  expect(status).toBe(3);
  expect(err).toContain("config.yaml:2");
  expect(err).toContain(text);
});
