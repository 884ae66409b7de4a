import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { openCrib } from "../crib/open-crib.ts";
import { mainProfile, narrowProfile, personProfile } from "../crib/profile.ts";
import { type AuditLog, openAuditLog } from "./audit-log.ts";
import type { AuditRow } from "./audit-row.ts";
import { noteHeldTools } from "./note-held-tools.ts";
import { readAudit, toAuditFilter } from "./read-audit.ts";
import { verifyAudit } from "./verify-audit.ts";

const NEVER = new AbortController().signal;
const verify = (path: string) => verifyAudit(path, NEVER);

async function rowsOf(path: string): Promise<readonly AuditRow[]> {
  const rows: AuditRow[] = [];
  for await (const { row } of readAudit(path, NEVER)) if (row !== null) rows.push(row);
  return rows;
}

async function openLog(path: string | null, more: { fileBytes?: number } = {}): Promise<AuditLog> {
  const log = await openAuditLog({
    path,
    ...more,
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  onTestFinished(() => log.close());
  return log;
}

const SERVER = fileURLToPath(new URL("../../../test/fixtures/misbehaving-server.cjs", import.meta.url));

const reloaded = (at: number) => ({ type: "config.reloaded", text: `reload ${at}` }) as const;

/** A log of three runs, closed. */
async function written(): Promise<string> {
  const path = join(tempWorkspace().project, "logs", "audit.jsonl");
  for (let run = 0; run < 3; run += 1) {
    const log = await openLog(path);
    for (let at = 0; at < 5; at += 1) log.note(reloaded(at));
    await log.close();
  }
  return path;
}

describe("a log", () => {
  test("is one chain over all runs, readable by its owner alone", async () => {
    const path = await written();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const rows = await rowsOf(path);
    expect(rows.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6]);
    for (const [at, row] of rows.slice(1).entries()) expect(row.prev).toBe(rows[at]?.hash);
    expect(await verify(path)).toEqual({ rows: 21, runs: 3, open: 0, hasHead: true, problems: [] });
  });

  test("names the row of which one byte was flipped, wherever that is", async () => {
    const path = await written();
    const whole = readFileSync(path);
    const line = (offset: number) => whole.subarray(0, offset).filter((byte) => byte === 0x0a).length + 1;
    for (let offset = 7; offset < whole.length - 1; offset += 53) {
      const changed = Buffer.from(whole);
      changed[offset] = (changed[offset] ?? 0) ^ 1;
      writeFileSync(path, changed);
      const lines = (await verify(path)).problems.map((problem) => problem.line);
      expect(lines, `byte ${offset}`).toContain(line(offset));
    }
  });

  test("tells rows that were taken out, moved, put in, or cut off at its end", async () => {
    const path = await written();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const at = (line: number): string => lines[line] ?? "";
    const texts = async (changed: readonly string[]) => {
      writeFileSync(path, `${changed.join("\n")}\n`);
      return (await verify(path)).problems.map(({ line, text }) => `${line}: ${text}`);
    };
    expect(await texts(lines)).toEqual([]);
    expect(await texts(lines.toSpliced(3, 1))).toEqual([expect.stringMatching(/^4: .*missing or moved/)]);
    expect(await texts(lines.toSpliced(3, 2, at(4), at(3)))).not.toEqual([]);
    expect(await texts(lines.toSpliced(3, 0, at(2)))).not.toEqual([]);
    expect(await texts(lines.slice(7))).toEqual([
      expect.stringContaining("earlier rows are missing"),
      expect.stringMatching(/all rows of run \w+ are missing/),
    ]);
    expect(await texts(lines.slice(0, -2))).toEqual([expect.stringContaining("the last 2 rows")]);
    expect(await texts(lines.slice(0, 14))).toEqual([expect.stringContaining("all rows of run")]);
  });

  test("tells a row that was written again with a hash of its own, by the row behind it", async () => {
    const path = await written();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const [front = ""] = (lines[3] ?? "").split(',"hash":"');
    const forged = `${front.replace("reload 2", "reload 7")}}`;
    const hash = createHash("sha256").update(forged).digest("hex");
    writeFileSync(path, `${lines.with(3, `${forged.slice(0, -1)},"hash":"${hash}"}`).join("\n")}\n`);
    expect((await verify(path)).problems).toEqual([{ line: 5, text: "does not follow from the row before it" }]);
  });

  test("goes on after a row that was torn, and says so", async () => {
    const path = await written();
    truncateSync(path, statSync(path).size - 40);
    expect((await verify(path)).problems[0]).toMatchObject({ line: 21 });
    const log = await openLog(path);
    log.note(reloaded(9));
    await log.close();
    const { problems } = await verify(path);
    expect(problems).toEqual([{ line: null, text: expect.stringContaining("the last 1 rows") }]);
    expect((await rowsOf(path)).map(({ type }) => type).slice(-4)).toEqual([
      "log.opened",
      "log.torn",
      "config.reloaded",
      "log.closed",
    ]);
  });

  test("is shared by programs that write at the same time", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const logs = await Promise.all([openLog(path), openLog(path), openLog(path)]);
    for (let at = 0; at < 50; at += 1) {
      for (const log of logs) log.note(reloaded(at));
      if (at % 10 === 0) await Promise.all(logs.map((log) => log.flush()));
    }
    await Promise.all(logs.map((log) => log.close()));
    expect(await verify(path)).toMatchObject({ runs: 3, open: 0, problems: [] });
  });

  test("begins another file when one is full, and keeps only a few", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const log = await openLog(path, { fileBytes: 1_000 });
    for (let at = 0; at < 30; at += 1) {
      for (let more = 0; more < 4; more += 1) log.note(reloaded(at));
      await log.flush();
    }
    await log.close();
    const files = readdirSync(join(path, "..")).filter((name) => /^audit\.jsonl(?:\.\d+)?$/.test(name));
    expect(files).toHaveLength(5);
    for (const file of files) expect((await verify(join(path, "..", file))).problems, file).toEqual([]);
  });

  test("holds no byte that a terminal would obey or hide", async () => {
    const path = join(tempWorkspace().project, "audit.jsonl");
    const log = await openLog(path);
    log.note({ type: "tool.quarantined", text: "a\u001b[31mb\u202ec\u009bd\u0000e\u200bf\nx" });
    await log.close();
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/^[\n -~]*$/);
    expect((await rowsOf(path))[1]).toMatchObject({ text: "a\u001b[31mb\u202ec\u009bd\u0000e\u200bf\nx" });
    expect((await verify(path)).problems).toEqual([]);
  });

  test("stays as large as it may in memory", async () => {
    const log = await openLog(null);
    for (let at = 0; at < 5_000; at += 1) log.note(reloaded(at));
    expect(log.recent).toHaveLength(1_000);
    expect(log.recent.at(-1)).toMatchObject({ text: "reload 4999" });
  });

  test("takes lines that are no rows for what they are", async () => {
    const path = await written();
    appendFileSync(path, '{"not":"a row"}\n');
    expect((await verify(path)).problems).toEqual([expect.objectContaining({ line: 22 })]);
    expect(await verify(join(path, "..", "nothing"))).toMatchObject({ rows: 0, problems: [] });
  });
});

