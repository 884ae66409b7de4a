import { join } from "node:path";
import { heldBytes } from "../how-it-grows/count.mjs";
import { ownFolder } from "../how-it-grows/tidy.mjs";
import { median } from "../measure.mjs";

/** Replies of an agent with calls, and the calls of each. */
const TURNS = 4;
const CALLS = 3;
const ROUNDS = 5;

/** @type {import("../how-it-grows/curve.mjs").Curve} */
export const curve = {
  name: "agents",
  title: "Agents in a run",
  unit: "agents",
  what: "Agents that one reply of a model starts with `task`, eight of which work at once. Each makes three calls of a tool in each of four turns, and then answers. The models are a script, the session is in SQLite.",
  sizes: [1, 4, 16, 64],
  rounds: 1,
  lines: {
    run: { what: "the whole run", limit: 1.05 },
    agent: { what: "each agent's part of it", limit: 0.3 },
  },
  memory: { what: "what the session keeps of them when they have answered", limit: 1.05 },
  counts: {
    events: { what: "events of each agent in the session" },
    text: { what: "of these events as they are stored", unit: "bytes" },
  },
  async measure(size) {
    const folder = ownFolder();
    // Compiled before anything counts, whatever the size.
    for (let round = 0; round < 4; round++) await runOnce(join(folder, `warm-${round}.db`), 8);
    const runs = [];
    for (let round = 0; round < ROUNDS; round++) runs.push(await runOnce(join(folder, `${round}.db`), size));
    const run = median(runs.map(({ cpu }) => cpu));
    const last = runs.at(-1);
    if (last === undefined) throw new Error("nothing ran");
    const counts = { events: last.events / size, text: last.bytes / size };
    return { cpu: { run, agent: run / size }, memory: median(runs.map(({ memory }) => memory)), counts };
  },
};

/** @param {string} path @param {number} size */
async function runOnce(path, size) {
  const { createSession, defineTool, openStore } = await import("../../dist/index.js");
  const store = await openStore(`sqlite:${path}`);
  const parameters = { type: "object", properties: { query: { type: "string" } } };
  const find = defineTool("find", { description: "Finds", parameters, handler: async () => "found ".repeat(50) });
  const session = await createSession({
    ...{ store, sessionId: "measured", workspace: null, permissions: { allow: ["find"] } },
    ...{ tools: [find], builtins: ["agents"], modelClient: await modelFor(size) },
    customAgents: [{ name: "worker", description: "Works", prompt: "You work.", tools: ["find"] }],
  });
  // Whatever is made at the first look at the tools.
  await session.settled();
  const held = await heldBytes();
  let events = 0;
  let answered = 0;
  session.on("*", ({ type, agent }) => {
    if (agent !== null) events += 1;
    if (type === "subagent.completed") answered += 1;
  });
  const start = process.cpuUsage();
  const { text } = await session.run("Let them work.");
  const { user, system } = process.cpuUsage(start);
  if (text !== "All are back." || answered !== size) throw new Error(`${answered} of ${size} agents answered: ${text}`);
  const memory = (await heldBytes()) - held;
  await session.close();
  const stored = await store.read("measured");
  const bytes = stored.reduce((sum, event) => sum + (event.agent === null ? 0 : JSON.stringify(event).length), 0);
  await store.close();
  return { cpu: (user + system) / 1000, memory, events, bytes };
}

/** Plays every agent by how far that one is. @param {number} size @returns {Promise<import("../../dist/index.js").ModelClient>} */
async function modelFor(size) {
  const { scriptedModel } = await import("../../dist/index.js");
  const usage = { input: 100, output: 20 };
  const calls = Array.from({ length: CALLS }, (_, at) => ({ tool: "find", arguments: { query: `words ${at}` } }));
  const tasks = Array.from({ length: size }, (_, at) => ({
    tool: "task",
    arguments: { agent: "worker", prompt: `Work on part ${at}.`, description: `part ${at}` },
  }));
  /** @type {import("../../dist/index.js").Script["replies"][number][]} */
  const replies = [];
  const script = {
    replies: [
      { calls: tasks, usage },
      { text: "All are back.", usage },
    ],
    agents: { worker: replies },
  };
  const played = scriptedModel(script);
  return {
    ...played,
    async *stream(request, signal) {
      const turn = request.history.filter(({ role }) => role === "assistant").length;
      if (request.agent !== null)
        replies.push(turn < TURNS ? { text: "I look.", calls, usage } : { text: "Done.", usage });
      yield* played.stream(request, signal);
    },
  };
}
