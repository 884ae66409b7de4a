import { describe, expect, test } from "vitest";
import type {
  ApprovalView,
  CallView,
  ChangeView,
  Choices,
  Overview,
  SearchView,
  ServerView,
  ToolsetView,
  ToolView,
  TryView,
  UsageView,
  WhatIf,
  WhyView,
} from "../../src/surfaces/http/api/api.ts";
import { runCli } from "../support/run-cli.ts";
import { CLIENT_TOKEN, openDoor, TOKEN } from "./door.ts";
import { entry, openInspector } from "./inspector.ts";

const AGENTS = [{ name: "reviewer", description: "reads", tools: ["view", "grep"] }];
const SERVED = { mcpServers: { it: entry() }, permissions: { allow: ["it/*"] }, agents: AGENTS };

describe("toolsets", () => {
  test("say what the command line says, with the gates that pass", async () => {
    const { json, place } = await openInspector({ excludeTools: ["web"], agents: AGENTS });
    const { tools, gates, tokens, contextWindow } = await json<ToolsetView>("/api/toolset");
    const said = await runCli(["list", "--json"], {
      cwd: place.cwd,
      env: { HOME: place.home, PATH: process.env.PATH ?? "" },
    });
    const listed = JSON.parse(said.out).tools;
    const kept = (row: ToolView) => ({ ...row, trace: row.trace.filter((line) => line.verdict !== "pass") });
    expect(tools.map(kept)).toMatchObject(listed);
    expect(gates).toContain("filter");
    const web = tools.find((tool) => tool.name === "web_fetch");
    expect(web).toMatchObject({ standing: "hidden" });
    expect(web?.trace.find((line) => line.gate === "filter")).toMatchObject({
      verdict: "hide",
      code: "filter.excluded",
    });
    expect(web?.trace.find((line) => line.gate === "mode")).toEqual({
      gate: "mode",
      verdict: "pass",
      code: null,
      text: null,
      origin: null,
    });
    const view = tools.find((tool) => tool.name === "view");
    expect(view?.trace.map((line) => line.gate)).toEqual(gates);
    const sum = tools.filter((tool) => tool.standing === "visible").reduce((all, one) => all + one.tokens, 0);
    expect(tokens.visible).toBe(sum);
    expect(contextWindow).toBe(200_000);
  });

  test("what-if answers for another agent, model, mode and filter, and changes nothing", async () => {
    const { json, crib } = await openInspector(SERVED);
    const now = crib.main.toolset;
    const asked = await json<WhatIf>("/api/what-if?agent=reviewer");
    const edit = asked.changes.find((change) => change.name === "edit");
    expect(edit).toEqual({ name: "edit", before: "visible", after: "hidden", gates: ["agent"] });
    expect(asked.toolset.tools.find((tool) => tool.name === "view")).toMatchObject({ standing: "visible" });
    const planning = await json<WhatIf>("/api/what-if?mode=plan&exclude=grep,%20glob");
    expect(planning.changes).toContainEqual(
      expect.objectContaining({ name: "edit", after: "hidden", gates: expect.arrayContaining(["mode"]) }),
    );
    expect(planning.changes).toContainEqual(
      expect.objectContaining({ name: "grep", after: "hidden", gates: ["filter"] }),
    );
    const patching = await json<ToolsetView>("/api/toolset?model=gpt-5");
    expect(patching.contextWindow).toBe(400_000);
    expect(patching.tools.find((tool) => tool.name === "edit")).toMatchObject({ standing: "hidden" });
    expect(crib.main.toolset).toBe(now);
    expect((await json<WhatIf>("/api/what-if")).changes).toEqual([]);
  });

  test("what-if for somebody who has come in leaves out what their profile does, and says why (O6)", async () => {
    const issuer = "https://idp.example.com";
    const caller = { issuer, subject: "alice", groups: ["eng"], claims: [], name: "Alice", email: null };
    const gateway = {
      publicUrl: "https://tools.example.com",
      profiles: { readers: { exclude: ["grep"] } },
      auth: { login: { issuer, clientId: "g" }, people: [{ group: ["eng"], profile: "readers" }] },
    };
    const people = [{ caller, since: 1, seen: 2, ended: null }];
    const { json, door } = await openInspector({ ...SERVED, gateway }, { people });
    const name = "alice@idp.example.com";
    expect((await json<Choices>("/api/choices")).people).toEqual([name]);
    const { changes, toolset } = await json<WhatIf>(`/api/what-if?person=${name}`);
    expect(changes).toEqual([{ name: "grep", before: "visible", after: "hidden", gates: ["filter"] }]);
    const line = toolset.tools.find((tool) => tool.name === "grep")?.trace.find(({ gate }) => gate === "filter");
    expect(line?.text).toContain('people group "eng" gives profile "readers"');
    expect((await door.ask("/api/what-if?person=mallory")).status).toBe(404);
  });

  test("what-if of an only tool of a server keeps the rest with its reason", async () => {
    const { json } = await openInspector(SERVED);
    const { toolset } = await json<WhatIf>("/api/what-if?include=it/echo");
    const shown = toolset.tools.filter((tool) => tool.standing === "visible").map((tool) => tool.id);
    expect(shown).toEqual(["it/echo"]);
  });

  test("what-if lifts nothing that managed policy says", async () => {
    const { json } = await openInspector(SERVED, {
      policy: "includeTools: [view, grep]\npermissions: { mode: plan }\n",
    });
    const { toolset } = await json<WhatIf>("/api/what-if?include=view,create,it/echo&mode=bypass");
    const shown = toolset.tools.filter((tool) => tool.standing !== "hidden").map((tool) => tool.name);
    expect(shown).toEqual(["view"]);
  });

  test("a client's toolset is what that client sees, and stays so under a what-if", async () => {
    const { json, crib, clients } = await openInspector(SERVED);
    const session = await crib.openView({
      profile: {
        principal: "ci",
        key: "main",
        agent: "reviewer",
        code: null,
        rules: null,
        usageLimits: [],
        caller: null,
        limits: [],
        asked: { agent: null, include: null, exclude: [], code: null },
      },
      label: "ci",
      client: null,
      clientName: "cursor-vscode",
      approve: null,
    });
    clients.push({
      sessionId: session.id,
      label: "ci",
      principal: "ci",
      era: "modern",
      agent: "reviewer",
      since: 1,
      calls: 2,
      isHere: true,
    });
    const { clients: shown } = await json<Overview>("/api/overview");
    const gets = expect.stringMatching(/^"cursor-vscode" searches by itself, so it gets every tool \(known client/);
    expect(shown).toEqual([
      {
        id: session.id,
        label: "ci",
        principal: "ci",
        era: "modern",
        agent: "reviewer",
        since: 1,
        calls: 2,
        gets,
        machine: null,
      },
    ]);
    const standing = async (query: string, name: string) =>
      (await json<ToolsetView>(`/api/toolset?client=${session.id}${query}`)).tools.find((tool) => tool.name === name)
        ?.standing;
    expect(await standing("", "edit")).toBe("hidden");
    expect(await standing("&mode=accept-edits", "edit")).toBe("hidden");
    expect(await standing("&mode=accept-edits", "view")).toBe("visible");
    await expect(json<ToolsetView>("/api/toolset?client=gone")).rejects.toThrow("404");
  });

  test.each([
    ["mode=reckless", 400, "http.invalid-request"],
    ["agent=nobody", 422, "agent.unknown"],
  ])("a what-if of %s is a clear no", async (query, status, code) => {
    const { door } = await openInspector({ agents: AGENTS });
    const answer = await door.ask(`/api/what-if?${query}`);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code } });
  });
});

