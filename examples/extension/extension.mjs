// A complete extension without dependencies: it registers two tools, reports progress, and stops when told to.
// The protocol is described in docs/reference/extensions.md.
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const PROTOCOL_VERSION = 1;

const tools = [
  {
    name: "roll_dice",
    description: "Rolls dice and adds them up.",
    parameters: {
      type: "object",
      properties: { count: { type: "integer", minimum: 1, maximum: 100 }, sides: { type: "integer", minimum: 2 } },
    },
    traits: { readOnly: true, openWorld: false },
  },
  {
    name: "count_down",
    description: "Counts down and says so at every step.",
    parameters: {
      type: "object",
      properties: { from: { type: "integer", minimum: 1 }, pause: { type: "number", description: "milliseconds" } },
      required: ["from"],
    },
    traits: { readOnly: true, openWorld: false },
  },
];

/** What each tool does: a string or an object is the result, an error is a failure. */
const handlers = {
  roll_dice({ count = 1, sides = 6 }) {
    const dice = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
    return { dice, sum: dice.reduce((sum, die) => sum + die, 0) };
  },
  async count_down({ from, pause = 100 }, { signal, progress }) {
    for (let left = from; left > 0; left -= 1) {
      progress({ message: `${left} to go`, progress: from - left, total: from });
      await wait(pause, undefined, { signal });
    }
    return "Lift-off.";
  },
};

/** Calls that are running, by the id of their request. */
const running = new Map();

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

async function call(id, { name, arguments: args }) {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    if (!Object.hasOwn(handlers, name)) throw new Error(`there is no tool ${name}`);
    const progress = (step) => send({ method: "$/progress", params: { id, ...step } });
    send({ id, result: await handlers[name](args, { signal: controller.signal, progress }) });
  } catch (error) {
    send({ id, error: { code: -32000, message: error.message } });
  } finally {
    running.delete(id);
  }
}

function receive({ id, method, params }) {
  switch (method) {
    case "initialize":
      send({ id, result: { protocolVersion: PROTOCOL_VERSION } });
      send({ id: "register", method: "tools/register", params: { tools } });
      return;
    case "tools/call":
      void call(id, params);
      return;
    case "$/cancel":
      running.get(params.id)?.abort();
      return;
    case "shutdown":
      process.exit(0);
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => receive(JSON.parse(line)))
  .on("close", () => process.exit(0));
