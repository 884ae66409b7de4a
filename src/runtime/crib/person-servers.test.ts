import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import type { Caller } from "../../core/people/person.ts";
import type { OpenSession } from "../session/tools/session.ts";
import type { Crib } from "./crib.ts";
import { openCrib } from "./open-crib.ts";
import { personProfile } from "./profile.ts";

const SERVER = fileURLToPath(new URL("../../../test/fixtures/misbehaving-server.cjs", import.meta.url));
const entry = (more: object = {}) => ({ command: process.execPath, args: [SERVER], ...more });
const PEOPLE = {
  publicUrl: "https://tools.example.com",
  profiles: { everybody: {} },
  auth: {
    login: { issuer: "https://idp.example.com", clientId: "gateway" },
    people: [{ everybody: true, profile: "everybody" }],
  },
};
const config = (servers: object, upstreams: object = {}) => ({
  mcpServers: servers,
  permissions: { allow: ["*"] },
  gateway: { ...PEOPLE, upstreams },
});

async function start(written: object, place = createWorkspace()) {
  place.write("user", JSON.stringify(written));
  const { cwd, home } = place;
  const env = { PATH: process.env.PATH };
  const crib = await openCrib(await place.load({}, env), {
    ...{ version: "1", workspace: cwd, drain: 0, grace: 0, cwd, home, env },
  });
  onTestFinished(() => crib.close());
  return { crib, place };
}

const person = (subject: string, client = "c"): Caller => ({
  ...{ issuer: "https://idp.example.com", subject, client, groups: [], claims: [], name: null, email: null },
});

async function view(crib: Crib, caller: Caller): Promise<OpenSession> {
  const profile = personProfile(crib.config, caller);
  const session = await crib.openView({ profile, label: caller.subject, client: null, approve: null });
  await session.settled(AbortSignal.timeout(30_000));
  return session;
}

/** As of a client, who orders its calls itself. */
const BEHIND = { behind: {} };

async function ask(session: OpenSession, tool: string, args: object = {}): Promise<string> {
  return (await session.call(tool, args, BEHIND)).textResultForLlm;
}

const names = (session: OpenSession) => session.toolset.placements.map(({ entry: { id } }) => id);

const pidOf = async (session: OpenSession): Promise<number> => JSON.parse(await ask(session, "it/pids"))[0];

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("each person has a server of their own, whatever client they use, and the owner another (O10)", async () => {
  const { crib } = await start(config({ it: entry() }));
  const [alice, hers, boris] = await Promise.all([
    view(crib, person("alice")),
    view(crib, person("alice", "another")),
    view(crib, person("boris")),
  ]);
  await crib.main.settled(AbortSignal.timeout(30_000));
  const pids = await Promise.all([alice, hers, boris, crib.main].map(pidOf));
  expect(pids[1]).toBe(pids[0]);
  expect(new Set(pids).size).toBe(3);
  await alice.close();
  expect(await pidOf(hers)).toBe(pids[0]);
  await hers.close();
  await vi.waitUntil(() => !isRunning(pids[0] ?? 0), 30_000);
});

test("a server that says so is one for all", async () => {
  const { crib } = await start(config({ it: entry({ isolation: "shared" }) }));
  const [alice, boris] = await Promise.all([view(crib, person("alice")), view(crib, person("boris"))]);
  expect(await pidOf(alice)).toBe(await pidOf(boris));
});

test("what a server lists for one person is shown to no other, then or later (O12)", async () => {
  const { crib, place } = await start(config({ it: entry() }));
  const [alice, boris] = [await view(crib, person("alice")), await view(crib, person("boris"))];
  const added = new Promise<void>((resolve) => {
    alice.on("session.tools_updated", () => names(alice).includes("it/added1") && resolve());
  });
  await ask(alice, "it/change", { times: 1 });
  await added;
  expect(names(alice)).toContain("it/added1");
  await pidOf(boris);
  expect(names(boris)).not.toContain("it/added1");
  await crib.close();

  const later = await start(config({ it: entry() }), place);
  for (const subject of ["carla", "alice"]) {
    const session = await view(later.crib, person(subject));
    expect(names(session)).toContain("it/pids");
    expect(names(session)).not.toContain("it/added1");
  }
});

test("where the list is known, a person's server starts with their first call and ends when they use it no more", async () => {
  const written = config({ it: entry() }, { idle: 1_000 });
  const first = await start(written);
  await first.crib.main.settled(AbortSignal.timeout(30_000));
  await first.crib.close();

  const { crib } = await start(written, first.place);
  const session = await view(crib, person("alice"));
  const status = () => session.sources.find(({ name }) => name === "it")?.status.reason;
  expect(names(session)).toContain("it/pids");
  expect(status()).toBe("is at rest until it is used");
  const pid = await pidOf(session);
  expect(status()).toBeNull();
  await vi.waitUntil(() => !isRunning(pid), 30_000);
  expect(status()).toBe("is at rest until it is used");
  expect(await pidOf(session)).not.toBe(pid);
});

test("with no more places, a call says which setting is in the way, and where", async () => {
  const servers = { it: entry(), at: entry() };
  const first = await start(config(servers));
  await first.crib.main.settled(AbortSignal.timeout(30_000));
  await first.crib.close();
  const { crib } = await start(config(servers, { perPerson: 1 }), first.place);
  const session = await view(crib, person("alice"));
  const hangs = session.call("it/hang", {}, BEHIND);
  const answer = await ask(session, "at/pids");
  expect(answer).toContain("all 1 connections that one person may have are in use (gateway.upstreams.perPerson");
  await ask(session, "it/release");
  await hangs;
  expect(JSON.parse(await ask(session, "at/pids"))).toHaveLength(1);
});