describe("why, search and world", () => {
  test("why tells every reason, the fix and the definition", async () => {
    const { json, door } = await openInspector({ ...SERVED, excludeTools: ["it/echo"] });
    const { tools, query } = await json<WhyView>("/api/why/it%2Fecho");
    expect(query).toBe("it/echo");
    expect(tools).toHaveLength(1);
    expect(tools[0]).toMatchObject({ id: "it/echo", server: "it", standing: "hidden", toSee: expect.any(String) });
    expect(tools[0]?.reasons).toContainEqual(
      expect.objectContaining({ gate: "filter", code: "filter.excluded", fix: expect.any(String) }),
    );
    expect(tools[0]?.inputSchema).toMatchObject({ type: "object" });
    expect((await json<WhyView>("/api/why/it/echo")).tools).toEqual(tools);
    const unknown = await door.ask("/api/why/ecko");
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: "tool.not-found" } });
    expect((await door.ask("/api/why/%E0%A4%A")).status).toBe(400);
  });

  test("search has scores, best first, and names have none", async () => {
    const { json } = await openInspector({ agents: AGENTS });
    const found = await json<SearchView>("/api/search?q=search%20text%20in%20files&limit=3");
    expect(found.tools.length).toBeGreaterThan(0);
    expect(found.tools.length).toBeLessThanOrEqual(3);
    const scores = found.tools.map((tool) => tool.score);
    expect(scores).toEqual([...scores].sort((a, b) => Number(b) - Number(a)));
    expect(found.text).toContain(found.tools[0]?.name);
    const named = await json<SearchView>("/api/search?q=select:view");
    expect(named.tools).toMatchObject([{ name: "view", score: null }]);
    expect((await json<SearchView>("/api/search")).tools).toEqual([]);
  });

  test("the world asks the same question elsewhere, and holds no secret", async () => {
    const { json, door, place } = await openInspector(
      {
        mcpServers: {
          it: entry({ args: [...entry().args, "--token", "${SECRET}"], env: { KEY: "${SECRET}" } }),
          far: {
            type: "http",
            url: "http://127.0.0.1:9/${SECRET}/mcp?key=${SECRET}",
            headers: { Authorization: "Bearer ${SECRET}" },
          },
        },
        excludeTools: ["web"],
      },
      { env: { SECRET: "canary-secret" } },
    );
    const answer = await door.ask("/api/world?mode=plan");
    expect(answer.headers.get("content-disposition")).toContain("attachment");
    const text = await answer.text();
    expect(text).not.toContain("canary");
    expect(text).toContain("${SECRET}");
    place.write("world.json", text);
    const replayed = await runCli(["list", "--json", "--world", "world.json"], { cwd: place.cwd });
    const standings = (tools: readonly ToolView[]) => tools.map(({ id, standing }) => [id, standing]);
    expect(standings(JSON.parse(replayed.out).tools)).toEqual(
      standings((await json<ToolsetView>("/api/toolset?mode=plan")).tools),
    );
  });
});

