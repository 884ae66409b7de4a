import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { COPILOT_OPTIONS } from "../../src/surfaces/copilot/wire/client-options.ts";
import { answerAll, startRuntime, type TestClient } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

type Json = Record<string, unknown>;

async function begin(replies: readonly object[] = [{ text: "One." }, { text: "Two." }], env: Json = {}) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const client = startRuntime(join(folder, "home"), folder, env).connect();
  return { folder, client, model: `scripted:${script}` };
}

const ask = (client: TestClient, method: string, params: Json = {}) =>
  client.request(`session.${method}`, { sessionId: "s", ...params });
const warnings = ({ events }: TestClient) =>
  events.flatMap(({ type, data }) => (type === "session.warning" ? [String(data.message)] : []));

/** A provider of models that keeps what it is asked. */
async function startProvider() {
  const asked: { url: string; headers: Json; body: Json }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    asked.push({ url: request.url ?? "", headers: request.headers, body: JSON.parse(text) as Json });
    const message = { role: "assistant", content: "Yes." };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("options with nothing behind them are told to the app once, with what asks for nothing left out", async () => {
  const { client, model } = await begin();
  const met = { enableSessionTelemetry: false, skipEmbeddingRetrieval: true, envValueMode: "direct", canvases: [] };
  const customAgents = [{ name: "poet", prompt: "Rhyme.", reasoningEffort: "high" }];
  await ask(client, "create", { model, ...met, memory: { enabled: true }, fromTomorrow: 1, customAgents });
  await ask(client, "sendAndWait", { prompt: "One" });
  const [text = "", ...more] = warnings(client);
  expect(more).toEqual([]);
  for (const name of ["memory", "fromTomorrow", "customAgents.reasoningEffort"]) expect(text).toContain(`${name} (`);
  for (const name of [...Object.keys(met), "model", "customAgents.prompt"]) expect(text).not.toContain(`${name} (`);
  await ask(client, "options.update", { contextTier: "long_context" });
  await ask(client, "sendAndWait", { prompt: "Two" });
  expect(warnings(client)).toEqual([text, expect.stringContaining("contextTier")]);
  expect(warnings(client)[1]).not.toContain("memory");
});

test("a limit that nobody would hold keeps a session from opening, and changes nothing of an open one", async () => {
  const { client, model } = await begin();
  const refused = { sandboxConfig: { enabled: true, userPolicy: { filesystem: { deniedPaths: ["/etc"] } } } };
  await expect(ask(client, "create", { model, ...refused })).rejects.toThrow("sandboxConfig.userPolicy");
  await expect(ask(client, "create", { model, enableManagedSettings: true })).rejects.toThrow("enableManagedSettings");
  await ask(client, "create", { model });
  await expect(ask(client, "options.update", refused)).rejects.toThrow("sandboxConfig.userPolicy");
  await ask(client, "sendAndWait", { prompt: "One" });
  expect(warnings(client)).toEqual([]);
});

test("the reference lists every option that is ignored or refused, and no other", async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/reference/copilot.md"), "utf8");
  const section = page.split("## Options that do nothing here")[1]?.split("\n## ")[0] ?? "";
  const listed = [...section.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  const lacking = (options: typeof COPILOT_OPTIONS, at = ""): readonly string[] =>
    Object.entries(options).flatMap(([name, { lacks, refuses, inside }]) => {
      if (lacks !== undefined || refuses !== undefined) return name === "*" ? [] : [`${at}${name}`];
      return inside === undefined ? [] : lacking(inside, name === "*" ? at : `${at}${name}.`);
    });
  // Providers are described once.
  const wanted = lacking(COPILOT_OPTIONS).filter((name) => !name.startsWith("providers."));
  expect(new Set(listed)).toEqual(new Set(wanted));
});

test("limits of a model bound what it is sent and what it may say", async () => {
  const { client } = await begin();
  const { asked, baseUrl } = await startProvider();
  const provider = { type: "openai", baseUrl, maxOutputTokens: 77, maxPromptTokens: 9_000 };
  await ask(client, "create", { model: "m", provider });
  await ask(client, "sendAndWait", { prompt: "One" });
  expect(asked[0]?.body).toMatchObject({ max_completion_tokens: 77 });
  const { contextInfo } = await ask(client, "metadata.contextInfo");
  expect(contextInfo).toMatchObject({ promptTokenLimit: 9_000 });
  await ask(client, "provider.add", {
    providers: [{ name: "own", type: "openai", baseUrl }],
    models: [{ provider: "own", id: "big", maxOutputTokens: 88, maxContextWindowTokens: 50_000 }],
  });
  await ask(client, "options.update", { provider: null });
  await ask(client, "model.switchTo", { modelId: "own/big" });
  await ask(client, "sendAndWait", { prompt: "Two" });
  expect(asked[1]?.body).toMatchObject({ model: "big", max_completion_tokens: 88 });
  expect((await ask(client, "metadata.contextInfo")).contextInfo).toMatchObject({ promptTokenLimit: 50_000 });
});

test("how much a model says and thinks aloud reaches providers that have a setting for it, and is told of others", async () => {
  const manner = { verbosity: "low", reasoningSummary: "detailed" };
  const cases = [
    [{ type: "openai", wireApi: "responses" }, { text: { verbosity: "low" }, reasoning: { summary: "detailed" } }, []],
    [{ type: "openai", wireApi: "completions" }, { verbosity: "low" }, ["reasoningSummary"]],
    [{ type: "anthropic" }, {}, ["verbosity", "reasoningSummary"]],
  ] as const;
  for (const [kind, sent, ignored] of cases) {
    const { client } = await begin();
    const { asked, baseUrl } = await startProvider();
    await ask(client, "create", { model: "m", provider: { ...kind, baseUrl }, ...manner });
    await ask(client, "send", { prompt: "One" });
    await client.next("session.idle");
    expect(asked[0]?.body).toMatchObject(sent);
    for (const name of Object.keys(manner)) {
      expect(warnings(client).join().includes(`${name} (`)).toBe(ignored.some((one) => one === name));
      if (!(name in sent)) expect(asked[0]?.body).not.toHaveProperty(name);
    }
  }
});

test("a change of model may bring another manner of speaking", async () => {
  const { client } = await begin();
  const { asked, baseUrl } = await startProvider();
  await ask(client, "create", { model: "m", provider: { type: "openai", baseUrl }, verbosity: "high" });
  await ask(client, "sendAndWait", { prompt: "One" });
  await ask(client, "model.switchTo", { modelId: "m", verbosity: "low" });
  await ask(client, "sendAndWait", { prompt: "Two" });
  await ask(client, "options.update", { verbosity: null });
  await ask(client, "sendAndWait", { prompt: "Three" });
  expect(asked.map(({ body }) => body.verbosity)).toEqual(["high", "low", undefined]);
});

test("a provider at Azure is asked at its deployment with its own header, or on the way without versions", async () => {
  const { client } = await begin();
  const { asked, baseUrl } = await startProvider();
  const provider = { type: "azure", baseUrl, apiKey: "k-1", azure: { apiVersion: "2024-10-21" } };
  await ask(client, "create", { model: "gpt", provider, organizationCustomInstructions: "Spell it colour." });
  await ask(client, "sendAndWait", { prompt: "One" });
  expect(asked[0]?.url).toBe("/openai/deployments/gpt/chat/completions?api-version=2024-10-21");
  expect(asked[0]?.headers).toMatchObject({ "api-key": "k-1" });
  expect(asked[0]?.headers.authorization).toBeUndefined();
  expect(JSON.stringify(asked[0]?.body.messages)).toContain("Spell it colour.");
  await ask(client, "options.update", { provider: { type: "azure", baseUrl, bearerToken: "t-1" } });
  await ask(client, "sendAndWait", { prompt: "Two" });
  expect(asked[1]).toMatchObject({ url: "/openai/v1/chat/completions", headers: { authorization: "Bearer t-1" } });
  expect(asked[1]?.headers["api-key"]).toBeUndefined();
});

test("long results lie where the app wants them, and stay whole where it wants no files", async () => {
  const call = { calls: [{ tool: "pay", arguments: {} }] };
  const { client, folder, model } = await begin([call, { text: "." }, call, { text: "." }]);
  const tools = [{ name: "pay", description: "Pays", parameters: { type: "object" }, skipPermission: true }];
  await ask(client, "create", { model, tools, largeOutput: { maxSizeBytes: 2, outputDir: "kept" } });
  onTestFinished(answerAll(client, "s"));
  await ask(client, "sendAndWait", { prompt: "One" });
  const [file = ""] = await readdir(join(folder, "kept"));
  expect(await readFile(join(folder, "kept", file), "utf8")).toBe("paid");
  await ask(client, "options.update", { largeOutput: { enabled: false, maxSizeBytes: 2 } });
  await ask(client, "sendAndWait", { prompt: "Two" });
  const ends = client.events.filter(({ type }) => type === "tool.execution_complete");
  expect(ends.map(({ data }) => (data.result as Json).content)).toEqual([
    expect.stringContaining(join(folder, "kept", file)),
    "paid",
  ]);
});

test("agents of an app's folders stand behind those in its code, and only named built-in ones are offered", async () => {
  const { client, folder, model } = await begin();
  await mkdir(join(folder, "team"));
  await writeFile(join(folder, "team", "poet.md"), "---\ndescription: Rhymes\ntools: [view]\n---\nYou rhyme.\n");
  await writeFile(join(folder, "team", "other.agent.md"), "---\ndescription: From the file\n---\nYou are.\n");
  await writeFile(join(folder, "team", "broken.md"), "no front matter");
  const customAgents = [{ name: "other", description: "From the code", prompt: "You are." }];
  const options = { agentDirectories: ["team"], customAgents, includedBuiltinAgents: ["explore"] };
  await ask(client, "create", { model, ...options });
  expect((await ask(client, "agent.list")).agents).toMatchObject([
    { name: "other", description: "From the code" },
    { name: "poet", description: "Rhymes", tools: ["view"] },
  ]);
  const { tools } = await ask(client, "tools.getCurrentMetadata");
  const task = (tools as { name: string; input_schema: Json }[]).find(({ name }) => name === "task");
  expect(task?.input_schema).toMatchObject({
    properties: { agent_type: { enum: ["explore", "other", "poet"] } },
  });
  await ask(client, "sendAndWait", { prompt: "One" });
  expect(warnings(client).join()).toContain("broken.md");
});

test("what an agent's file says that it may not do holds in an app's session, and one with hooks is left out", async () => {
  const task = (name: string) => ({ tool: "task", arguments: { agent_type: name, prompt: "p", description: "d" } });
  const push = { tool: "bash", arguments: { command: "git push origin main", description: "d" } };
  const { client, folder, model } = await begin([{ calls: [task("other"), push] }, { text: "Done." }]);
  await mkdir(join(folder, "team"));
  const lead = "description: Leads\ntools: Agent(poet, explore), Bash\ndisallowedTools: Bash(git push:*)";
  await writeFile(join(folder, "team", "lead.md"), `---\n${lead}\n---\nYou lead.\n`);
  for (const name of ["poet", "other"])
    await writeFile(join(folder, "team", `${name}.md`), `---\ndescription: Is ${name}\n---\nYou are.\n`);
  const hooks = "hooks:\n  PreToolUse:\n    - hooks: [{ type: command, command: exit 2 }]";
  await writeFile(join(folder, "team", "hooked.md"), `---\ndescription: Looks\n${hooks}\n---\nYou look.\n`);
  answerAll(client, "s");
  await ask(client, "create", { model, agentDirectories: ["team"] });
  const offered = async () => {
    const { tools } = await ask(client, "tools.getCurrentMetadata");
    const found = (tools as { name: string; description: string; input_schema: Json }[]).find(
      ({ name }) => name === "task",
    );
    return [found?.input_schema.properties, found?.description];
  };
  expect(await offered()).toMatchObject([
    { agent_type: { enum: expect.arrayContaining(["general-purpose", "lead", "other", "poet"]) } },
    expect.stringContaining("- other: "),
  ]);
  await ask(client, "agent.select", { name: "lead" });
  expect(await offered()).toMatchObject([
    { agent_type: { enum: ["explore", "poet"] } },
    expect.not.stringContaining("- other: "),
  ]);
  await ask(client, "sendAndWait", { prompt: "One" });
  const results = client.events.flatMap(({ type, data }) => (type === "tool.execution_complete" ? [data] : []));
  expect(results).toMatchObject([{ success: false }, { success: false }]);
  expect(JSON.stringify(results[0])).toContain("must be one of");
  expect(JSON.stringify(results[1])).toContain("Bash(git push:*)");
  expect(warnings(client).join()).toMatch(/hooked\.md is left out: its hooks are programs/);
});

test("an app that wants a sandbox gets no commands where there is none, and one that wants none has them there", async () => {
  // Nothing that makes a sandbox is found there.
  const PATH = join(tempWorkspace().project, "bin");
  await mkdir(PATH);
  await symlink("/bin/bash", join(PATH, "bash"));
  for (const enabled of [true, false]) {
    const { client, model } = await begin([], { PATH });
    await ask(client, "create", { model, sandboxConfig: { enabled } });
    const { tools } = await ask(client, "tools.getCurrentMetadata");
    expect((tools as { name: string }[]).some(({ name }) => name === "bash")).toBe(!enabled);
  }
});

test("skills that an app keeps itself are listed and loaded as they are now", async () => {
  const { client, model } = await begin([{ calls: [{ tool: "skill", arguments: { skill: "greet" } }] }, { text: "." }]);
  const texts = new Map([["greet", "Say hello."]]);
  client.answers.set("skillProvider.list", () => ({
    skills: [...texts.keys(), "../odd"].map((name) => ({ name, description: `How to ${name}` })),
  }));
  client.answers.set("skillProvider.read", ({ name }) => ({ markdown: texts.get(String(name)) ?? null }));
  await ask(client, "create", { model, hasSkillProvider: true });
  const list = async () => (await ask(client, "skills.list")).skills;
  expect(await list()).toMatchObject([{ name: "greet", description: "How to greet", source: "sdk", enabled: true }]);
  texts.set("leave", "---\nname: leave\ndescription: How to go\n---\nSay goodbye.");
  expect(await list()).toMatchObject([{ name: "greet" }, { name: "leave", description: "How to go" }]);
  texts.set("greet", "Say hello twice.");
  await ask(client, "skills.reload");
  await ask(client, "sendAndWait", { prompt: "Greet" });
  expect(await client.next("skill.invoked")).toMatchObject({
    name: "greet",
    content: expect.stringContaining("hello"),
  });
  expect(warnings(client).join()).toContain("../odd");
});
