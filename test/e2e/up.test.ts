import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { ensureBuilt, finish, runBuilt, startCli } from "../support/built-cli.ts";
import { leftBehind } from "../support/left-behind.ts";
import { misbehaving } from "../support/mcp-sources.ts";
import { listsUntil, names, newMachine, runHere, startUp, startUpProcess } from "../support/running-up.ts";

/** Each of these starts a process that starts more. */
beforeAll(ensureBuilt, 120_000);

/** Nothing is deferred, so that a list shows what is there. */
const config = (value: object): string => JSON.stringify({ toolSearch: "off", builtins: "all", ...value }, null, 2);
const textOf = (result: Awaited<ReturnType<Client["callTool"]>>): string => {
  const [first] = Array.isArray(result.content) ? result.content : [];
  return first?.type === "text" ? first.text : "";
};

describe("toolcrib up, where nobody has configured anything", () => {
  test("gives a page and an endpoint with tools that work, and Ctrl-C leaves nothing", async () => {
    const machine = newMachine({ "notes.txt": "hello from a file\n" });
    const up = await startUpProcess(machine);
    expect(up.document).toMatchObject({ configuration: { from: "default" }, servers: ["sample"] });
    const client = await up.connect();
    await listsUntil(client, (tools) => tools.includes("sample__time_in"));
    expect(await names(client)).toEqual(expect.arrayContaining(["view", "grep", "glob"]));
    expect(await names(client)).not.toContain("create");
    const time = await client.callTool({ name: "sample__time_in", arguments: { zone: "UTC" } });
    expect(JSON.parse(textOf(time))).toMatchObject({ zone: "UTC", offset: "+00:00" });
    const view = await client.callTool({ name: "view", arguments: { path: "notes.txt" } });
    expect(textOf(view)).toContain("hello from a file");
    expect((await client.listResources()).resources).toHaveLength(1);
    expect((await client.listPrompts()).prompts).toHaveLength(1);

    const page = await fetch(up.document.inspector);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
    expect((await fetch(`${up.document.inspector}api/overview`)).status).toBe(401);
    const headers = { Authorization: `Bearer ${up.document.token}` };
    expect((await fetch(`${up.document.inspector}api/overview`, { headers })).status).toBe(200);
    await client.close();
    await up.end();
    expect(leftBehind(machine.home)).toEqual([]);
  });

  test("keeps its token for the next time, where only its owner reads it", async () => {
    const machine = newMachine();
    const first = await startUpProcess(machine);
    await first.end("SIGTERM");
    const second = await startUp(machine);
    expect(second.document.token).toBe(first.document.token);
    const folder = join(machine.home, ".local", "state", "toolcrib", "tokens");
    const file = join(folder, readdirSync(folder)[0] ?? "");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(second.document.audit).mode & 0o777).toBe(0o600);
  });

  test("needs no place to keep a token where one is configured", async () => {
    const machine = newMachine({ "tools.json": config({ gateway: { token: "configured-by-a-person" } }), state: "" });
    // A file where the folder would have to be: nothing can be kept there, not even by root.
    const env = { ...machine.env, XDG_STATE_HOME: join(machine.cwd, "state") };
    const argv = ["--no-audit", "--config", "tools.json"];
    const up = await startUp({ ...machine, env }, ...argv);
    expect(up.document.token).toBe("configured-by-a-person");
    expect(await names(await up.connect())).toContain("view");
    const other = await runHere(["up", "--json", "--port", "0", "--no-audit"], { cwd: machine.cwd, env });
    expect(other.out).toContain("set gateway.token instead");
  });

  test("uses the servers of other products in the home folder, secrets and all, and starts none of the workspace's", async () => {
    const server = misbehaving();
    const entry = { ...server, env: { THE_TOKEN: "a-secret-of-another-product" } };
    const own = { command: process.execPath, args: ["-e", "require('fs').writeFileSync('started','')"] };
    const machine = newMachine({ ".mcp.json": JSON.stringify({ mcpServers: { theirs: own } }) });
    writeFileSync(
      join(machine.home, ".claude.json"),
      JSON.stringify({ mcpServers: { mine: entry, toolcrib: { type: "http", url: "http://127.0.0.1:1/mcp" } } }),
    );
    const up = await startUp(machine, "--include", "mine/env");
    expect(up.document).toMatchObject({
      configuration: { from: "foreign" },
      servers: ["mine"],
      notStarted: [{ name: "theirs" }],
    });
    const client = await up.connect();
    await listsUntil(client, (tools) => tools.includes("mine__env"));
    const env = await client.callTool({ name: "mine__env", arguments: {} });
    expect(JSON.parse(textOf(env)).THE_TOKEN).toBe("a-secret-of-another-product");
    expect(existsSync(join(machine.cwd, "started"))).toBe(false);
  });

  test("uses none of them where a configuration is named, whatever its name", async () => {
    const machine = newMachine({ "mine.yaml": config({}) });
    writeFileSync(join(machine.home, ".claude.json"), JSON.stringify({ mcpServers: { theirs: misbehaving() } }));
    const up = await startUp(machine, "--config", "mine.yaml");
    expect(up.document).toMatchObject({ configuration: { from: "own", files: ["mine.yaml"] }, servers: [] });
  });
});

