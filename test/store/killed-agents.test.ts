import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { createScriptedModel } from "../../src/runtime/models/scripted-model.ts";
import { resumeSession } from "../../src/runtime/session/library.ts";
import { openStoreAt, sqlitePath } from "../../src/runtime/store/open-store.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { createMachine, runCli } from "../support/run-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

beforeAll(ensureBuilt);
const PROGRAM = fileURLToPath(new URL("../fixtures/store/agents-session.mjs", import.meta.url));
/** However slow the machine is, this process may start what it resumes; the killed one is seen to be gone at once. */
const LEASE = { beat: 3_000, lost: 3_600_000, takeOver: 3_600_000 };

test("a run that is killed with two agents at work and an approval open goes on where it was (S5, B4)", async () => {
  const { base } = tempWorkspace();
  const effects = join(base, "effects");
  writeFileSync(effects, "");
  const url = `sqlite:${join(base, "sessions.db")}`;
  await killOnce(url, effects);
  const deployed: string[] = [];
  const deploy = defineTool("deploy", {
    description: "Deploys",
    parameters: z.object({}),
    handler: (_args, { toolCallId }) => {
      deployed.push(toolCallId);
      return "deployed";
    },
  });
  const hang = defineTool("hang", {
    description: "Never ends",
    parameters: z.object({}),
    handler: () => {
      throw new Error("it must not run again");
    },
  });
  const store = await openStoreAt(url, { home: base, env: {}, workspace: base }, { lease: LEASE });
  const resume = () =>
    resumeSession("one", {
      store,
      continue: true,
      builtins: ["agents"],
      tools: [hang, deploy],
      customAgents: [{ name: "worker", description: "works", prompt: "You work.", tools: ["hang"] }],
      permissions: { allow: ["hang", "task"], ask: ["deploy"] },
      onPermissionRequest: () => ({ decision: "allow", scope: "once" }),
      modelClient: createScriptedModel({
        replies: [
          { calls: [{ tool: "task", arguments: { agent: "worker", prompt: "again", description: "d" } }] },
          { text: "It is deployed, and the agents were cut off." },
        ],
        agents: { worker: [{ text: "Now I am done." }] },
      }),
    });
  const session = await resume();
  const ids: (string | null)[] = [];
  session.on("*", ({ type, agent }) => {
    if (type === "subagent.started") ids.push(agent);
  });
  await new Promise<void>((resolve) => session.on("session.idle", () => resolve()));
  expect(deployed).toHaveLength(1);
  expect(readFileSync(effects, "utf8")).toBe("hang\nhang\n");
  expect(ids).toEqual(["worker-3"]);
  const history = await session.history();
  expect(history.map((message) => (message.role === "user" ? (message.by ?? "user") : message.role))).toEqual([
    ...["user", "assistant", "answers", "notification", "assistant", "answers", "assistant"],
  ]);
  const said = JSON.stringify(history);
  expect(said).toContain("may or may not have taken effect");
  expect(said).toContain("deployed");
  expect(said).toContain("It is deployed, and the agents were cut off.");
  await session.close();
  await store.close();
});

test("sessions show says how a killed session ended, and what it left", async () => {
  const { cwd, home } = createMachine();
  const path = sqlitePath({ home, env: {}, workspace: cwd });
  mkdirSync(dirname(path), { recursive: true });
  const effects = join(cwd, "effects");
  await killOnce(`sqlite:${path}`, effects);
  const show = (...argv: string[]) => runCli(["sessions", "show", "one", ...argv], { cwd, env: { HOME: home } });
  const { out } = await show();
  const end = out.slice(out.indexOf("\n\n") + 2).replaceAll("\n", " ");
  expect(end).toBe(
    "The process ended before its work was done (calls that may have taken effect: task, hang; " +
      'calls that wait for an answer: deploy; agents that were at work: worker-1, worker-2). "toolcrib run --resume one" goes on with it. ',
  );
  expect(JSON.parse((await show("--json")).out)).toMatchObject({
    end: { kind: "cut", waiting: ["deploy"], agents: ["worker-1", "worker-2"] },
  });
});

/** Ends once both agents are in the middle of their calls and somebody was asked. */
async function killOnce(url: string, effects: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, url, effects], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      said.push(line);
      if (said.includes("asked") && said.filter((one) => one === "hangs").length === 2) resolve();
    });
    void ended.then(() => reject(new Error(`it ended with ${said.join(", ")}`)));
  });
  child.kill("SIGKILL");
  await ended;
}