describe("calls in the log", () => {
  async function world(config: object, more: Readonly<Record<string, string>> = {}) {
    const place = createWorkspace({ user: JSON.stringify({ builtins: "all", ...config }) });
    const path = join(place.root, "audit.jsonl");
    const log = await openLog(path);
    const env = { PATH: process.env.PATH, ...more };
    const loaded = await place.load({}, env);
    log.hide(loaded);
    const { cwd, home } = place;
    const crib = await openCrib(loaded, {
      ...{ version: "1", cwd, home, env, workspace: cwd, drain: 0 },
      isWatched: () => false,
      watch: log.watch,
    });
    onTestFinished(() => crib.close());
    const open = (narrow: object = {}, profile = mainProfile()) =>
      crib.openView({
        profile: narrowProfile(profile, narrow),
        label: "tester",
        client: null,
        approve: async () => ({ decision: "allow" }),
      });
    const calls = async () => {
      await log.flush();
      return (await rowsOf(path)).filter((row) => row.type === "call");
    };
    return { place, log, path, crib, open, calls, loaded };
  }

  test("every call has its row, whether it ran, was refused or was never there", async () => {
    const { open, calls, path } = await world({ permissions: { deny: ["Write(b.txt)"], ask: ["Write(a.txt)"] } });
    const session = await open();
    await session.call("create", { path: "a.txt", content: "a" }, { id: "1" });
    await session.call("create", { path: "b.txt", content: "b" }, { id: "2" });
    await session.call("nothing", { x: 1 }, { id: "3" });
    await session.call("view", { path: "a.txt" }, { id: "4", signal: AbortSignal.abort() });
    const who = { session: session.id, client: "tester", principal: "main" };
    expect(await calls()).toMatchObject([
      {
        ...who,
        call: "1",
        tool: "create",
        arguments: { path: "a.txt", content: "a" },
        decision: { decision: "allow", code: "permission.approved", by: "the user of tester" },
        result: "success",
        cancelledBy: null,
      },
      {
        call: "2",
        arguments: { path: "b.txt", content: "b" },
        decision: { decision: "deny", code: "permission.denied", origin: expect.stringContaining("config.yaml:1") },
        result: "denied",
      },
      { call: "3", tool: "nothing", decision: null, result: "failure" },
      { call: "4", cancelledBy: "user" },
    ]);
    expect((await verify(path)).problems).toEqual([]);
  });

  test("of a person name the person, their client, what gave them their profile, and what they were judged under", async () => {
    const people = [{ group: ["eng"], profile: "engineers" }];
    const { open, calls, loaded } = await world({
      permissions: { allow: ["create"] },
      gateway: {
        publicUrl: "https://tools.example.com",
        profiles: { engineers: { exclude: ["web/*"] } },
        auth: { issuers: [{ issuer: "https://idp.example.com" }], people },
      },
    });
    const caller = { issuer: "https://idp.example.com", subject: "alice", client: "c1", groups: ["eng"], claims: [] };
    const session = await open({}, personProfile(loaded, { ...caller, name: "Alice", email: "a@x" }));
    await session.call("create", { path: "a.txt", content: "a" }, { id: "1" });
    const [row] = await calls();
    expect(row).toMatchObject({
      principal: "alice@idp.example.com",
      person: {
        ...{ issuer: "https://idp.example.com", subject: "alice", client: "c1" },
        profiles: [{ name: "engineers", found: 'people group "eng"' }],
      },
      judged: { policy: expect.stringMatching(/^[0-9a-f]{32}$/), list: session.toolset.catalog.hash },
    });
    expect(JSON.stringify(row)).not.toMatch(/Alice|a@x/);
  });

  test.each([
    ["inspector", { result: "denied", decision: { decision: "deny", code: "permission.no-handler" } }],
    ["client", { result: "success", decision: { decision: "allow", code: "permission.client" } }],
  ])(
    "what a model decided about a call stands in its row, where the %s is asked next",
    async (approvals, otherwise) => {
      const judge = createServer(async (request, response) => {
        const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
        const mark = /\\"mark\\": \\"([^"\\]+)/.exec(JSON.stringify(body.messages))?.[1];
        const asked = JSON.parse(body.messages.at(-1).content[0].text ?? body.messages.at(-1).content);
        const verdict = asked.arguments.path === "a.txt" ? "safe" : asked.arguments.path === "b.txt" ? "unsafe" : "hm";
        const message = { role: "assistant", content: JSON.stringify({ mark, verdict, reason: "so it seems" }) };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: "stop", message }] }));
      });
      await new Promise<void>((listening) => judge.listen(0, "127.0.0.1", listening));
      onTestFinished(() => void judge.close());
      const { port } = judge.address() as AddressInfo; // It listens on a port.
      const setting = { permissions: { classifier: "ollama/judge" }, gateway: { approvals } };
      const { open, calls } = await world(setting, { OLLAMA_HOST: `127.0.0.1:${port}` });
      const session = await open();
      for (const name of ["a", "b", "c"])
        await session.call("create", { path: `${name}.txt`, content: "" }, { id: name });
      const by = { code: "permission.classified", origin: expect.stringMatching(/config\.yaml:1$/) };
      const text = (found: string) => `the classifier (ollama/judge) finds it ${found}: so it seems`;
      expect(await calls()).toMatchObject([
        { call: "a", result: "success", decision: { ...by, decision: "allow", text: text("safe") } },
        { call: "b", result: "denied", decision: { ...by, decision: "deny", text: text("unsafe") } },
        { call: "c", ...otherwise },
      ]);
    },
  );

  test("nothing is told of a call behind its end when it was given up while somebody was asked", async () => {
    const { crib, log, calls } = await world({ permissions: { ask: ["Write(a.txt)"] } });
    const giving = new AbortController();
    const answers: Promise<null>[] = [];
    const session = await crib.openView({
      ...{ profile: mainProfile(), label: "tester", client: null },
      approve(_request, signal) {
        const answer = new Promise<null>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        answers.push(answer);
        giving.abort();
        return answer;
      },
    });
    const told: string[] = [];
    session.on("*", ({ type }) => void (/^(?:permission|tool)/.test(type) && told.push(type)));
    await session.call("create", { path: "a.txt", content: "a" }, { id: "1", signal: giving.signal });
    await Promise.allSettled(answers);
    await log.flush();
    expect(told).toEqual(["tool.execution_start", "permission.requested", "tool.execution_complete"]);
    expect(await calls()).toMatchObject([{ call: "1", decision: null, cancelledBy: "user" }]);
  });

  test("arguments that nobody can write down cost no more than themselves", async () => {
    const { open, calls, path } = await world({});
    const session = await open();
    const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    await session.call("think", deep, { id: "1" });
    await session.call("nothing", { deep }, { id: "2" });
    await session.call("think", { thought: "on" }, { id: "3" });
    const text = "(not shown: they are nested more than 64 levels deep)";
    expect(await calls()).toMatchObject([
      { call: "1", arguments: text, result: "failure" },
      { call: "2", arguments: text, result: "failure" },
      { call: "3", arguments: { thought: "on" }, result: "success" },
    ]);
    expect((await verify(path)).problems).toEqual([]);
  });

  test("secrets stay out: configured ones, telling names, and what looks like one", async () => {
    const { open, calls, path, log } = await world({
      gateway: { token: "the-gateways-own-token" },
      mcpServers: {
        off: {
          url: "https://example.invalid/?key=in-the-address-1",
          headers: { X: "header-secret-1" },
          enabled: false,
        },
      },
    });
    const session = await open();
    const looks = `ghp_${"a".repeat(36)}`;
    await session.call("think", {
      thought: `the-gateways-own-token and header-secret-1, in-the-address-1, ${looks}, https://me:pass-word@host/x`,
      password: "hunter2",
      nested: [{ apiKey: 12345, max_tokens: 5 }],
    });
    await session.call("think", { thought: "https://h/x?access_token=of-an-address&q=1" });
    await session.call(looks, {});
    log.note({ type: "config.refused", text: "header-secret-1" });
    const [row] = await calls();
    expect(row).toMatchObject({ arguments: { password: "[hidden]", nested: [{ apiKey: "[hidden]", max_tokens: 5 }] } });
    await log.flush();
    const text = readFileSync(path, "utf8");
    for (const secret of [
      "the-gateways-own-token",
      "header-secret-1",
      "in-the-address-1",
      looks,
      "pass-word",
      "hunter2",
      "of-an-address",
    ])
      expect(text).not.toContain(secret);
  });

  test("large arguments are cut, and their digest is that of all of them", async () => {
    const { open, calls } = await world({});
    const session = await open();
    await session.call("think", { thought: "x".repeat(100_000) });
    await session.call("think", { thought: `${"x".repeat(99_999)}y` });
    const rows = await calls();
    expect(rows.map((row) => JSON.stringify(row).length < 6_000)).toEqual([true, true]);
    const [one, two] = rows.map((row) => Reflect.get(row, "argumentsDigest"));
    expect(one).not.toBe(two);
  });

  test("tools that are held back get a row, once", async () => {
    const { cwd, home, load } = createWorkspace({
      user: JSON.stringify({
        builtins: "all",
        mcpServers: { it: { command: process.execPath, args: [SERVER] } },
      }),
    });
    const env = { PATH: process.env.PATH };
    const log = await openLog(null);
    const crib = await openCrib(await load({}, env), {
      ...{ version: "1", cwd, home, env, workspace: cwd, drain: 0 },
      // A lock in which nothing is approved yet.
      pins: { value: new Map(), origin: { kind: "default" } },
    });
    onTestFinished(() => crib.close());
    await crib.main.settled(AbortSignal.timeout(30_000));
    noteHeldTools({ toolset: () => crib.main.toolset, on: crib.main.on }, log);
    const held = crib.main.toolset.placements.filter(({ trace }) => trace.some(({ gate }) => gate === "trust"));
    await crib.reconfigure({ ...crib.config });
    expect(held.length).toBeGreaterThan(5);
    expect(log.recent.filter(({ type }) => type === "tool.quarantined")).toHaveLength(held.length);
  });

  test("filters find rows by tool, client, decision and time", async () => {
    const { open, log, path } = await world({ permissions: { deny: ["Write(b.txt)"] } });
    const session = await open();
    await session.call("view", { path: "." });
    await session.call("create", { path: "b.txt", content: "b" });
    await log.flush();
    const rows = await rowsOf(path);
    const found = (filter: Parameters<typeof toAuditFilter>[0]) =>
      rows.filter(toAuditFilter(filter)).map((row) => (row.type === "call" ? row.tool : row.type));
    expect(found({ tool: "v*" })).toEqual(["view"]);
    expect(found({ tool: "VIEW" })).toEqual(["view"]);
    expect(found({ decision: "deny" })).toEqual(["create"]);
    expect(found({ client: "tester", tool: "*" })).toEqual(["view", "create"]);
    expect(found({ client: "nobody" })).toEqual([]);
    expect(found({ since: Date.now() + 60_000 })).toEqual([]);
  });
});