describe("a configuration that changes", () => {
  test("is taken over without dropping a client, and a broken one is not", async () => {
    const servers = { it: misbehaving() };
    const machine = newMachine({ user: config({ mcpServers: servers }) });
    const up = await startUp(machine);
    const client = await up.connect();
    await listsUntil(client, (tools) => tools.includes("it__echo") && tools.includes("view"));
    const pid = textOf(await client.callTool({ name: "it__pids", arguments: {} }));

    const wider = config({ mcpServers: { ...servers, more: misbehaving() }, excludeTools: ["view"] });
    machine.write("user", wider);
    await up.says(/Configuration reloaded: server more added/);
    await listsUntil(client, (tools) => tools.includes("more__echo") && !tools.includes("view"));
    expect(textOf(await client.callTool({ name: "it__pids", arguments: {} }))).toBe(pid);

    machine.write("user", 'excludeTools: [view]\nmcpServers: { it: "no" }\n');
    expect(await up.says(/previous one stays: .*/)).toContain("config.yaml:2");
    expect(await names(client)).toContain("more__echo");
    machine.write("user", wider);
    await up.says(/Configuration reloaded: it is as it was before/);

    machine.write("user", config({ mcpServers: servers }));
    await up.says(/server more removed/);
    await listsUntil(client, (tools) => !tools.includes("more__echo") && tools.includes("view"));
    await client.close();
    await up.end();
    expect(leftBehind(machine.home)).toEqual([]);
  });

  test("says what counts only after a restart, and goes on where it is", async () => {
    const machine = newMachine({ user: config({}) });
    const up = await startUp(machine);
    machine.write("user", config({ gateway: { host: "0.0.0.0", port: 9 } }));
    const { origin } = new URL(up.document.endpoint);
    expect(await up.says(/Configuration reloaded: .*/)).toBe(
      `Configuration reloaded: gateway.host "0.0.0.0" counts after a restart, which needs --allow-remote, and until then it listens on ${origin}.`,
    );
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });

  test("takes a token away at once", async () => {
    const gateway = { clients: [{ token: "the-token-of-the-robot", include: ["view"] }] };
    const machine = newMachine({ user: config({ gateway }) });
    const up = await startUp(machine);
    const ask = async (): Promise<number> => {
      const headers = {
        authorization: "Bearer the-token-of-the-robot",
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      };
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "robot", version: "1" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      return (await fetch(up.document.endpoint, { method: "POST", headers, body })).status;
    };
    expect(await ask()).toBe(200);
    machine.write("user", config({ gateway: { clients: [] } }));
    await up.says(/Configuration reloaded/);
    expect(await ask()).toBe(401);
  });
});

describe("where it listens", () => {
  test("a port that somebody asked for and that is taken is an error with the reason", async () => {
    const machine = newMachine();
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo; // It listens on a port.
    const { status, err } = await runHere(["up", "--port", String(port)], machine);
    expect(status).toBe(3);
    expect(err).toContain(`127.0.0.1:${port} is in use`);
    expect(leftBehind(machine.home)).toEqual([]);
  });

  test("an address that others can reach has to be meant", async () => {
    const machine = newMachine();
    const { status, err } = await runHere(["up", "--port", "0", "--host", "0.0.0.0"], machine);
    expect(status).toBe(2);
    expect(err).toContain("--allow-remote");
  });
});

describe("ending", () => {
  test("a running call is let end; told again, the process ends at once", async () => {
    const machine = newMachine({ user: config({ mcpServers: { it: misbehaving() } }) });
    const up = await startUpProcess(machine);
    const client = await up.connect();
    await listsUntil(client, (tools) => tools.includes("it__hang"));
    const hanging = client.callTool({ name: "it__hang", arguments: {} }).catch((error: unknown) => error);
    await client.callTool({ name: "it__echo", arguments: { text: "the other one runs by now" } });
    const ended = once(up.child, "close");
    up.child.kill("SIGINT");
    // It has stopped listening and waits for the call.
    await vi.waitUntil(
      () =>
        fetch(`${up.document.inspector}healthz`).then(
          () => false,
          () => true,
        ),
      10_000,
    );
    up.child.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    await hanging;
    await vi.waitUntil(() => leftBehind(machine.home).length === 0, 10_000);
  });
});

