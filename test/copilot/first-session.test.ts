import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { openConnection } from "../../src/surfaces/copilot/wire/connection.ts";
import { ensureBuilt, ROOT, startCli } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { untilHolds } from "../support/poll.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

beforeAll(ensureBuilt);

/** Modules that an app's first session and its turn may load beside the one file; more than half of what the session cost was reading 209. */
const MOST_FILES = 20;

test("the first session of an app reads few files, and has no report of its process written", async () => {
  const { folder, app, loaded } = await startApp();
  const script = join(folder, "script.json");
  await writeFile(
    script,
    JSON.stringify({ replies: [{ calls: [{ tool: "pay", arguments: {} }] }, { text: "Paid." }] }),
  );
  const tools = [{ name: "pay", description: "Pays", parameters: { type: "object" }, skipPermission: true }];
  await app.request("session.create", { sessionId: "s", model: `scripted:${script}`, tools });
  await app.request("session.sendAndWait", { sessionId: "s", prompt: "Pay" });
  const urls = await loaded();
  expect(urls.some((url) => url.includes("/dist/command/apps-scripted-model"))).toBe(true);
  expect(urls.filter((url) => url.startsWith("file:")).length).toBeLessThanOrEqual(MOST_FILES);
  expect(urls).not.toContain("report");
});

test("a sandbox is tried out before a client asks for anything", needs("bwrap"), async () => {
  const { loaded } = await startApp();
  await untilHolds(async () => (await loaded()).some((line) => line.startsWith("spawn") && line.includes("bwrap")));
});

test("Node's own modules are loaded before V8 gets options with which it would compile them again", async () => {
  const { project: folder } = tempWorkspace();
  const [hook, list] = [join(folder, "hook.cjs"), join(folder, "late")];
  await writeFile(hook, toLateHook(list));
  await writeFile(list, "");
  const env = { HOME: folder, COPILOT_HOME: join(folder, "home"), NODE_OPTIONS: `--require=${hook}` };
  const child = startCli(["--headless", "--stdio"], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("it has no streams");
  const app = openConnection({ input: stdout, output: stdin, onNote: () => {}, onRequest: () => null });
  await app.request("connect", {});
  await app.request("session.create", { sessionId: "s", model: "scripted:none" });
  const late = (await readFile(list, "utf8")).split("\n").filter((name) => name !== "");
  // What has no name of its own comes with the first call of its function.
  expect(late.filter((name) => !["internal/process/report", "internal/fs/rimraf"].includes(name))).toEqual([]);
});

const isLate = process.versions.v8.startsWith("11.");
test.runIf(isLate)("V8 goes on compiling late for apps when the start of their command is over", async () => {
  const { project: folder } = tempWorkspace();
  const flags = join(folder, "flags");
  const hook = join(folder, "hook.cjs");
  await writeFile(hook, toFlagHook(flags));
  const env = { HOME: folder, COPILOT_HOME: join(folder, "home"), NODE_OPTIONS: `--require=${hook}` };
  const child = startCli(["rpc", "--stdio"], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = async () => (await readFile(flags, "utf8").catch(() => "")).split("\n").filter((flag) => flag !== "");
  await untilHolds(async () => (await said()).includes("--flush-bytecode"));
  // What is kept is kept with the options of others, for a moment.
  await untilHolds(async () => {
    const budgets = (await said()).flatMap((flag) => Number(/^--interrupt-budget=(\d+)$/.exec(flag)?.[1] ?? []));
    return budgets.at(-1) === Math.max(...budgets);
  });
});

test("no other command loads the file that SDK apps are served from", async () => {
  const folder = join(ROOT, "dist", "command");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  const naming = names.filter((_, at) => texts[at]?.includes("copilot.cjs"));
  expect(naming).toContain("copilot.js");
  expect(naming.filter((name) => name !== "copilot.js" && !name.startsWith("apps-"))).toEqual([]);
  // Those are reached from that file alone, and from what shows apps at work.
  const others = names.filter((name, at) => !naming.includes(name) && /["']\.\/apps-/.test(texts[at] ?? ""));
  expect(others.filter((name) => !name.startsWith("apps-"))).toEqual(["inspect.js"]);
});

/** The runtime of an app that answers calls of its tools, and a list of what its process loads and starts. */
async function startApp() {
  const { project: folder } = tempWorkspace();
  const [hook, list] = [join(folder, "hook.mjs"), join(folder, "loaded")];
  await writeFile(hook, toHook(list));
  await writeFile(list, "");
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
  return { folder, app, loaded: async () => (await readFile(list, "utf8")).trim().split("\n") };
}

/** Notes each module of ours that Node loads, processes that are started, and reports. */
function toHook(list: string): string {
  const load = `import { appendFileSync } from "node:fs";
    export function load(url, context, next) {
      if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
      return next(url, context);
    }`;
  return `import { register, syncBuiltinESMExports } from "node:module";
    import { appendFileSync } from "node:fs";
    import child from "node:child_process";
    const { spawn } = child;
    child.spawn = (program, args, options) => {
      appendFileSync(${JSON.stringify(list)}, "spawn " + JSON.stringify([program, args]) + "\\n");
      return spawn(program, args, options);
    };
    syncBuiltinESMExports();
    const { getReport } = process.report;
    process.report.getReport = () => {
      appendFileSync(${JSON.stringify(list)}, "report\\n");
      return getReport();
    };
    register("data:text/javascript," + encodeURIComponent(${JSON.stringify(load)}));`;
}

/** Notes each module of Node's own that is loaded while V8 waits longer than in other processes, up to each answer. */
function toLateHook(list: string): string {
  return `const v8 = require("node:v8");
    const { appendFileSync } = require("node:fs");
    const { setFlagsFromString } = v8;
    let before = null;
    const note = () => {
      for (const name of before === null ? [] : process.moduleLoadList.slice(before))
        if (name.startsWith("NativeModule ")) appendFileSync(${JSON.stringify(list)}, name.slice(13) + "\\n");
      before = before === null ? null : process.moduleLoadList.length;
    };
    v8.setFlagsFromString = (flag) => {
      note();
      setFlagsFromString(flag);
      const isLate = Number(/^--interrupt-budget=(\\d+)$/.exec(flag)?.[1] ?? 0) > 200_000;
      before = isLate ? process.moduleLoadList.length : null;
    };
    const { write } = require("node:net").Socket.prototype;
    require("node:net").Socket.prototype.write = function (...given) {
      note();
      return write.apply(this, given);
    };`;
}

/** Notes each option that V8 is given. */
function toFlagHook(list: string): string {
  return `const v8 = require("node:v8");
    const { appendFileSync } = require("node:fs");
    const { setFlagsFromString } = v8;
    v8.setFlagsFromString = (flag) => {
      setFlagsFromString(flag);
      appendFileSync(${JSON.stringify(list)}, flag + "\\n");
    };`;
}
