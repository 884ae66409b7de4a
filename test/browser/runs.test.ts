import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { curious } from "../support/mcp-sources.ts";
import { startReplayServer } from "../support/replay-server.ts";
import { runHere } from "../support/running-up.ts";
import { type RealToolcrib, usePages } from "./real-toolcrib.ts";
import { expectSaid, goTo, rowOf } from "./walk.ts";

const PATIENCE = { timeout: 30_000 };

const WORK = `replies:
  - text: I look, and somebody looks around.
    calls:
      - { tool: task, arguments: { agent: explore, prompt: Look around, description: look around } }
  - calls:
      - { tool: run_code, arguments: { code: "const text = await builtin.view({ path: 'notes.txt' });\\nreturn text.length" } }
  - calls: [{ tool: ask_user, arguments: { question: Which greeting?, choices: [hello, good morning] } }]
  - calls: [{ tool: edit, arguments: { path: notes.txt, old_str: hello, new_str: good morning } }]
  - text: It says good morning now.
  - text: Gladly.
agents:
  explore: [{ calls: [{ tool: glob, arguments: { pattern: "*" } }] }, Two files.]
`;
const PLAN = `replies:
  - calls: [{ tool: exit_plan_mode, arguments: { plan: "1. Look\\n2. Write" } }]
  - text: I begin with it.
`;
const STUCK = `replies:
  - calls: [{ tool: task, arguments: { agent: general, prompt: Write it, description: write it } }]
  - text: Then I do it myself.
agents:
  general: [{ calls: [{ tool: create, arguments: { path: late.txt, content: late } }] }, Never said.]
`;
const ASK = `replies:
  - calls: [{ tool: tool_search, arguments: { query: "select:curious__ask-url" } }]
  - calls: [{ tool: curious__ask-url, arguments: {} }]
  - text: It was paid.
`;

