import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { ownSurroundings } from "../../system/surroundings.ts";
import { openGrants } from "../permissions/grant-store.ts";
import type { PermissionAnswer, PermissionRequest } from "../permissions/permission-request.ts";
import { openStore } from "../session/stored/stored-sessions.ts";
import type { OpenSession } from "../session/tools/session.ts";
import type { Crib, Profile, ViewOptions } from "./crib.ts";
import { type CribOptions, openCrib } from "./open-crib.ts";
import { clientProfile, mainProfile, narrowProfile } from "./profile.ts";

/** Processes start slowly on a busy machine. */
const SERVER = fileURLToPath(new URL("../../../test/fixtures/misbehaving-server.cjs", import.meta.url));
const entry = (more: object = {}) => ({ command: process.execPath, args: [SERVER], ...more });

async function world(config: object, options: Partial<CribOptions> = {}) {
  const place = createWorkspace({ user: JSON.stringify({ builtins: "all", ...config }) });
  const { cwd, home } = place;
  const env = { PATH: process.env.PATH };
  const crib = await openCrib(await place.load({}, env), {
    version: "1",
    workspace: cwd,
    drain: 0,
    ...{ cwd, home, env },
    ...options,
  });
  onTestFinished(() => crib.close());
  const reload = async (next: object) => {
    place.write("user", JSON.stringify({ builtins: "all", ...next }));
    await crib.reconfigure(await place.load({}, env));
  };
  return { crib, reload, place };
}

const view = (crib: Crib, profile: Profile = mainProfile(), more: Partial<ViewOptions> = {}): Promise<OpenSession> =>
  crib.openView({ profile, label: "test", client: null, approve: null, ...more });

const visible = (session: OpenSession): readonly string[] =>
  session.toolset.placements.filter(({ standing }) => standing !== "hidden").map(({ entry }) => entry.id);

const ready = (session: OpenSession) => session.settled(AbortSignal.timeout(30_000));

