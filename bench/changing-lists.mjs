// What a server with a changing list costs everybody else: run by the growth benchmark, in a process of its own.
//   node bench/changing-lists.mjs SECONDS ORDER…
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createSession, defineTool } from "../dist/index.js";
import { median } from "./measure.mjs";

const SERVER = fileURLToPath(new URL("../test/fixtures/restless-server.cjs", import.meta.url));
const [seconds = "20", ...orders] = process.argv.slice(2);

const quick = defineTool("quick", { description: "Says yes.", skipPermission: true, handler: async () => "yes" });
const mcpServers = { restless: { command: process.execPath, args: [SERVER, ...orders] } };
const parse = await costOfParse();
const session = await createSession({ mcpServers, tools: [quick], workspace: null });
await session.settled();
for (let call = 0; call < 50; call++) await session.call("quick");

/** Milliseconds of CPU time between two beats of a timer: how long the loop would have stood still on an idle machine. @type {number[]} */
const stops = [];
let before = cpuTime();
const beat = setInterval(() => {
  const now = cpuTime();
  stops.push(now - before);
  before = now;
}, 1);
const start = performance.now();
const spent = cpuTime();
let calls = 0;
for (; performance.now() - start < Number(seconds) * 1_000; calls++) {
  await session.call("quick");
  await new Promise((resolve) => setTimeout(resolve, 100));
}
clearInterval(beat);
const share = (cpuTime() - spent) / (performance.now() - start);
stops.sort((left, right) => left - right);
const stop = stops[Math.floor(stops.length * 0.999)] ?? 0;
process.stdout.write(`${JSON.stringify({ stop, parse, most: stops.at(-1), share, calls })}\n`);
await session.close();

function cpuTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Of the first page, as the server sends it. */
async function costOfParse() {
  const child = spawn(process.execPath, [SERVER, ...orders, "every=0"], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  let text = "";
  for await (text of createInterface({ input: child.stdout })) break;
  child.kill();
  const costs = Array.from({ length: 7 }, () => {
    const begin = cpuTime();
    JSON.parse(text);
    return cpuTime() - begin;
  });
  return median(costs);
}