describe("overview, choices and servers", () => {
  test("tell who is here and what can be asked for", async () => {
    const { json, door, place, crib } = await openInspector({
      ...SERVED,
      toolsets: { mine: ["view"] },
      model: { id: "claude-x" },
    });
    expect(await json<Overview>("/api/overview")).toEqual({
      version: "1.2.3",
      workspace: place.cwd,
      isApp: false,
      endpoint: `${door.origin}/mcp`,
      clients: [],
      agent: null,
      model: "claude-x",
      mode: "default",
      tools: {
        visible: { count: expect.any(Number), tokens: expect.any(Number) },
        deferred: { count: expect.any(Number), tokens: expect.any(Number) },
        hidden: { count: expect.any(Number), tokens: expect.any(Number) },
      },
      contextWindow: 200_000,
      connect: null,
      pinned: null,
      refused: null,
      pinnable: crib.main.toolset.catalog.entries.filter(({ tool }) => tool.server === "it").length,
    });
    const choices = await json<Choices>("/api/choices");
    expect(choices).toMatchObject({ agents: ["reviewer"], servers: ["it"] });
    expect(choices.models[0]).toBe("claude-x");
    expect(choices.models.join()).not.toContain("*");
    expect(choices.modes).toContain("plan");
    expect(choices.toolsets).toContain("mine");
  });

  test("servers are shown with their state, and can be restarted", async () => {
    const { json, post, crib } = await openInspector({
      ...SERVED,
      mcpServers: {
        it: entry(),
        broken: entry({ args: [...entry().args, "exit-at-start"] }),
        absent: { command: "no-such-program-here" },
      },
    });
    const before = JSON.parse((await crib.main.call("it/pids")).textResultForLlm)[0];
    const servers = await json<readonly ServerView[]>("/api/servers");
    expect(servers).toContainEqual(expect.objectContaining({ name: "it", state: "connected", canRestart: true }));
    const broken = servers.find((server) => server.name === "broken");
    expect(broken).toMatchObject({ state: "failed", reason: expect.stringContaining("code 3"), canRestart: true });
    expect(broken?.stderr).toContain("fatal");
    expect(broken?.next).toMatch(/^It said last: .*\. It is tried again by itself\.$/);
    expect(servers.find(({ name }) => name === "absent")).toMatchObject({
      reason: expect.stringContaining('no program "no-such-program-here"'),
      next: expect.stringMatching(/^Install it, or correct its command \(.+\)\. It is tried again by itself\.$/),
    });
    expect(broken?.stderr).not.toContain("\u001b");
    expect(servers.filter((server) => server.kind === "builtin")).toEqual([]);
    expect((await post("/api/servers/it/restart")).status).toBe(204);
    const after = JSON.parse((await crib.main.call("it/pids")).textResultForLlm)[0];
    expect(after).not.toBe(before);
    expect((await post("/api/servers/nobody/restart")).status).toBe(404);
    expect((await post("/api/servers/builtin/restart")).status).toBe(404);
  });
});

