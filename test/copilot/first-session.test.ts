import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/surfaces/copilot/wire/connection.ts";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

beforeAll(ensureBuilt);

/** Modules that an app's first session and its turn may load beside the one file; more than half of what the session cost was reading 209. */
const MOST_FILES = 20;

test("the first session of an app reads few files", async () => {
  const { project: folder } = tempWorkspace();
  const [script, hook, list] = ["script.json", "hook.mjs", "loaded"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(
    script,
    JSON.stringify({ replies: [{ calls: [{ tool: "pay", arguments: {} }] }, { text: "Paid." }] }),
  );
  await writeFile(hook, toHook(list));
  const env = { HOME: folder, COPILOT_HOME: join(folder, "home"), NODE_OPTIONS: `--import=${pathToFileURL(hook)}` };
  const child = startCli(["--headless", "--stdio"], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("it has no streams");
  const app = openConnection({
    ...{ input: stdout, output: stdin, onNote: () => {}, onRequest: () => null },
    onNotification(method, { event }) {
      if (method !== "session.event") return;
      const { type, data } = event as { type: string; data: { requestId?: string } };
      const answer = { sessionId: "s", requestId: data.requestId, result: "done" };
      if (type === "external_tool.requested") void app.request("session.tools.handlePendingToolCall", answer);
    },
  });
  const tools = [{ name: "pay", description: "Pays", parameters: { type: "object" }, skipPermission: true }];
  await app.request("session.create", { sessionId: "s", model: `scripted:${script}`, tools });
  await app.request("session.sendAndWait", { sessionId: "s", prompt: "Pay" });
  const loaded = (await readFile(list, "utf8")).trim().split("\n");
  expect(loaded.some((url) => url.includes("/dist/command/scripted-model"))).toBe(true);
  expect(loaded.length).toBeLessThanOrEqual(MOST_FILES);
});

/** Notes each module of ours that Node loads. */
function toHook(list: string): string {
  const load = `import { appendFileSync } from "node:fs";
    export function load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    }`;
  return `import { register } from "node:module";
    register("data:text/javascript," + encodeURIComponent(${JSON.stringify(load)}));`;
}
