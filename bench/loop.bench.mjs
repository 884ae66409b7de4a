import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { jsonSchema, tool as peerTool, stepCountIs, streamText } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import { createSession, defineTool, scriptedModel } from "../dist/index.js";
import { median } from "./measure.mjs";

const ROUNDS = 7;
const RUNS = 40;
const MOST_DELAY = 5;
const MOST_MEMORY = 300;

const parameters = {
  type: "object",
  properties: { query: { type: "string" } },
  required: ["query"],
  additionalProperties: false,
};
/** @param {{ query: string }} given */
const handler = async ({ query }) => `found ${query}`;
const find = defineTool("find", { description: "Finds", parameters, handler: /** @type {never} */ (handler) });
const QUERIES = ["one", "two", "three"];
const usage = { input: 100, output: 20 };

/** @param {number} runs */
const script = (runs) => ({
  replies: Array.from({ length: runs }, () => [
    { text: "I look.", calls: QUERIES.map((query) => ({ tool: "find", arguments: { query } })), usage },
    { text: "All three are there.", usage },
  ]).flat(),
});

/** What a run costs beside its model and its tools. */
export async function run() {
  return [...(await turns()), await history(), await memory(), await crowd()];
}

/** @param {number} runs */
async function open(runs) {
  const session = await createSession({ tools: [find], workspace: null, modelClient: scriptedModel(script(runs)) });
  return session;
}

/** One run, and the conversation as it was before. @param {Awaited<ReturnType<typeof open>>} session */
async function runOnce(session) {
  let from = 0;
  const running = session.run("Look three times.");
  for await (const { seq } of running) from ||= seq;
  const { text } = await running;
  if (text !== "All three are there.") throw new Error(text);
  await session.truncate(from);
}

/** CPU milliseconds of one call of `work`, in the median of rounds. @param {() => Promise<unknown>} work */
async function perRun(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    for (let at = 0; at < RUNS; at += 1) await work();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000 / RUNS);
  }
  return median(times);
}

async function turns() {
  /** Each run in a conversation of its own, as the peer has it. */
  const ours = await perRun(async () => {
    const session = await open(1);
    for await (const event of session.run("Look three times.")) if (event.type === "abort") throw new Error("aborted");
    await session.close();
  });
  const session = await open(ROUNDS * RUNS + 1);
  const within = await perRun(() => runOnce(session));
  await session.close();
  const peer = await perRun(askPeer);
  const delay = await firstToken();
  const row = (/** @type {string} */ name, /** @type {number} */ own) => ({
    name,
    measured: `${own.toFixed(2)} ms, AI SDK ${peer.toFixed(2)} ms`,
    ratio: own / peer,
    limit: 1,
  });
  return [
    row("CPU of a turn with three calls, against the AI SDK's loop", within),
    { ...row("The same, with a session opened and closed for it", ours), limit: 3 },
    {
      name: "CPU until the first token, in 5 ms",
      measured: `${delay.toFixed(2)} ms`,
      ratio: delay / MOST_DELAY,
      limit: 1,
    },
  ];
}

async function askPeer() {
  let step = 0;
  const finish = { unified: "stop", raw: "stop" };
  const used = { inputTokens: { total: 100 }, outputTokens: { total: 20 } };
  const model = new MockLanguageModelV3({
    doStream: async () => {
      step += 1;
      const parts =
        step === 1
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: "I look." },
              { type: "text-end", id: "t" },
              ...QUERIES.map((query, at) => ({
                type: "tool-call",
                toolCallId: `c${at}`,
                toolName: "find",
                input: JSON.stringify({ query }),
              })),
              { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage: used },
            ]
          : [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: "All three are there." },
              { type: "text-end", id: "t" },
              { type: "finish", finishReason: finish, usage: used },
            ];
      return {
        stream: convertArrayToReadableStream(/** @type {never} */ ([{ type: "stream-start", warnings: [] }, ...parts])),
      };
    },
  });
  const result = streamText({
    model,
    tools: {
      find: peerTool({
        description: "Finds",
        inputSchema: jsonSchema(/** @type {never} */ (parameters)),
        execute: /** @type {never} */ (handler),
      }),
    },
    prompt: "Look three times.",
    stopWhen: stepCountIs(5),
  });
  let text = "";
  for await (const part of result.fullStream) if (part.type === "text-delta") text += part.text;
  if (!text.endsWith("All three are there.") || step !== 2) throw new Error(`the peer said ${text} in ${step} steps`);
}

async function firstToken() {
  const session = await open(ROUNDS * 4);
  await session.run("Warm up.");
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    const running = session.run("Look three times.");
    for await (const event of running) if (event.type === "assistant.message_delta") break;
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
    await running;
  }
  await session.close();
  return median(times);
}

/** A run on a long conversation may cost as much more as writing that down once. */
async function history() {
  const at = async (/** @type {number} */ messages) => {
    const session = await open(messages + ROUNDS * RUNS);
    for (let said = 0; said < messages / 4; said += 1) await session.run(`Look three times, for the ${said}. time.`);
    const cost = await perRun(() => runOnce(session));
    const all = await session.history();
    const written = await perRun(async () => JSON.stringify(all));
    await session.close();
    return { cost, written };
  };
  const short = await at(10);
  const long = await at(1_000);
  const beyond = Math.max(0, long.cost - long.written);
  return {
    name: "CPU of a turn on 1,000 messages, beyond one JSON.stringify of them, against one on 10",
    measured: `${long.cost.toFixed(2)} ms − ${long.written.toFixed(2)} ms, ${short.cost.toFixed(2)} ms`,
    ratio: beyond / short.cost,
    limit: 2,
  };
}

setFlagsFromString("--expose-gc");
const collect = /** @type {() => void} */ (runInNewContext("gc"));

async function used() {
  for (let at = 0; at < 3; at += 1) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

async function memory() {
  const opened = [await open(1)];
  await opened[0]?.run("Look three times.");
  const before = await used();
  for (let at = 0; at < 100; at += 1) {
    const session = await open(1);
    await session.run("Look three times.");
    opened.push(session);
  }
  const each = ((await used()) - before) / 1024 / 100;
  for (const session of opened) await session.close();
  return {
    name: "Memory of an idle session that has run, in 300 KB",
    measured: `${each.toFixed(0)} KB`,
    ratio: each / MOST_MEMORY,
    limit: 1,
  };
}

async function crowd() {
  const sessions = await Promise.all(Array.from({ length: 100 }, () => open(ROUNDS)));
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    await Promise.all(sessions.map(runOnce));
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000 / sessions.length);
  }
  const alone = await open(ROUNDS * RUNS);
  const one = await perRun(() => runOnce(alone));
  await alone.close();
  for (const session of sessions) await session.close();
  const each = median(times);
  return {
    name: "CPU of a turn in each of 100 sessions at once, against one alone",
    measured: `${each.toFixed(2)} ms, ${one.toFixed(2)} ms`,
    ratio: each / one,
    limit: 2,
  };
}