describe("calls and approvals", () => {
  test("a call that a client runs itself stands among the others once its hook has asked", async () => {
    const { json, place } = await openInspector({ permissions: { deny: ["Bash(rm:*)"] } });
    const hook = (command: string) => {
      const event = { hook_event_name: "PreToolUse", session_id: "5f3a", cwd: place.cwd, tool_name: "Bash" };
      const stdin = JSON.stringify({ ...event, tool_input: { command }, tool_use_id: command });
      return runCli(["hook", "claude-code"], { cwd: place.cwd, env: { HOME: place.home }, stdin });
    };
    await hook("rm a");
    const calls = async () => json<readonly CallView[]>("/api/calls");
    await expect.poll(calls, { timeout: 10_000 }).toHaveLength(1);
    await hook("make");
    await expect.poll(calls, { timeout: 10_000 }).toHaveLength(2);
    expect(await calls()).toMatchObject([
      { client: "claude-code", arguments: { command: "make" }, decision: { decision: "pass" } },
      {
        ...{ client: "claude-code", session: "5f3a", tool: "Bash", state: "judged", duration: null, result: null },
        decision: { decision: "deny", origin: expect.stringMatching(/config\.yaml:\d+$/) },
      },
    ]);
  });

  test("a call is shown with its client, arguments, decision, timing and result", async () => {
    const { json, view } = await openInspector(SERVED);
    const session = await view("cli of Ann");
    await session.settled(AbortSignal.timeout(30_000));
    await session.call("it/echo", {
      text: "hello\u202e\u0007",
      deep: { list: Array.from({ length: 5_000 }, () => "x".repeat(50)) },
    });
    const [call] = await json<readonly CallView[]>("/api/calls");
    expect(call).toMatchObject({
      client: "cli of Ann",
      tool: "it/echo",
      state: "done",
      decision: { decision: "allow", code: "permission.allowed" },
      result: { type: "success", text: "hello", note: "2 hidden characters or sequences were taken out of the text" },
    });
    expect(call?.arguments).toMatchObject({ text: "hello\\u{202e}\\u{7}" });
    expect(JSON.stringify(call?.arguments).length).toBeLessThan(10_000);
    expect(JSON.stringify(call?.arguments)).toContain("(cut)");
    expect(call?.duration).toBeGreaterThanOrEqual(0);
    expect(call?.started).toBeLessThanOrEqual(Date.now());
  });

  test("what a result of this machine hides is written out", async () => {
    const { json, crib, place } = await openInspector({ permissions: { allow: ["view"] } });
    place.write("odd.txt", "hello\u202e\u0007\n");
    await crib.main.call("view", { path: "odd.txt" });
    const [call] = await json<readonly CallView[]>("/api/calls");
    expect(call?.result?.text).toContain("hello\\u{202e}\\u{7}");
    expect(call?.result).not.toHaveProperty("note");
  });

  test("a call that is refused is shown too, newest first, and never more than a bounded number", async () => {
    const { json, crib } = await openInspector({
      ...SERVED,
      permissions: { deny: ["it/cwd", "Read(.env)"], allow: ["it/echo"] },
    });
    await crib.main.call("it/echo", { text: "1" });
    await crib.main.call("it/cwd", { text: "2" });
    await crib.main.call("view", { path: ".env" });
    const calls = await json<readonly CallView[]>("/api/calls");
    expect(calls.map((call) => [call.tool, call.decision?.decision, call.result?.type])).toEqual([
      ["view", "deny", "denied"],
      ["it/cwd", undefined, "failure"],
      ["it/echo", "allow", "success"],
    ]);
    expect(calls.map((call) => call.arguments)).toEqual([{ path: ".env" }, { text: "2" }, { text: "1" }]);
    for (let at = 0; at < 600; at++) await crib.main.call("nothing");
    expect(await json<readonly CallView[]>("/api/calls")).toHaveLength(500);
  });

  test("an approval lets a waiting call go on, once", async () => {
    const { json, post, crib, view } = await openInspector({
      ...SERVED,
      permissions: { ask: ["it/echo"] },
      gateway: { approvals: "inspector" },
    });
    const session = await view("ci");
    await session.settled(AbortSignal.timeout(30_000));
    const asked = new Promise<void>((resolve) => void crib.approvals.changes(resolve));
    const result = session.call("it/echo", { text: "tag\u{e0041}ged" });
    await asked;
    const [approval] = await json<readonly ApprovalView[]>("/api/approvals");
    expect(approval).toMatchObject({
      client: "ci",
      tool: "it/echo",
      kind: "mcp",
      arguments: { text: "tag\\u{e0041}ged" },
      reason: expect.any(String),
    });
    expect(await json<readonly CallView[]>("/api/calls")).toMatchObject([{ state: "waiting", result: null }]);
    for (const wrong of [
      null,
      {},
      { decision: "yes" },
      { decision: "allow", scope: "forever" },
      { decision: "allow", rule: "*" },
      [],
      "allow",
    ])
      expect((await post(`/api/approvals/${approval?.id}`, wrong)).status, JSON.stringify(wrong)).toBe(400);
    expect(crib.approvals.pending).toHaveLength(1);
    expect((await post(`/api/approvals/${approval?.id}`, { decision: "allow", scope: "once" })).status).toBe(204);
    expect((await result).resultType).toBe("success");
    const late = await post(`/api/approvals/${approval?.id}`, { decision: "allow" });
    expect(late.status).toBe(404);
    expect(await json<readonly ApprovalView[]>("/api/approvals")).toEqual([]);
  });

  test("a denial reaches the model with its reason", async () => {
    const { json, post, crib } = await openInspector({
      ...SERVED,
      permissions: { ask: ["it/echo"] },
      gateway: { approvals: "inspector" },
    });
    const asked = new Promise<void>((resolve) => void crib.approvals.changes(resolve));
    const result = crib.main.call("it/echo", { text: "x" });
    await asked;
    const [approval] = await json<readonly ApprovalView[]>("/api/approvals");
    expect((await post(`/api/approvals/${approval?.id}`, { decision: "deny", reason: "not on Fridays" })).status).toBe(
      204,
    );
    expect((await result).textResultForLlm).toContain("not on Fridays");
  });

  test("changed definitions are listed and approved by their owner", async () => {
    const { json, post, definitions } = await openInspector({});
    const change = {
      ...{ id: "it/echo", server: "it", tool: "echo", kind: "changed" as const, signals: [], diff: [] },
      isOff: false,
    };
    definitions.push(change);
    expect(await json<readonly ChangeView[]>("/api/changes")).toEqual([change]);
    expect((await post("/api/changes/it%2Fecho/approve")).status).toBe(204);
    expect((await post("/api/changes/it%2Fecho/approve")).status).toBe(404);
    expect(await json<readonly ChangeView[]>("/api/changes")).toEqual([]);
  });
});

