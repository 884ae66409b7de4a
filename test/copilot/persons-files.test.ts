import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustWorkspace } from "../../src/config/load-config.ts";
import { startRuntime } from "../support/copilot-client.ts";
import { runCli } from "../support/run-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** A runtime in a trusted project, with a session whose model plays that script. */
async function begin(config: string, script: object, more = {}) {
  const files = { ".git/HEAD": "", "toolcrib.yaml": config, "script.json": JSON.stringify(script) };
  const { project, base } = tempWorkspace(files);
  const home = join(base, "home");
  await trustWorkspace({ cwd: project, home, env: {} });
  const { connect } = startRuntime(home, project, {}, undefined, { approvesAll: true });
  const client = connect();
  const ask = (method: string, params = {}) => client.request(`session.${method}`, { sessionId: "s", ...params });
  const model = `scripted:${join(project, "script.json")}`;
  await client.request("session.create", { sessionId: "s", model, ...more });
  const say = async () => {
    await ask("send", { prompt: "Go" });
    await client.next("session.idle");
  };
  return { client, ask, say, project, home };
}

const SCHEDULING = "features: { schedule: true }\n";
const KEEP = { tool: "manage_schedule", arguments: { action: "add", every: "2h", prompt: "Look" } };
const KEEPING = { replies: [{ calls: [KEEP] }, { text: "Kept." }] };

test("a schedule that a model keeps is one of the workspace, which the app lists and stops", async () => {
  const { ask, say, project, home } = await begin(SCHEDULING, KEEPING);
  const listed = async () => {
    const { out } = await runCli(["schedules", "--json"], { cwd: project, env: { HOME: home } });
    return JSON.parse(out).schedules.map(({ prompt }: { prompt: string }) => prompt);
  };
  await say();
  expect(await listed()).toEqual(["Look"]);
  const { entries } = await ask("schedule.list");
  const [{ id }] = entries as [{ id: number }];
  const entry = { id, prompt: "Look", recurring: true, intervalMs: 7_200_000 };
  expect(entries).toEqual([{ ...entry, nextRunAt: expect.stringMatching(/^20\d\d-/) }]);
  expect(await ask("schedule.stop", { id: id + 1 })).toEqual({});
  expect(await ask("schedule.stop", { id })).toMatchObject({ entry });
  expect(await listed()).toEqual([]);
});

test.each([
  ["where files do not ask for schedules", "", {}, false],
  ["where the app asks for them", "", { manageScheduleEnabled: true }, true],
  ["where the app wants none of those in files", SCHEDULING, { manageScheduleEnabled: false }, false],
])("%s, a model can keep one: %4$s", async (_, config, options, isThere) => {
  const { ask } = await begin(config, { replies: [] }, options);
  const { tools } = await ask("tools.getCurrentMetadata");
  expect((tools as { name: string }[]).some(({ name }) => name === "manage_schedule")).toBe(isThere);
  expect(await ask("schedule.list")).toEqual({ entries: [] });
});

test("an agent of the person's that looks on does so in a session of an app, which cannot start it", async () => {
  const config = "sidekick: watcher\nagents:\n  - { name: watcher, description: Watches, prompt: Watch. }\n";
  const looking = { tool: "view", arguments: { path: "toolcrib.yaml" } };
  const replies = [{ calls: [looking] }, { text: "One." }, { text: "Two." }];
  const script = { replies, agents: { watcher: [{ text: "Mind the gap." }, { text: "nothing" }] } };
  const { client, ask, say } = await begin(config, script);
  const { tools } = await ask("tools.getCurrentMetadata");
  expect(JSON.stringify(tools)).not.toContain("watcher");
  await say();
  await expect.poll(() => client.events.some(({ type }) => type === "subagent.completed")).toBe(true);
  await say();
  const { events } = await ask("getMessages");
  expect(JSON.stringify(events)).not.toContain("subagent.failed");
  expect(client.events.filter(({ type }) => type === "subagent.started")[0]?.data.agentName).toBe("watcher");
});

test("settings of the person count for new sessions whose app says nothing, and can be changed and cleared", async () => {
  const { client, home } = await begin("", { replies: [] });
  const get = async () => (await client.request("user.settings.get")).settings as Record<string, unknown>;
  const toolsOf = async (sessionId: string, options = {}) => {
    await client.request("session.create", { sessionId, requestUserInput: true, ...options });
    const { tools } = await client.request("session.tools.getCurrentMetadata", { sessionId });
    return (tools as { name: string }[]).map(({ name }) => name);
  };
  const model = "scripted:none.json";
  expect((await get()).askUser).toEqual({ value: true, default: true, isDefault: true });
  expect(await toolsOf("before", { model })).toContain("ask_user");
  const settings = { askUser: false, model };
  expect(await client.request("user.settings.set", { settings })).toEqual({ shadowedKeys: [] });
  expect(await get()).toMatchObject({ askUser: { value: false, isDefault: false }, model: { value: model } });
  expect(await toolsOf("own")).not.toContain("ask_user");
  const current = await client.request("session.model.getCurrent", { sessionId: "own" });
  expect(current).toMatchObject({ modelId: model });
  expect(await toolsOf("asking", { askUserDisabled: false })).toContain("ask_user");
  await client.request("user.settings.set", { settings: { askUser: null } });
  expect((await get()).askUser).toMatchObject({ isDefault: true });
  await expect(client.request("user.settings.set", { settings: { theme: "dark" } })).rejects.toThrow("theme");
  writeFileSync(join(home, "settings.json"), "{");
  expect(await toolsOf("broken", { model })).toContain("ask_user");
  await expect(client.request("user.settings.set", { settings })).rejects.toThrow("is no JSON");
});