describe("--write", () => {
  /** A machine with `toolcrib` on the path. */
  function installed(files: Readonly<Record<string, string>>) {
    const machine = newMachine(files);
    const bin = join(machine.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "toolcrib"), "#!/bin/sh\n", { mode: 0o755 });
    return { ...machine, env: { ...machine.env, PATH: `${bin}:${process.env.PATH}` } };
  }
  const FOLDER = ["--workspace", "$" + "{workspaceFolder}"];

  test("puts connect into clients' files, without a secret, and leaves everything else in them", async () => {
    const machine = installed({
      ".mcp.json": '{\n\t"mcpServers": { "other": { "command": "x" } },\n\t"more": [1]\n}\n',
      ".cursor/mcp.json": "",
    });
    const up = await startUp(machine, "--write", "claude,vscode", "--write", "cursor");
    const read = (file: string) => JSON.parse(readFileSync(join(machine.cwd, file), "utf8"));
    expect(read(".mcp.json")).toEqual({
      mcpServers: { other: { command: "x" }, toolcrib: { type: "stdio", command: "toolcrib", args: ["connect"] } },
      more: [1],
    });
    expect(readFileSync(join(machine.cwd, ".mcp.json"), "utf8")).toContain('\n\t"more"');
    const entry = { command: "toolcrib", args: ["connect", ...FOLDER] };
    expect(read(".vscode/mcp.json")).toEqual({ servers: { toolcrib: { type: "stdio", ...entry } } });
    expect(read(".cursor/mcp.json")).toEqual({ mcpServers: { toolcrib: entry } });
    for (const file of [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"]) {
      const text = readFileSync(join(machine.cwd, file), "utf8");
      for (const own of [up.document.token, new URL(up.document.endpoint).port, machine.home])
        expect(text).not.toContain(own);
    }
  });

  test("keeps comments and the way a file is written", async () => {
    const text = '{\n  // mine\n  "servers": { "a": { "args": ["x", "y"] } },\n}\n';
    const machine = installed({ ".vscode/mcp.json": text });
    await startUp(machine, "--write", "vscode");
    const after = readFileSync(join(machine.cwd, ".vscode", "mcp.json"), "utf8");
    expect(after).toContain('{\n  // mine\n  "servers": { "a": { "args": ["x", "y"] },');
    expect(after).toContain('"connect"');
  });

  test("says when both stay, moves servers on demand, and puts everything back", async () => {
    const texts = {
      ".mcp.json": '{ "mcpServers": { "files": { "command": "f", "args": ["."] }, "shared": { "command": "s" } } }\n',
      ".cursor/mcp.json": '{ "mcpServers": { "shared": { "command": "s" } } }\n',
    };
    const machine = installed(texts);
    const detached = (...argv: readonly string[]) => runBuilt(["up", "--detach", "--port", "0", ...argv], machine);
    onTestFinished(async () => void (await runHere(["down"], machine)));
    const both = await detached("--write", "claude");
    expect(both.out).toContain(".mcp.json also has files, shared");
    await runHere(["down"], machine);
    expect((await runHere(["up", "--undo"], machine)).status).toBe(0);

    const moved = await detached("--write", "claude,cursor", "--move");
    expect(moved.out).toContain("Moved files, shared into toolcrib.yaml");
    const read = (file: string) => readFileSync(join(machine.cwd, file), "utf8");
    expect(Object.keys(JSON.parse(read(".mcp.json")).mcpServers)).toEqual(["toolcrib"]);
    expect(Object.keys(JSON.parse(read(".cursor/mcp.json")).mcpServers)).toEqual(["toolcrib"]);
    expect(read("toolcrib.yaml")).toMatch(/files:[\s\S]*shared:/);

    expect(await runHere(["up", "--undo"], machine)).toMatchObject({ status: 0 });
    for (const [file, text] of Object.entries(texts)) expect(read(file)).toBe(text);
    expect(existsSync(join(machine.cwd, "toolcrib.yaml"))).toBe(false);
  });

  test("puts back what several --write changed, and loses nothing that was changed since", async () => {
    const machine = installed({ ".mcp.json": '{ "mcpServers": { "files": { "command": "f" } } }\n' });
    const path = (file: string) => join(machine.cwd, file);
    const read = (file: string) => JSON.parse(readFileSync(path(file), "utf8")).mcpServers;
    onTestFinished(async () => void (await runHere(["down"], machine)));
    await runBuilt(["up", "--detach", "--port", "0", "--write", "cursor"], machine);
    const beside = await runBuilt(["up", "--write", "claude", "--move"], machine);
    expect(beside).toMatchObject({ status: 0, out: expect.stringContaining("already (process") });
    const says = async () => (await runHere(["status"], machine)).out;
    await expect.poll(says, { timeout: 30_000, interval: 250 }).toContain("toolcrib trust --only files");
    const { toolcrib } = read(".mcp.json");
    writeFileSync(path(".mcp.json"), JSON.stringify({ mcpServers: { toolcrib, later: { command: "l" } } }));
    writeFileSync(path("toolcrib.yaml"), `${readFileSync(path("toolcrib.yaml"), "utf8")}# mine\n`);
    const { out } = await runHere(["up", "--undo"], machine);
    expect(out).toContain("Put back .cursor/mcp.json.");
    expect(out).toContain("Took toolcrib connect out of .mcp.json");
    expect(out).toContain("toolcrib.yaml has been changed since, so it stays as it is.");
    expect(existsSync(path(".cursor/mcp.json"))).toBe(false);
    expect(read(".mcp.json")).toEqual({ files: { command: "f" }, later: { command: "l" } });
  });

  test("says which servers the client goes on starting from the home folder", async () => {
    const machine = installed({});
    const entry = misbehaving();
    writeFileSync(join(machine.home, ".claude.json"), JSON.stringify({ mcpServers: { mine: entry } }));
    onTestFinished(async () => void (await runHere(["down"], machine)));
    const { out } = await runBuilt(["up", "--detach", "--port", "0", "--write", "claude,cursor"], machine);
    expect(out).toContain("~/.claude.json also has mine: claude goes on starting them by itself");
    expect(out).not.toContain("cursor goes on");
  });

  test("writes none of the files when one of them cannot be changed", async () => {
    const text = '{ "servers": nothing }\n';
    const machine = newMachine({ ".vscode/mcp.json": text });
    const { status, err } = await runHere(["up", "--port", "0", "--write", "claude,vscode,cursor"], machine);
    expect(status).toBe(3);
    expect(err).toContain("nothing was written");
    expect(readFileSync(join(machine.cwd, ".vscode", "mcp.json"), "utf8")).toBe(text);
    expect([".mcp.json", ".cursor/mcp.json"].filter((file) => existsSync(join(machine.cwd, file)))).toEqual([]);
    expect(leftBehind(machine.home)).toEqual([]);
  });
});