describe("what people do on the page", () => {
  test("a person tries a tool: the decision, the result, and a row among the calls", async () => {
    const { json, post } = await openInspector({ mcpServers: { it: entry() }, permissions: { allow: ["it/echo"] } });
    const answer = await post("/api/try/it__echo", { arguments: { text: "hello" } });
    expect(answer.status).toBe(200);
    const tried = (await answer.json()) as TryView;
    expect(tried.decision).toMatchObject({ decision: "allow" });
    expect(tried.result).toMatchObject({ type: "success", text: expect.stringContaining("hello") });
    const usage = await json<UsageView>("/api/usage");
    expect(usage.servers).toMatchObject([{ name: "it", calls: 1, errors: 0 }]);
    expect(usage.tools).toMatchObject([{ name: "it/echo", calls: 1 }]);
  });

  test("a call that a rule denies is denied there too", async () => {
    const { post } = await openInspector({ mcpServers: { it: entry() }, permissions: { deny: ["it/echo(text:no)"] } });
    const tried = (await (await post("/api/try/it__echo", { arguments: { text: "no" } })).json()) as TryView;
    expect(tried.result.type).toBe("denied");
  });

  test.each([{}, { arguments: [] }, { arguments: "x" }, null])("%j is no call", async (body) => {
    const { post } = await openInspector({ mcpServers: { it: entry() } });
    expect((await post("/api/try/it__echo", body ?? undefined)).status).toBe(400);
  });

  test("tools and servers are turned off by their names in lists, and unknown ones are not", async () => {
    const { post, switched } = await openInspector({ mcpServers: { it: entry() } });
    expect(await (await post("/api/tools/it__echo/off")).json()).toMatchObject({ isOn: false, line: 2 });
    await post("/api/servers/it/off");
    await post("/api/servers/it/on");
    expect(switched).toEqual(["tool it/echo off", "server it off", "server it on"]);
    expect((await post("/api/tools/nothing/off")).status).toBe(404);
    expect((await post("/api/servers/nothing/off")).status).toBe(404);
    expect((await post("/api/servers/it/sideways")).status).toBe(404);
  });

  test("an overview counts tools and tokens by standing", async () => {
    const { json } = await openInspector({ mcpServers: { it: entry() }, excludeTools: ["it/echo"] });
    const overview = await json<Overview>("/api/overview");
    expect(overview.tools.visible.count).toBeGreaterThan(0);
    expect(overview.tools.hidden).toMatchObject({ count: expect.any(Number), tokens: expect.any(Number) });
    expect(overview.pinned).toBeNull();
  });
});

