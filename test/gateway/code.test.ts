import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { clientProfile, mainProfile } from "../../src/runtime/crib/profile.ts";
import { createCallHistory } from "../../src/surfaces/http/views/call-history.ts";
import { shareThread } from "../support/code-session.ts";
import { oneFile } from "../support/one-file.ts";
import { connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

shareThread();

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const IT = { mcpServers: { it: { command: process.execPath, args: [ECHO] } }, builtins: "off", toolSearch: "off" };
const ALLOWED = { ...IT, permissions: { allow: ["it/*"] } };
const CURIOUS = oneFile(fileURLToPath(new URL("../fixtures/curious-server.mjs", import.meta.url)));
const ASKING = {
  ...{
    mcpServers: { it: { command: process.execPath, args: [CURIOUS] } },
    builtins: "off",
    toolSearch: "off",
    code: "on",
  },
  permissions: { allow: ["it/*"] },
};
const run = (code: string) => ({ name: "run_code", arguments: { code: `await tools.describe("it.echo");\n${code}` } });
const ECHOED = run('return (await it.echo({ text: "hello" })).toUpperCase()');

describe.each(["legacy", "modern"] as const)("a %s client (K5)", (era) => {
  test("gets one tool, whose code reaches the servers", async () => {
    const { url } = await openGateway({ ...ALLOWED, code: "on" });
    const { client } = await connect(url, era);
    await expect.poll(async () => (await client.listTools()).tools.map(({ name }) => name)).toEqual(["run_code"]);
    const [tool] = (await client.listTools()).tools;
    expect(tool).toMatchObject({ annotations: { readOnlyHint: false, openWorldHint: true } });
    expect(textOf(await client.callTool(ECHOED))).toBe("HELLO");
    expect(await client.callTool(run("await it.nothing()"))).toMatchObject({ isError: true });
  });

  test("asks for code by its address where code is not off, and for single calls", async () => {
    const { url } = await openGateway({ ...ALLOWED, code: "auto" });
    const { url: off } = await openGateway({ ...ALLOWED, code: "off" });
    const names = async (address: string) =>
      (await (await connect(address, era)).client.listTools()).tools.map(({ name }) => name);
    expect(await names(`${url}?code=1`)).toEqual(["run_code"]);
    expect(await names(`${url}?code=0`)).not.toContain("run_code");
    expect(await names(url)).not.toContain("run_code");
    await expect(names(`${off}?code=1`)).rejects.toThrow(/code is off|did not offer/);
    await expect(names(`${url}?code=yes`)).rejects.toThrow(/is 1 or 0|did not offer/);
  });

  test("that asked for code gets single calls when code is turned off, and code when it is turned on again", async () => {
    const { url, reload } = await openGateway({ ...ALLOWED, code: "auto" });
    const { client } = await connect(`${url}?code=1`, era);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["run_code"]);
    await reload({ ...ALLOWED, code: "off" });
    await expect.poll(names).toContain("it__echo");
    expect(await names()).not.toContain("run_code");
    expect(textOf(await client.callTool({ name: "it__echo", arguments: { text: "plain" } }))).toBe("plain");
    await reload({ ...ALLOWED, code: "auto" });
    await expect.poll(names).toEqual(["run_code"]);
  });

  test("is asked about the calls inside, with the line of the code", async () => {
    const { url, crib } = await openGateway({ ...IT, code: "on", permissions: { ask: ["it/*"] } });
    const log = createCallHistory();
    const { client, told } = await connect(url, era, {
      form: () => ({ action: "accept", content: { decision: "allow once" } }),
    });
    await client.listTools();
    for (const { session } of crib.views) session.on("*", (event) => void log.record({ id: "c", label: "c" }, event));
    expect(textOf(await client.callTool(ECHOED))).toBe("HELLO");
    expect(told.asked).toEqual([
      expect.stringContaining("Called in line 2 of the model's code: return (await it.echo"),
    ]);
    const calls = log.list({ text: (text) => text, value: (value) => value });
    const outer = calls.find(({ tool }) => tool === "run_code");
    expect(calls.find(({ tool }) => tool === "it/echo")).toMatchObject({ parent: outer?.id, line: { line: 2 } });
  });

  test("reads in a server's questions and steps which line of the code they belong to (K4, K5)", async () => {
    const { url } = await openGateway(ASKING);
    const form = () => ({ action: "accept" as const, content: { name: "Ada" } });
    const { client, told } = await connect(url, era, { form, canSample: true });
    await client.listTools();
    const lines = [
      'for (const name of ["it.ask", "it.log"]) await tools.describe(name);',
      'const said = await it.ask({ who: "they" });',
      "await Promise.all([it.log(), it.log()]);",
      'return String(JSON.stringify(said)).includes("Ada");',
    ];
    const steps: { progress: number; message?: string | undefined }[] = [];
    const call = { name: "run_code", arguments: { code: lines.join("\n") } };
    const result = await client.callTool(call, {
      onprogress: (step) => step.message?.startsWith("line") && steps.push(step),
    });
    expect(textOf(result)).toBe("true");
    const by = `the MCP server "it" (called by line 2 of the model's code: ${JSON.stringify(lines[1])})`;
    expect(told.asked.toSorted()).toEqual([`The${by.slice(3)} asks: Who are they?`, `This request comes from ${by}.`]);
    expect(steps.map(({ message }) => message).toSorted()).toEqual(
      [
        ...["line 1: tools.describe", "line 1: tools.describe", "line 2: it.ask"],
        ...["line 3: it.log", "line 3: it.log", "line 3: it.log: one", "line 3: it.log: one"],
      ].toSorted(),
    );
    expect(steps.map(({ progress }) => progress)).toEqual(steps.map((_, at) => at + 1));
  });
});

