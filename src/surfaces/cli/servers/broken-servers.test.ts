import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const node = (code: string) => ({ command: process.execPath, args: ["-e", code] });

/** What `servers` says about one broken server. */
async function told(server: object, ...more: readonly string[]) {
  const { cwd, home, write } = createMachine();
  write("user", JSON.stringify({ mcpServers: { it: server } }));
  const env = { HOME: home, PATH: process.env.PATH ?? "" };
  const { out } = await runCli(["servers", ...more], { cwd, env });
  return out.replace(/\s+/g, " ");
}

async function page(status: number): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end("<title>Welcome</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // It listens on an address.
}

test.each([
  [
    "that prints text and does not start",
    { ...node("console.log('Hello! Server ready'); setInterval(() => {}, 1000)"), startTimeout: 4_000 },
    'it did not start within 4 s. Its standard output is for messages of the protocol alone, and it wrote: "Hello! Server ready". Correct',
  ],
  [
    "that writes its log where messages belong",
    node("console.log(JSON.stringify({ level: 'info' }))"),
    'and it wrote: "{\\"level\\":\\"info\\"}"',
  ],
  [
    "that prints how it is used, and ends",
    node("console.log('usage: it --port PORT')"),
    'it exited with code 0. Its standard output is for messages of the protocol alone, and it wrote: "usage: it --port PORT"',
  ],
  [
    "that prints text and crashes",
    node("console.log('Hello!'); throw new Error('no key')"),
    'it exited with code 1. It said last: "Error: no key". For more: toolcrib servers logs it',
  ],
  [
    "whose npx fails",
    node(
      "console.error('npm error code E404\\nnpm error 404 Not Found - GET http://h/x\\nnpm error You can rerun the command with `--loglevel=verbose`'); process.exit(1)",
    ),
    'It said last: "npm error 404 Not Found - GET http://h/x"',
  ],
])("a server %s explains itself", async (_, server, expected) => {
  expect(await told(server)).toContain(expected);
});

test.each([
  [200, "it answered with a web page, not with MCP. "],
  [404, "it answered with a web page (HTTP 404), not with MCP. "],
])("an address that answers with HTML and %d is called that", async (status, expected) => {
  const out = await told({ url: await page(status) });
  expect(out).toContain(`${expected}Correct its url (~/.config/toolcrib/config.yaml:1): many servers are under /mcp`);
});

test("a proxy's error page is no page that somebody took for a server", async () => {
  expect(await told({ url: await page(502) })).toContain("it answered with HTTP 502.");
});

test("the log of a server that only wrote to its standard output has that", async () => {
  const out = await told(node("console.log('Hello!')"), "logs", "it");
  expect(out).toBe("it (failed) wrote nothing to its error stream. To its standard output it wrote: Hello! ");
});
