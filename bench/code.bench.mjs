// What code in place of calls saves: ten tasks over real servers beside 1,000 other tools, done by a model that plays a script, in
// single calls, with search and in code. And what a run of code and a call from it cost.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { createSession, defineTool } from "../dist/index.js";
import { writeFiles, writeTasks } from "./code-tasks.mjs";
import { median } from "./measure.mjs";

const OTHERS = 1_000;
/** The goal is for tasks of so many calls and more. */
const LONG = 5;
const MOST_SHARE = 0.2;
const CALL_MS = 0.5;
const START_MS = 20;
const WAYS = /** @type {const} */ (["plain", "search", "code"]);

export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  try {
    const rows = [];
    /** @type {Record<string, Awaited<ReturnType<typeof perform>>[]>} */
    const done = {};
    for (const way of WAYS) done[way] = await performAll(way, join(folder, way));
    const tasks = writeTasks("");
    for (const [at, { name, steps }] of tasks.entries()) {
      const [plain, search, code] = WAYS.map((way) => done[way]?.[at] ?? { tokens: 0, requests: 0 });
      const calls = steps.flat().length;
      const shown = [plain, search, code].map((one) => `${one?.tokens} in ${one?.requests}`);
      rows.push({
        name: `${name} (${calls} calls): tokens in requests, plain, search, code`,
        measured: shown.join(", "),
        ratio: (code?.tokens ?? 0) / (plain?.tokens ?? 1),
        limit: calls >= LONG ? MOST_SHARE : 1,
      });
    }
    return [...rows, ...(await costOfCode())];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {(typeof WAYS)[number]} way
 * @param {string} folder
 */
async function performAll(way, folder) {
  writeFiles(folder);
  const done = [];
  for (const task of writeTasks(folder)) {
    const session = await openSession(way, folder);
    try {
      done.push(await perform(session, way, task));
    } finally {
      await session.close();
    }
  }
  return done;
}

/**
 * Plays one task: every request has the tools, and all that was said and answered so far.
 * @param {Awaited<ReturnType<typeof createSession>>} session
 * @param {(typeof WAYS)[number]} way
 * @param {import("./code-tasks.mjs").Task} task
 */
async function perform(session, way, { name, prompt, search, steps, code }) {
  const messages = /** @type {object[]} */ ([{ role: "user", content: prompt }]);
  let tokens = 0;
  let requests = 0;
  const ask = () => {
    const { tools, system } = session.payload("openai-chat");
    tokens += encode(JSON.stringify({ tools, system, messages })).length;
    requests += 1;
  };
  const look = {
    tool: "run_code",
    args: {
      code: `return await Promise.all(${JSON.stringify(search)}.map((words) => tools.search(words, { limit: 3 })));`,
    },
  };
  const replies =
    way === "code"
      ? [[look], [{ tool: "run_code", args: { code } }]]
      : way === "search"
        ? [search.map((query) => ({ tool: "tool_search", args: { query, limit: 3 } })), ...steps]
        : steps;
  for (const calls of replies) {
    ask();
    const sent = new Set(session.payload("openai-chat").tools.map((tool) => tool.function.name));
    for (const { tool } of calls) if (!sent.has(tool)) throw new Error(`${way}, ${name}: ${tool} was not sent`);
    const results = await Promise.all(calls.map(({ tool, args }) => session.call(tool, args)));
    for (const [at, { textResultForLlm, resultType }] of results.entries())
      if (resultType !== "success") throw new Error(`${way}, ${name}: ${calls[at]?.tool} failed: ${textResultForLlm}`);
    const asked = calls.map(({ tool, args }, at) => ({
      id: `c${requests}_${at}`,
      type: "function",
      function: { name: tool, arguments: JSON.stringify(args) },
    }));
    messages.push({ role: "assistant", tool_calls: asked });
    for (const [at, { textResultForLlm }] of results.entries())
      messages.push({ role: "tool", tool_call_id: asked[at]?.id, content: textResultForLlm });
  }
  ask();
  return { tokens, requests };
}

/**
 * @param {(typeof WAYS)[number]} way
 * @param {string} folder
 */
async function openSession(way, folder) {
  const bin = (/** @type {string} */ path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
  const node = (/** @type {string} */ path, /** @type {string[]} */ ...args) => ({
    command: process.execPath,
    args: [bin(path), ...args],
  });
  const session = await createSession({
    workspace: null,
    code: way === "code" ? "on" : "off",
    toolSearch: way === "search" ? "on" : "off",
    models: { bench: { maxTools: 2 * OTHERS } },
    model: "bench",
    permissions: { allow: ["fs/*", "memory/*", "everything/*", "time/*"] },
    mcpServers: {
      fs: node("@modelcontextprotocol/server-filesystem/dist/index.js", folder),
      memory: {
        ...node("@modelcontextprotocol/server-memory/dist/index.js"),
        env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
      },
      everything: node("@modelcontextprotocol/server-everything/dist/index.js", "stdio"),
      time: node("time-mcp/dist/index.js"),
    },
    tools: otherTools(),
  });
  await session.settled(AbortSignal.timeout(60_000));
  return session;
}

/** Tools that have nothing to do with the tasks, in the size that tools of real servers have. */
function otherTools() {
  const things = [
    "ticket",
    "invoice",
    "contact",
    "deal",
    "campaign",
    "order",
    "shipment",
    "employee",
    "contract",
    "asset",
  ];
  const verbs = ["create", "update", "delete", "list", "assign", "archive", "export", "import", "approve", "reject"];
  return Array.from({ length: OTHERS }, (_, at) => {
    const [thing, verb, system] = [things[at % 10], verbs[Math.floor(at / 10) % 10], `crm${Math.floor(at / 100)}`];
    return defineTool(`${system}_${verb}_${thing}`, {
      description: `${verb} a ${thing} in ${system}. Takes the id of the ${thing} and the fields that it is about, and gives the ${thing} as it is afterwards.`,
      parameters: {
        type: "object",
        properties: {
          id: { type: "string", description: `The id of the ${thing}` },
          fields: { type: "object", description: "Fields by name", additionalProperties: { type: "string" } },
          notify: { type: "boolean", description: "Whether people who follow it are told" },
        },
        required: ["id"],
      },
      handler: async () => "done",
    });
  });
}

const ROUNDS = 9;
const CALLS = 200;
/** Until V8 has compiled what it wants to compile. */
const WARM = 40;

/** In CPU time of the whole process, the thread of the code included. */
async function costOfCode() {
  const session = await createSession({
    workspace: null,
    code: "on",
    permissions: { allow: ["nothing"] },
    tools: [
      defineTool("nothing", {
        description: "Does nothing",
        parameters: { type: "object", properties: {} },
        handler: async () => "",
      }),
    ],
  });
  try {
    const run = async (/** @type {string} */ code) => {
      const { resultType, textResultForLlm } = await session.call("run_code", { code });
      if (resultType !== "success") throw new Error(textResultForLlm);
    };
    const many = `await tools.describe("custom.nothing"); for (let at = 0; at < ${CALLS}; at++) await custom.nothing(); return 1`;
    const bare = await openBare();
    const ways = {
      start: () => run("return 1"),
      code: () => run(many),
      direct: async () => {
        for (let at = 0; at < CALLS; at++) await session.call("nothing", {});
      },
      floor: async () => {
        for (let at = 0; at < CALLS; at++) await bare.ask("{}");
      },
    };
    const first = await measureRounds(ways, 3, ROUNDS);
    const { start, own, call, floor } = await measureRounds(ways, WARM, ROUNDS);
    await bare.close();
    return [
      {
        name: `CPU of a run of code on a warm thread, in units of ${START_MS} ms`,
        measured: `${start.toFixed(1)} ms`,
        ratio: start / START_MS,
        limit: 1,
      },
      {
        name: `CPU of a call from code beyond that of a direct call, in units of ${CALL_MS} ms`,
        measured: `${call.toFixed(3)} ms beyond ${own.toFixed(3)} ms, ${first.call.toFixed(3)} ms while V8 still compiles; a bare message into a thread, through QuickJS and back ${floor.toFixed(3)} ms`,
        ratio: call / CALL_MS,
        limit: 1,
      },
    ];
  } finally {
    await session.close();
  }
}

/**
 * Medians of the rounds after so many to warm up.
 * @param {Record<"start" | "code" | "direct" | "floor", () => Promise<void>>} ways
 * @param {number} warm
 * @param {number} rounds
 */
async function measureRounds(ways, warm, rounds) {
  const cpu = async (/** @type {() => Promise<void>} */ work) => {
    const since = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(since);
    return (user + system) / 1_000;
  };
  /** @type {Record<keyof typeof ways, number>[]} */
  const taken = [];
  for (let round = 0; round < warm + rounds; round++) {
    const one = {
      start: await cpu(ways.start),
      code: await cpu(ways.code),
      direct: await cpu(ways.direct),
      floor: await cpu(ways.floor),
    };
    if (round >= warm) taken.push(one);
  }
  const of = (/** @type {keyof typeof ways} */ way) => median(taken.map((one) => one[way]));
  const own = of("direct") / CALLS;
  return { start: of("start"), own, call: (of("code") - of("start")) / CALLS - own, floor: of("floor") / CALLS };
}

async function openBare() {
  const worker = new Worker(new URL("./bare-code-thread.mjs", import.meta.url));
  const hear = () => new Promise((resolve) => worker.once("message", resolve));
  await hear();
  return {
    ask: (/** @type {string} */ text) => {
      const heard = hear();
      worker.postMessage(text);
      return heard;
    },
    close: () => worker.terminate(),
  };
}