test("an entry of gateway.clients decides for its client alone", async () => {
  const { url, crib } = await openGateway(
    { ...ALLOWED, gateway: { clients: [{ name: "ci", token: "t", code: "on" }] } },
    {
      profileOf: (token) => {
        const [entry] = crib.config.gateway.clients;
        return token === "t" && entry !== undefined ? clientProfile(entry, "ci") : mainProfile();
      },
    },
  );
  const names = async (token?: string) =>
    (await (await connect(url, "legacy", token === undefined ? {} : { token })).client.listTools()).tools.map(
      ({ name }) => name,
    );
  expect(await names("t")).toEqual(["run_code"]);
  expect(await names()).not.toContain("run_code");
});

test("a client whose code waits keeps no other client from running code (K2)", async () => {
  const clients = ["one", "other"].map((name) => ({ name, token: name, code: "on" }));
  const { url, crib } = await openGateway(
    { ...ALLOWED, gateway: { clients } },
    {
      profileOf: (token) => {
        const entry = crib.config.gateway.clients.find(({ name }) => name === token);
        return entry === undefined ? mainProfile() : clientProfile(entry, String(entry.name));
      },
    },
  );
  const [one, other] = await Promise.all(clients.map(({ token }) => connect(url, "legacy", { token })));
  await one?.client.listTools();
  const waiting = new AbortController();
  let started = 0;
  const runs = Array.from({ length: 9 }, () =>
    one?.client.callTool(
      { name: "run_code", arguments: { code: 'await tools.describe("it.wait"); await it.wait()' } },
      {
        signal: waiting.signal,
        timeout: 120_000,
        onprogress: ({ message }) => (started += message?.includes("it.wait") ? 1 : 0),
      },
    ),
  );
  await expect.poll(() => started, { timeout: 60_000 }).toBe(9);
  expect(textOf((await other?.client.callTool(run("return 1"))) ?? {})).toBe("1");
  waiting.abort();
  expect((await Promise.allSettled(runs)).map(({ status }) => status)).toEqual(runs.map(() => "rejected"));
});
