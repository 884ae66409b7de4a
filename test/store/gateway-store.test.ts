import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { sqlitePath } from "../../src/runtime/store/open-store.ts";
import { openSqlite } from "../../src/runtime/store/sqlite/open-sqlite.ts";
import { createWanderer } from "../gateway/machines.ts";
import { openGateway } from "../gateway/world.ts";
import { createMachine, runCli } from "../support/run-cli.ts";
import { smallDisk } from "../support/small-disk.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

test("with a full disk a gateway refuses what has to be stored, serves the rest, and goes on once there is room (S11)", async () => {
  const { base } = tempWorkspace();
  const disk = smallDisk(1_000_000);
  const store = createStore(await openSqlite(join(base, "sessions.db"), { open: disk.open }));
  onTestFinished(() => store.close());
  const shared = { store, scope: "test" };
  const config = { gateway: { approvals: "inspector" } };
  const { url, place, crib } = await openGateway(config, { crib: { shared }, gateway: { shared } });
  writeFileSync(join(place.cwd, "kept.txt"), "still here");
  const client = createWanderer();
  await client.initialize(url);
  const call = async (name: string, args: object) =>
    JSON.stringify(await client.request(url, "tools/call", { name, arguments: args }));

  disk.resize(1);
  const fill = (size: number) => store.post("filler", "x".repeat(size));
  for (const size of [50_000, 5_000]) while (await fill(size).catch(() => null));
  // More than the pages that are there already have room for.
  const long = "x".repeat(20_000);
  const begin = async () =>
    (await createWanderer().request(url, "initialize", { capabilities: { experimental: { long } } })).status;
  expect(await begin()).toBe(503);
  expect(await call("view", { path: "kept.txt" })).toContain("still here");
  const refused = await call("create", { path: "new.txt", content: long });
  // A stream had begun before there was no room left, so its status was given already.
  expect(JSON.parse(refused)).toMatchObject({ error: { code: -32_000, data: { code: "store.unavailable" } } });
  expect(crib.approvals.pending).toEqual([]);
  expect(readdirSync(place.cwd)).not.toContain("new.txt");

  disk.resize(1_000_000);
  expect(await begin()).toBe(200);
  const answer = call("create", { path: "new.txt", content: long });
  await expect.poll(() => crib.approvals.pending, { timeout: 30_000 }).toHaveLength(1);
  await crib.approvals.answer(crib.approvals.pending[0]?.id ?? "", { decision: "allow" });
  await answer;
  expect(readFileSync(join(place.cwd, "new.txt"), "utf8")).toContain(long);
});

test("a link where the store would be is refused by commands, and nothing behind it changes (S6, S7)", async () => {
  const { home, cwd } = createMachine();
  const env = { HOME: home, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };
  const target = join(home, "precious");
  writeFileSync(target, "precious");
  const file = sqlitePath({ home, env, workspace: cwd });
  mkdirSync(dirname(file), { recursive: true });
  symlinkSync(target, file);
  for (const argv of [["sessions"], ["sessions", "prune", "--yes"], ["grants"]]) {
    const { status, err } = await runCli(argv, { cwd, env });
    expect(err).toContain("sessions.db");
    expect(status).not.toBe(0);
  }
  expect(readFileSync(target, "utf8")).toBe("precious");
});
