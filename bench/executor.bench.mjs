import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateText, jsonSchema, tool as peerTool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { defaultOrigin, sourced } from "../dist/core/codes/origin.js";
import { compileRules } from "../dist/core/rules/compile-rules.js";
import { decide } from "../dist/core/rules/decide.js";
import { parseRule } from "../dist/core/rules/rule.js";
import { createSession, defineTool } from "../dist/index.js";
import { createSessionIn } from "../dist/runtime/session/create-session.js";
import { createShellReader } from "../dist/system/shell/read-command-line.js";
import { ownSurroundings } from "../dist/system/surroundings.js";
import { median, medianMs } from "./measure.mjs";

const CALLS = 1_000;
const ROUNDS = 7;
const MOST_OVERHEAD = 0.2;

const parameters = {
  type: "object",
  properties: { query: { type: "string" }, limit: { type: "integer", minimum: 1, maximum: 100 } },
  required: ["query"],
  additionalProperties: false,
};
const args = { query: "parser", limit: 10 };
/** @param {{ query: string }} given */
const handler = async ({ query }) => ({ results: [query, "item2"] });

/** What a call costs beside its handler, what starting early is worth, and how the judging of a long command grows. */
export async function run() {
  const workspace = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  try {
    return [await overhead(workspace), ...(await overlap(workspace)), await longCommand()];
  } finally {
    rmSync(workspace, { recursive: true });
  }
}

/** @param {string} workspace */
async function overhead(workspace) {
  const tool = defineTool("find_items", {
    description: "Searches",
    parameters,
    handler: /** @type {never} */ (handler),
  });
  const session = await createSession({
    workspace,
    tools: [tool],
    builtins: "all",
    permissions: { allow: ["find_items"], deny: ["Bash(rm:*)"], ask: ["Write(.env)"] },
    hooks: { onPreToolUse: () => undefined },
  });
  session.on("*", () => {});
  const check = await session.call("find_items", args);
  if (check.resultType !== "success") throw new Error(check.textResultForLlm);
  const whole = await perCall(() => session.call("find_items", args));
  const direct = await perCall(() => handler(args));
  await session.close();
  const cost = whole - direct;
  const peer = (await perCall(() => askPeer("tool-call"))) - (await perCall(() => askPeer("text")));
  return {
    name: "CPU ms a call through validation, one hook, rules, schedule and events, over the handler alone, in units of 0.2 ms",
    measured: `${cost.toFixed(3)} ms (${whole.toFixed(3)} against ${direct.toFixed(3)}); the AI SDK adds ${peer.toFixed(3)} ms`,
    ratio: cost / MOST_OVERHEAD,
    limit: 1,
  };
}

/**
 * One reply of a mock model in the AI SDK, with a call of the same tool or with plain text: the difference is the call.
 * @param {"tool-call" | "text"} type
 */
function askPeer(type) {
  const content =
    type === "text"
      ? { type, text: "parser" }
      : { type, toolCallId: "c", toolName: "find_items", input: JSON.stringify(args) };
  const model = new MockLanguageModelV3({
    doGenerate: /** @type {never} */ (
      async () => ({
        content: [content],
        finishReason: { unified: type === "text" ? "stop" : "tool-calls", raw: undefined },
        usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
        warnings: [],
      })
    ),
  });
  return generateText({ model, prompt: "find", tools: { find_items: PEER_TOOL } });
}

const PEER_TOOL = peerTool({
  description: "Searches",
  inputSchema: jsonSchema(/** @type {never} */ (parameters)),
  execute: /** @type {never} */ (handler),
});

/** @param {() => Promise<unknown>} call */
async function perCall(call) {
  const times = [];
  // Sessions live long: what is measured is a call of one that has warmed up.
  for (let at = 0; at < 2 * CALLS; at += 1) await call();
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    for (let at = 0; at < CALLS; at += 1) await call();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000 / CALLS);
  }
  return median(times);
}

/** A reply of five calls that only read: one is complete every 40 ms, each takes 200 ms, and the stop reason comes last. */
const BETWEEN = 40;
const TAKES = 200;
const COUNT = 5;
/** @param {number} milliseconds */
const pass = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** @param {string} workspace */
async function overlap(workspace) {
  const tool = defineTool("look", {
    description: "Looks",
    traits: { readOnly: true, idempotent: true },
    handler: async () => {
      await pass(TAKES);
      return "seen";
    },
  });
  /** @type {import("../dist/runtime/session/tools/session.js").OpenSession[]} */
  const opened = [];
  const given = { workspace, tools: [tool], builtins: /** @type {const} */ ("all"), permissions: { allow: ["look"] } };
  const { close } = await createSessionIn(ownSurroundings(), given, { opened: (one) => void opened.push(one) });
  const [session] = opened;
  if (session === undefined) throw new Error("a session is open once it is given out");
  await session.call("look");
  const parts = async function* () {
    for (let at = 0; at < COUNT; at += 1) {
      await pass(BETWEEN);
      yield/** @type {const} */ ({ type: "call", call: { id: `c${at}`, toolName: "look", arguments: {} } });
    }
    await pass(BETWEEN);
    yield/** @type {const} */ ({ type: "stop", confirmed: true });
  };
  const early = await wall(async () => {
    for await (const _ of session.executeCalls(session.request(), parts()));
  });
  const late = await wall(async () => {
    /** @type {import("../dist/runtime/executor/stream.js").CallPart[]} */
    const all = [];
    for await (const part of parts()) all.push(part);
    for await (const _ of session.executeCalls(session.request(), all));
  });
  await close();
  const longest = BETWEEN * COUNT + TAKES;
  return [
    {
      name: "five reading calls while the model streams, wall time against the longest path",
      measured: `${early.toFixed(0)} ms against ${longest} ms; run after the stream ${late.toFixed(0)} ms`,
      ratio: early / longest,
      limit: 1.1,
    },
  ];
}

/** Every part of a shell command is read and compared with the rules, however many there are. */
async function longCommand() {
  const reader = await createShellReader();
  const world = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };
  /** @param {string} text */
  const rule = (text) => sourced(parseRule(text, defaultOrigin));
  const rules = compileRules({ allow: [rule("Bash(cat:*)")], ask: [], deny: [rule("Bash(rm:*)")] }, world);
  /** @param {number} parts */
  const judge = (parts) =>
    medianMs(
      ROUNDS,
      () => "cat a;".repeat(parts),
      (command) => {
        const subject = /** @type {const} */ ({ kind: "shell", line: reader.read(command) });
        const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
        return decide(call, rules, { ...world, mode: "default", allowReadOnly: false });
      },
    );
  judge(1_000);
  const [small, large] = [judge(1_000), judge(10_000)];
  return {
    name: "a shell command of 10,000 parts judged, against one of 1,000",
    measured: `${large.toFixed(0)} ms against ${small.toFixed(1)} ms`,
    ratio: large / small,
    limit: 12,
  };
}

/** @param {() => Promise<void>} work */
async function wall(work) {
  const times = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return median(times);
}