describe("toolcrib audit, after up", () => {
  test("shows who called what, and that nothing was changed", async () => {
    const machine = newMachine({
      user: config({ mcpServers: { it: misbehaving() }, permissions: { deny: ["it/env"] } }),
    });
    const up = await startUp(machine);
    const client = await up.connect();
    await listsUntil(client, (tools) => tools.includes("it__echo"));
    await client.callTool({ name: "it__echo", arguments: { text: "hi", password: "hunter2-hunter2" } });
    await client.close();
    await up.end();
    const cli = (...argv: readonly string[]) => runHere(["audit", ...argv], machine);
    const { out } = await cli("--tool", "it__*", "--json");
    expect(JSON.parse(out)).toMatchObject({
      type: "call",
      tool: "it__echo",
      principal: "main",
      arguments: { text: "hi", password: "[hidden]" },
      decision: { decision: "allow", code: "permission.client" },
      result: "success",
    });
    expect((await cli("--since", "1h")).out).toContain("it/echo  success");
    expect(await cli("--verify")).toMatchObject({ status: 0, out: expect.stringContaining("as they were written") });
    const text = readFileSync(up.document.audit, "utf8");
    writeFileSync(up.document.audit, text.replace('"text":"hi"', '"text":"ho"'));
    const broken = await cli("--verify");
    expect(broken.status).toBe(1);
    expect(broken.out).toMatch(/audit\.jsonl:\d+ was changed after it was written/);
  });

  test("--follow prints rows as they come", async () => {
    const machine = newMachine({ user: config({ mcpServers: { it: misbehaving() } }) });
    const up = await startUp(machine);
    const client = await up.connect();
    await listsUntil(client, (tools) => tools.includes("it__echo"));
    const following = startCli(["audit", "--follow", "--json", "--tool", "it__echo"], machine);
    const finished = finish(following);
    onTestFinished(() => void following.kill("SIGKILL"));
    let printed = "";
    following.stdout?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    // It tells only of what is called after it has begun to follow.
    const isPrinted = async (): Promise<boolean> => {
      await client.callTool({ name: "it__echo", arguments: { text: "again" } });
      return printed !== "";
    };
    await vi.waitUntil(isPrinted, 50_000);
    expect(printed).toMatch(/^\{.*"tool":"it__echo"/);
    following.kill("SIGINT");
    await finished;
  });
});