/** Agents at work, in front of a real `toolcrib up` with models that play a script. */
describe("the inspector's runs", { ...needs("chromium") }, () => {
  const open = usePages();

  async function start(page: Page, prompt: string, model = ""): Promise<void> {
    await goTo(page, "Runs");
    const form = page.getByRole("form", { name: "Start a run" });
    await form.getByLabel("What is to be done").fill(prompt);
    if (model !== "") await form.getByLabel("Model").fill(model);
    await form.getByRole("button", { name: "Start the run" }).click();
  }

  test("a run is started, answered and watched on the page, with its agents and the calls of its code", async () => {
    const { page, toolcrib } = await open({
      config: { model: "scripted:work.yaml", code: "on" },
      files: { "work.yaml": WORK, "notes.txt": "hello\n" },
    });
    await start(page, "Greet me");
    const entries = page.getByRole("list", { name: "What happens, oldest first" });
    await entries.getByText("I look, and somebody looks around.").waitFor();
    const inside = entries.getByRole("list", { name: /^Calls that .* made$/ });
    await inside.getByText("view", { exact: true }).waitFor();
    await inside.getByText("line 1").waitFor();

    await expectSaid(page, /1 question waits for your answer/);
    await page.getByText("waits for you").first().waitFor();
    // Anyone who comes back finds everything as it is.
    await page.reload();
    await page.getByRole("button", { name: "good morning" }).click();
    const diff = page.getByRole("region", { name: "What edit would change" });
    await diff.getByText("was: hello").waitFor();
    await diff.getByText("is: good morning").waitFor();
    await goTo(page, "Approvals");
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Allow once" }).click();
    await entries.getByText("It says good morning now.").waitFor();
    expect(readFileSync(join(toolcrib.machine.cwd, "notes.txt"), "utf8")).toBe("good morning\n");
    await page.getByText(/7 requests · .* tokens in/).waitFor();

    const tree = page.getByRole("navigation", { name: "Agents" });
    await tree.getByRole("button", { name: /explore-1.*done/ }).click();
    await entries.getByText("Two files.").waitFor();
    await entries.getByText("glob", { exact: true }).waitFor();
    await tree.getByRole("button", { name: /^main/ }).click();
    await page.getByLabel("Say something more").fill("Thank you");
    await page.getByRole("button", { name: "Say it" }).click();
    await entries.getByText("Gladly.").waitFor();

    await goTo(page, "Sessions");
    const session = page.getByRole("button", { name: /Greet me/ });
    await session.getByText("open").waitFor();
    await goTo(page, "Calls");
    const code = page.getByRole("list", { name: /^Calls that .* made$/ });
    await code.getByText("view", { exact: true }).waitFor();
    expect(readFileSync(toolcrib.audit, "utf8")).toContain('"run_code"');
  });

  test("what a model writes is shown as it comes, and the run is stopped", async () => {
    const piece = { choices: [{ delta: { content: "Once upon a time" } }] };
    await using model = await startReplayServer([{ body: `data: ${JSON.stringify(piece)}\n\n`, hangs: true }]);
    const { page } = await open({
      prepare: async ({ env }) => void Object.assign(env, { OLLAMA_HOST: model.url }),
    });
    await goTo(page, "Runs");
    await page.getByText("no model is chosen").waitFor();
    expect(await page.getByRole("button", { name: "Start the run" }).isDisabled()).toBe(true);
    await start(page, "Tell a tale", "ollama/tale");
    await page.getByText("Once upon a time").waitFor();
    await page.getByText("writing …").waitFor();
    await goTo(page, "Sessions");
    await page.getByRole("button", { name: /Tell a tale.*running/ }).click();
    await page.getByRole("button", { name: "Watch the run" }).click();
    await page.getByRole("button", { name: "Stop the run" }).click();
    await expectSaid(page, /The run was stopped/);
    await page.getByRole("main").getByText("stopped", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "All runs" }).click();
    await page.getByRole("button", { name: /Tell a tale.*stopped/ }).waitFor();
    expect(model.seen).toHaveLength(1);
  });

  test("what a server asks is answered, a plan is sent back and approved, and one agent is stopped", async () => {
    const { page, toolcrib } = await open({
      config: {
        model: "scripted:plan.yaml",
        mcpServers: { curious: curious() },
        permissions: { allow: ["curious/*"] },
      },
      files: { "plan.yaml": PLAN, "ask.yaml": ASK, "stuck.yaml": STUCK },
    });
    await start(page, "Pay", "scripted:ask.yaml");
    await page.getByText("asked by curious").waitFor();
    await page.getByText("https://example.com/pay").waitFor();
    await page.getByRole("button", { name: "I have opened it" }).click();
    await page.getByText("It was paid.").waitFor();

    await goTo(page, "Runs");
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("plan");
    await start(page, "Make a plan");
    await page.getByText("1. Look").first().waitFor();
    await page.getByLabel("What to change in the plan").fill("Do not write");
    await page.getByRole("button", { name: "Reject the plan" }).click();
    await page.getByText("ended: a call was rejected").waitFor();
    await page.getByText("exit_plan_mode").click();
    await page
      .getByRole("region", { name: /^Result of/ })
      .getByText("Do not write")
      .waitFor();

    await page.getByRole("button", { name: "All runs" }).click();
    await page.getByRole("combobox", { name: "Mode", exact: true }).selectOption("plan");
    await start(page, "Plan again");
    await page.getByRole("button", { name: "Approve the plan" }).click();
    await page.getByText("I begin with it.").waitFor();
    await goTo(page, "Sessions");
    await page.getByRole("button", { name: /Plan again/ }).click();
    await page.getByRole("region", { name: "The plan" }).getByText("2. Write").waitFor();

    await stopOneAgent(page, toolcrib);
  });

  /** The agent waits for an approval that nobody gives. */
  async function stopOneAgent(page: Page, { origin, token, machine }: RealToolcrib): Promise<void> {
    await start(page, "Write it", "scripted:stuck.yaml");
    const tree = page.getByRole("navigation", { name: "Agents" });
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    await tree.getByRole("button", { name: /general-1/ }).click();
    const [asked] = await Promise.all([
      page.waitForRequest((request) => request.url().endsWith("/stop")),
      page.getByRole("button", { name: "Stop the agent" }).click(),
    ]);
    expect([asked.method(), asked.postDataJSON()]).toEqual(["POST", { agent: "general-1" }]);
    await expectSaid(page, /The agent was stopped/);
    await tree.getByRole("button", { name: /^main/ }).click();
    await page.getByText("Then I do it myself.").waitFor();
    await page.getByRole("button", { name: "Allow once" }).waitFor({ ...PATIENCE, state: "detached" });
    expect(existsSync(join(machine.cwd, "late.txt"))).toBe(false);
    const stop = (body: string) =>
      fetch(asked.url(), {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          origin: new URL(origin).origin,
        },
        body,
      });
    // What was meant for one agent must not end all of them.
    expect((await stop('{"agent":"general-1"}')).status).toBe(404);
    expect((await stop('{"agent":7}')).status).toBe(400);
  }

  test("a setting forbids runs, and says which", async () => {
    const { page, toolcrib } = await open({ config: { gateway: { approvals: "inspector", runs: false } } });
    await goTo(page, "Runs");
    await page.getByText(/gateway\.runs is false \(.*config\.yaml:1\)/).waitFor();
    const { origin, token } = toolcrib;
    const answer = await fetch(`${origin}api/runs`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ prompt: "Go" }),
    });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("run.refused")]);
  });

  test("requests that a model wrote for a tool are shown, and removed", async () => {
    const requests = JSON.stringify({ 1: ["will I get wet"], 2: ["write to the mayor"], 3: ["what is on"] });
    const { page } = await open({
      files: { "enrich.yaml": JSON.stringify({ replies: [{ text: requests }] }) },
      prepare: async ({ cwd, env }) => {
        const { status, err } = await runHere(["enrich", "town", "--model", "scripted:enrich.yaml", "--yes"], {
          cwd,
          env,
        });
        expect({ status, err }).toMatchObject({ status: 0 });
      },
    });
    await rowOf(page, "town/forecast").getByText("visible").waitFor();
    await rowOf(page, "town/forecast").getByText("town/forecast").click();
    const section = page.getByRole("region", { name: "Requests" });
    await section.getByText("by scripted:enrich.yaml").first().waitFor();
    await section.getByRole("button", { name: "Remove those that a model wrote" }).click();
    await expectSaid(page, /Removed the requests that a model wrote for town\/forecast/);
    await section.waitFor({ ...PATIENCE, state: "detached" });
  });
});