describe("who may do what", () => {
  test("nothing is changed without JSON, the right method, or the main token", async () => {
    const { door, definitions } = await openInspector({});
    definitions.push({ id: "x", server: "s", tool: "t", kind: "new", signals: [], diff: [], isOff: false });
    const path = "/api/changes/x/approve";
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"])
      expect((await door.ask(path, { method: "POST", headers: { "content-type": type }, body: "{}" })).status).toBe(
        415,
      );
    expect((await door.ask(path, { method: "POST" })).status).toBe(415);
    expect((await door.ask(path)).status).toBe(405);
    expect((await door.ask(path, { method: "DELETE" })).status).toBe(405);
    expect((await door.ask("/api/toolset", { method: "POST" })).status).toBe(405);
    const json = { method: "POST", headers: { "content-type": "application/json" } };
    expect((await door.ask(path, { ...json, token: null })).status).toBe(401);
    expect((await door.ask(path, { ...json, token: CLIENT_TOKEN })).status).toBe(403);
    expect((await door.ask(path, { ...json, body: "{" })).status).toBe(400);
    expect((await door.ask(path, { ...json, body: `"${"x".repeat(100_000)}"` })).status).toBe(413);
    expect((await door.ask(path, { ...json, headers: { ...json.headers, "content-encoding": "gzip" } })).status).toBe(
      415,
    );
    const chunked = await door.raw(
      [
        `POST ${path} HTTP/1.1`,
        "Host: localhost",
        `Authorization: Bearer ${TOKEN}`,
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
        "",
        "18000",
        `"${"x".repeat(0x18000 - 2)}"`,
        "0",
        "",
        "",
      ].join("\r\n"),
    );
    expect(chunked.status).toBe(413);
    expect(definitions).toHaveLength(1);
  });

  test.each(["/api/", "/api/nothing", "/api/approvals/", "/api/toolset/x", "/api/events/x"])(
    "%s is not there",
    async (path) => {
      const { door } = await openInspector({});
      expect([404, 405]).toContain((await door.ask(path)).status);
    },
  );

  test("HEAD has the head of GET and no body", async () => {
    const { door } = await openInspector({});
    const answer = await door.ask("/api/overview", { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a door without an inspector has no data to give", async () => {
    const door = await openDoor();
    expect((await door.ask("/api/overview")).status).toBe(404);
  });

  test("no answer holds a secret of the configuration, the environment or a token", async () => {
    const { door, crib } = await openInspector(
      {
        mcpServers: {
          it: entry({ env: { KEY: "canary-env" }, args: [...entry().args, "--api-key=canary-arg"] }),
          far: {
            type: "http",
            url: "http://user:canary-pass@127.0.0.1:9/mcp?token=canary-query",
            headers: { Authorization: "Bearer canary-header" },
          },
        },
        gateway: { token: TOKEN, clients: [{ token: CLIENT_TOKEN, agent: "reviewer" }] },
        agents: AGENTS,
        permissions: { allow: ["it/*"] },
      },
      { env: { SECRET: "canary-variable" } },
    );
    expect((await crib.main.call("it/env")).textResultForLlm).toContain("canary-env");
    await crib.main.call("it/echo", { text: "Bearer canary-header", password: "canary-word" });
    const scene = "?agent=reviewer&mode=plan&exclude=web";
    for (const path of [
      "overview",
      "choices",
      "toolset",
      `toolset${scene}`,
      `what-if${scene}`,
      "why/*",
      "why/far",
      "search?q=echo",
      "servers",
      "calls",
      "approvals",
      "changes",
      "world",
      `world${scene}`,
    ]) {
      const answer = await door.ask(`/api/${path}`);
      expect(await answer.text(), path).not.toContain("canary");
    }
    expect(await (await door.ask("/metrics")).text()).not.toContain("canary");
  });
});