async function pidOf(session: OpenSession): Promise<number> {
  await ready(session);
  const { textResultForLlm } = await session.call("it/pids");
  return JSON.parse(textResultForLlm)[0];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("an agent that runs here uses the servers that run, and leaves them to the others", async () => {
  const { crib, place } = await world({ mcpServers: { it: entry() } });
  const { cwd, home } = place;
  const { openAgent } = await import("../session/open-agent.ts");
  const around = { ...ownSurroundings(), cwd };
  const calls = { onPermissionRequest: () => () => ({ decision: "allow" }) as const };
  const own = { version: "1", cwd, home, env: {}, workspace: cwd, ...calls };
  const agent = await openAgent(crib.config, { ...own, open: crib.openSource }, () => ({}), around);
  const pid = await pidOf(crib.main);
  expect(await pidOf(agent.session)).toBe(pid);
  await agent.close();
  expect(await pidOf(crib.main)).toBe(pid);
});

/** A call that a client makes, who orders its calls itself. */
const BEHIND = { behind: {} };

const ALLOWED = { permissions: { allow: ["it/*"] } };

describe("servers of a crib", () => {
  test("are started once for all clients, and outlive each of them", async () => {
    const { crib } = await world({ ...ALLOWED, mcpServers: { it: entry() } });
    const [one, two] = await Promise.all([view(crib), view(crib)]);
    const pid = await pidOf(one);
    expect(await pidOf(two)).toBe(pid);
    await one.close();
    expect(await pidOf(two)).toBe(pid);
    expect(crib.views.map(({ session }) => session)).toEqual([two]);
  });

  test("that only an agent has run while its clients are there, and can be looked at", async () => {
    const agents = [{ name: "a", description: "d", mcpServers: { it: entry() } }];
    const { crib } = await world({ ...ALLOWED, agents }, { grace: 0 });
    const named = () => crib.sources.map(({ name }) => name);
    expect(named()).toEqual(["builtin"]);
    const session = await view(crib, narrowProfile(mainProfile(), { agent: "a" }));
    const pid = await pidOf(session);
    expect(named()).toEqual(["builtin", "it"]);
    await session.close();
    await vi.waitUntil(() => !isRunning(pid), 30_000);
    expect(named()).toEqual(["builtin"]);
  });

  test("that ask for it are started for each client", async () => {
    const { crib } = await world({ ...ALLOWED, mcpServers: { it: entry({ isolation: "client" }) } });
    const [one, two] = await Promise.all([view(crib), view(crib)]);
    expect(await pidOf(one)).not.toBe(await pidOf(two));
  });

  test("are shared by views as many as come and go, and nothing of those stays", async () => {
    const { crib } = await world({ mcpServers: { it: entry() } });
    const before = crib.sources.length;
    for (let turn = 0; turn < 100; turn += 1) await (await view(crib)).close();
    expect(crib.views).toEqual([]);
    expect(crib.sources).toHaveLength(before);
  });
});

test("an approved plan holds when files change, until they say another mode", async () => {
  const planning = { permissions: { mode: "plan", allow: ["exit_plan_mode"] } };
  const { crib, reload } = await world(planning);
  const [one, other] = [await view(crib), await view(crib)];
  const modes = () => [one, other].map(({ toolset }) => toolset.scene.mode.value);
  expect(await one.call("exit_plan_mode", { plan: "1. Change it." })).toMatchObject({ resultType: "success" });
  expect(modes()).toEqual(["default", "plan"]);
  for (const excludeTools of [["think"], ["todo"]]) await reload({ ...planning, excludeTools });
  expect(modes()).toEqual(["default", "plan"]);
  expect(visible(one)).toContain("think");
  expect(visible(one)).not.toContain("todo");
  await reload({ permissions: { mode: "accept-edits" } });
  expect(modes()).toEqual(["accept-edits", "accept-edits"]);
  await reload(planning);
  expect(modes()).toEqual(["plan", "plan"]);
});

describe("what a client is narrowed to", () => {
  const AGENTS = [
    { name: "reader", description: "reads", tools: ["view", "grep"] },
    { name: "writer", description: "writes", tools: ["view", "create"] },
  ];

  test("include lists of token and address both have to name a tool", async () => {
    const clients = [{ token: "t", include: ["view", "grep"] }];
    const { crib } = await world({ gateway: { clients } });
    const [client] = crib.config.gateway.clients;
    if (client === undefined) throw new Error("no client");
    const token = clientProfile(client, "ci");
    expect(visible(await view(crib, token))).toEqual(["grep", "view"]);
    expect(visible(await view(crib, narrowProfile(token, { include: ["view", "create"] })))).toEqual(["view"]);
    expect(visible(await view(crib, narrowProfile(token, { exclude: ["view"] })))).toEqual(["grep"]);
    expect(visible(await view(crib, narrowProfile(token, { include: [] })))).toEqual([]);
  });

  test("naming a tool lifts no exclusion, no matter who made it", async () => {
    const { crib } = await world({
      toolsets: { quiet: ["view", "grep"] },
      excludeTools: ["quiet"],
      defaultAgent: { excludedTools: ["glob"] },
    });
    const narrow = narrowProfile(mainProfile(), { include: ["view", "grep", "glob", "think"] });
    expect(visible(await view(crib, narrow))).toEqual(["think"]);
  });

  test("what it may not see it may not call, by any name", async () => {
    const { crib } = await world({ permissions: { allow: ["view"] } });
    const session = await view(crib, narrowProfile(mainProfile(), { exclude: ["view"] }));
    for (const name of ["view", "builtin:view", "Read"])
      expect((await session.call(name, { path: "." })).resultType).not.toBe("success");
    expect(session.why("view")).toMatchObject({ explanations: [{ standing: "hidden" }] });
  });

  test("an address selects an agent, unless token or configuration already did", async () => {
    const { crib, reload } = await world({ agents: AGENTS });
    const asked = narrowProfile(mainProfile(), { agent: "reader" });
    const session = await view(crib, asked);
    expect(visible(session)).toEqual(["grep", "view"]);
    await expect(view(crib, narrowProfile(mainProfile(), { agent: "nobody" }))).rejects.toMatchObject({
      code: "agent.unknown",
    });
    expect(() => narrowProfile({ ...mainProfile(), agent: "reader" }, { agent: "writer" })).toThrow(
      expect.objectContaining({ code: "agent.bound" }),
    );
    await reload({ agents: AGENTS, agent: "writer" });
    await expect(view(crib, asked)).rejects.toMatchObject({ code: "agent.bound" });
    expect(visible(session)).toEqual([]);
  });
});

describe("another configuration", () => {
  test("reaches every client, and none of them is dropped", async () => {
    const { crib, reload } = await world({ ...ALLOWED, mcpServers: { it: entry() } });
    const session = await view(crib, narrowProfile(mainProfile(), { include: ["view", "grep", "it/echo"] }));
    const pid = await pidOf(await view(crib));
    await reload({ ...ALLOWED, excludeTools: ["grep"], mcpServers: { it: entry(), other: entry() } });
    await ready(session);
    expect(visible(session)).toEqual(["view", "it/echo"]);
    expect(crib.sources.map(({ name }) => name)).toContain("other");
    expect(await pidOf(await view(crib))).toBe(pid);
  });

  test("may give the tools of servers other names", async () => {
    const { crib, reload } = await world({ ...ALLOWED, mcpServers: { it: entry() } });
    const session = await view(crib, narrowProfile(mainProfile(), { include: ["it/echo"] }));
    await ready(session);
    const wireNames = () =>
      session.toolset.placements.flatMap(({ entry: { wireName }, standing }) =>
        standing === "hidden" ? [] : [wireName],
      );
    expect(wireNames()).toEqual(["it__echo"]);
    await reload({ ...ALLOWED, mcpServers: { it: entry() }, wireNames: "mcp__server__tool" });
    expect(wireNames()).toEqual(["mcp__it__echo"]);
  });

  test("that cannot be used is refused whole", async () => {
    const { crib, reload } = await world({});
    const session = await view(crib);
    const before = visible(session);
    await expect(reload({ agent: "nobody", excludeTools: ["view"] })).rejects.toMatchObject({ code: "agent.unknown" });
    expect(visible(session)).toEqual(before);
    expect(crib.config.agent).toBeNull();
    expect(visible(await view(crib))).toEqual(before);
  });

  test("that knows a client's token no more leaves it nothing", async () => {
    const gateway = { clients: [{ token: "t" }] };
    const { crib, reload } = await world({ gateway });
    const [client] = crib.config.gateway.clients;
    if (client === undefined) throw new Error("no client");
    const session = await view(crib, clientProfile(client, "ci"));
    expect(visible(session)).toContain("view");
    await reload({ gateway: { clients: [{ token: "u" }] } });
    expect(visible(session)).toEqual([]);
    await reload({ gateway });
    expect(visible(session)).toContain("view");
  });
});

describe("who approves behind a gateway", () => {
  const config = (approvals: string, more: object = {}) => ({
    gateway: { approvals },
    permissions: { ask: ["it/cwd"], deny: ["it/env"], ...more },
    mcpServers: { it: entry() },
  });
  const echo = (session: OpenSession) => session.call("it/echo", { text: "hi" }, BEHIND);

  test("client: its own question stands for what no rule speaks about, and for nothing else", async () => {
    const asked: PermissionRequest[] = [];
    const { crib } = await world(config("client"));
    const session = await view(crib, mainProfile(), {
      approve: async (request): Promise<PermissionAnswer> => {
        asked.push(request);
        return { decision: "allow" };
      },
    });
    await ready(session);
    const decisions: string[] = [];
    session.on("permission.completed", ({ code, text }) => decisions.push(`${code}: ${text}`));
    expect((await echo(session)).resultType).toBe("success");
    expect(asked).toEqual([]);
    expect((await session.call("it/cwd")).resultType).toBe("success");
    expect(asked.map(({ toolName }) => toolName)).toEqual(["it__cwd"]);
    expect((await session.call("it/env")).resultType).not.toBe("success");
    expect(decisions.slice(0, 2)).toEqual([
      expect.stringContaining("permission.client"),
      "permission.approved: the user of test allowed it",
    ]);
  });

  test("client: whatever is odd about a call is asked about, although the client asked", async () => {
    const asked: string[] = [];
    const { crib } = await world({ permissions: { allow: ["Write(./**)"] } });
    const session = await view(crib, mainProfile(), {
      approve: async ({ code }): Promise<PermissionAnswer> => {
        asked.push(code);
        return { decision: "deny" };
      },
    });
    const settings = { path: ".vscode/settings.json", content: "{}" };
    expect((await session.call("create", settings)).resultType).toBe("denied");
    expect(asked).toEqual(["permission.protected-path"]);
  });

  test("people learn which token a call came with, whatever its client calls itself", async () => {
    const { crib } = await world({ gateway: { approvals: "inspector", clients: [{ token: "t" }] } });
    const [client] = crib.config.gateway.clients;
    if (client === undefined) throw new Error("one was configured");
    const label = "the boss's own editor";
    const asking = async (session: OpenSession) => {
      const pending = new Promise<void>((resolve) => crib.approvals.changes(resolve));
      const call = session.call("create", { path: "a", content: "" }, BEHIND);
      await pending;
      const [waiting] = crib.approvals.pending;
      await crib.approvals.answer(waiting?.id ?? "", { decision: "deny" });
      await call;
      return waiting?.client;
    };
    expect(await asking(await view(crib, clientProfile(client, "client-1"), { label }))).toBe(`${label} (client-1)`);
    expect(await asking(await view(crib, mainProfile(), { label }))).toBe(label);
  });

  test("client: a mode that asks nobody holds all the same", async () => {
    const { crib } = await world(config("client", { mode: "dont-ask" }));
    const session = await view(crib, mainProfile(), { approve: async () => ({ decision: "allow" }) });
    await ready(session);
    expect((await echo(session)).resultType).toBe("denied");
  });

  test("client: what it cannot ask its user waits in the queue, and holds nothing else up", async () => {
    const { crib } = await world(config("client"));
    const session = await view(crib, mainProfile(), { approve: async () => null });
    await ready(session);
    const pending = new Promise<void>((resolve) => crib.approvals.changes(resolve));
    const waiting = session.call("it/cwd", {}, BEHIND);
    await pending;
    expect((await echo(session)).resultType).toBe("success");
    const [approval] = crib.approvals.pending;
    expect(approval).toMatchObject({ client: "test", request: { toolName: "it__cwd", code: "permission.asked" } });
    expect(await crib.approvals.answer(approval?.id ?? "", { decision: "allow", by: "the inspector" })).toBe(true);
    expect(await crib.approvals.answer(approval?.id ?? "", { decision: "deny" })).toBe(false);
    expect((await waiting).resultType).toBe("success");
    expect(crib.approvals.pending).toEqual([]);
  });

  test("client: where nobody can be asked at all, it is refused at once", async () => {
    const { crib } = await world(config("client"), { isWatched: () => false });
    const session = await view(crib, mainProfile(), { approve: async () => null });
    await ready(session);
    expect((await session.call("it/cwd")).textResultForLlm).toContain(
      'Permission denied: the rule it/cwd asks about "it__cwd", and the client cannot ask its user',
    );
  });

  test("deny: what a rule asks about is refused with that rule as the reason, and where it stands", async () => {
    const { crib } = await world(config("deny"));
    const session = await view(crib);
    await ready(session);
    const decided: string[] = [];
    session.on("permission.completed", ({ code, origin }) => void decided.push(`${code} ${origin}`));
    expect((await session.call("it/cwd")).textResultForLlm).toContain(
      'Permission denied: the rule it/cwd asks about "it__cwd", and there is nobody to ask',
    );
    expect((await echo(session)).textResultForLlm).toContain("no rule allows it, and there is nobody to ask");
    expect(decided).toEqual([
      expect.stringMatching(/^permission\.no-handler .*config\.yaml:1$/),
      "permission.no-handler default",
    ]);
  });

  test("inspector: everything that would ask waits, and a call that is given up waits no more", async () => {
    const { crib } = await world(config("inspector"));
    const session = await view(crib, mainProfile(), { approve: async () => ({ decision: "allow" }) });
    await ready(session);
    const stop = new AbortController();
    const pending = new Promise<void>((resolve) => crib.approvals.changes(resolve));
    const waiting = session.call("it/echo", { text: "hi" }, { signal: stop.signal });
    await pending;
    stop.abort();
    expect((await waiting).cancelledBy).toBe("user");
    expect(crib.approvals.pending).toEqual([]);
  });

  test("what is allowed for the project counts for every client, and for a session only for that one", async () => {
    const { crib } = await world(config("inspector"));
    const [one, two] = await Promise.all([view(crib), view(crib)]);
    await Promise.all([ready(one), ready(two)]);
    let scope: "session" | "project" = "session";
    const asked: string[] = [];
    crib.approvals.changes(() => {
      for (const { id, request } of crib.approvals.pending) {
        asked.push(request.toolName);
        void crib.approvals.answer(id, { decision: "allow", scope });
      }
    });
    for (const session of [one, one, two]) expect((await echo(session)).resultType).toBe("success");
    expect(asked).toEqual(["it__echo", "it__echo"]);
    scope = "project";
    for (const session of [one, two, one]) await session.call("it/release", {}, BEHIND);
    expect(asked.slice(2)).toEqual(["it__release"]);
  });

  test("what another process revokes or keeps meanwhile counts with the next call", async () => {
    const { crib, place } = await world(config("inspector"));
    const session = await view(crib);
    await ready(session);
    const asked: string[] = [];
    let scope: "project" | "user" | "once" = "project";
    crib.approvals.changes(() => {
      for (const { id, request } of crib.approvals.pending) {
        asked.push(request.toolName);
        void crib.approvals.answer(id, { decision: "allow", scope });
      }
    });
    const elsewhere = () => openGrants({ home: place.home, env: {}, workspace: place.cwd });
    const call = async () => {
      const before = asked.length;
      expect((await echo(session)).resultType).toBe("success");
      return asked.length - before;
    };
    for (scope of ["project", "user"] as const) {
      expect([await call(), await call()]).toEqual([1, 0]);
      const store = await elsewhere();
      const [kept] = store.grants;
      if (kept === undefined) throw new Error("something was kept");
      await store.revoke(kept.id);
      scope = "once";
      expect([await call(), await call()]).toEqual([1, 1]);
      await store.add(kept);
      expect(await call()).toBe(0);
      await store.revoke(kept.id);
    }
  });

  test("deny: refused", async () => {
    const { crib } = await world(config("deny"));
    const session = await view(crib, mainProfile(), { approve: async () => ({ decision: "allow" }) });
    await ready(session);
    expect((await echo(session)).error).toContain("permission.no-handler");
  });

  test("what waits when the crib closes is refused, and running calls are let end", async () => {
    const { crib } = await world({ ...config("inspector", { allow: ["it/hang", "it/release"] }) }, { drain: 30_000 });
    const session = await view(crib);
    const other = await view(crib);
    await ready(session);
    await ready(other);
    const pending = new Promise<void>((resolve) => crib.approvals.changes(resolve));
    const waiting = session.call("it/echo", { text: "hi" });
    await pending;
    const started = new Promise<void>((resolve) => other.on("tool.running", () => resolve()));
    const hanging = other.call("it/hang", {}, BEHIND);
    await started;
    const closing = crib.close();
    expect((await waiting).textResultForLlm).toContain("shutting down");
    await other.call("it/release", {}, BEHIND);
    expect((await hanging).textResultForLlm).toBe("late");
    await closing;
  });
});

test("what a client's searches led to outlives its session in the store, and what another machine learned stays (S8)", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const settings = { mcpServers: { it: entry() }, toolSearch: "on", permissions: { allow: ["tool_search", "it"] } };
  const learn = async (query: string) => {
    const { crib } = await world(settings, { shared: { store, scope: "s" } });
    const client = await view(crib);
    await ready(client);
    const found = await client.call("tool_search", { query });
    expect(found).toMatchObject({ structured: { loaded: expect.arrayContaining(["it__pids"]) } });
    await client.call("it/pids");
    return client;
  };
  const clients = await Promise.all([learn("pids now"), learn("show pids")]);
  await Promise.all(clients.map((client) => client.close()));
  const kept = await store.keyValues({ name: "usage", person: "main", project: "s" }).get("uses");
  expect(kept).toHaveLength(2);
});
