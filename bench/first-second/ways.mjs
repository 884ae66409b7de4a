import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sayHello } from "./hello.mjs";
import { SERVERS } from "./servers.mjs";

const NODE = process.execPath;
const BARE_CLIENT = fileURLToPath(new URL("./bare-client.mjs", import.meta.url));
const SCRIPT = "scripted:script.yaml";

/**
 * One way to start. `nodes` are the processes of Node in it that are no servers; `before` is what our own part was at 016de652,
 * in units of the CPU time of a bare Node.
 * @typedef {import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, null>} Child
 * @typedef {{ command: string, args: readonly string[], cwd?: string, reached(child: Child): Promise<void> }} Start
 * @typedef {{ name: string, nodes: number, before: number, hasServers?: false, start(checkout: string): Start }} Way
 */

/** @satisfies {Start} */
export const BARE_NODE = {
  command: NODE,
  args: ["-e", "setInterval(() => {}, 1e3); console.log(0)"],
  reached: says("0"),
};

/** @satisfies {Start} */
export const BARE_SERVERS = { command: NODE, args: [BARE_CLIENT], reached: says("ready") };

/** @satisfies {Start} */
export const BARE_NPM = { command: "npm", args: ["start"], reached: says("bare") };

/** @type {readonly Way[]} */
export const WAYS = [
  {
    name: "`connect`, with nothing running, until its client has the tools of all",
    nodes: 2,
    before: 28.5,
    start: (checkout) => ({
      ...toolcrib(checkout, "connect"),
      reached: (child) => sayHello(child.stdin, createInterface({ input: child.stdout }), hasAll),
    }),
  },
  {
    name: "`run` until the end of two turns",
    nodes: 1,
    before: 25.5,
    start: (checkout) => ({
      ...toolcrib(checkout, "run", "Look.", "--model", SCRIPT),
      reached: says("There is a README"),
    }),
  },
  {
    name: "`chat` until its first prompt",
    nodes: 1,
    before: 10.5,
    start: (checkout) => ({
      command: "script",
      args: ["-qec", `'${NODE}' '${binOf(checkout)}' chat --model ${SCRIPT}`, "/dev/null"],
      reached: says("> "),
    }),
  },
  {
    name: "`up` until it listens",
    nodes: 1,
    before: 22.2,
    start: (checkout) => ({ ...toolcrib(checkout, "up", "--port", "0"), reached: says("is up for") }),
  },
  {
    name: "`list` until its answer",
    nodes: 1,
    before: 26.7,
    start: (checkout) => ({ ...toolcrib(checkout, "list", "--fresh"), reached: says("tokens sent now") }),
  },
  {
    name: "`npm start` in a checkout that is set up, until it listens",
    nodes: 2,
    before: 19.4,
    hasServers: false,
    start: (checkout) => ({
      ...{ command: "npm", args: ["start", "--", "--port", "0"], cwd: checkout },
      reached: says("is up for"),
    }),
  },
  {
    name: "`createSession` until all tools are there",
    nodes: 1,
    before: 24.8,
    start: (checkout) => ({
      command: NODE,
      args: ["--input-type=module", "-e", createSession(checkout)],
      reached: says("ready"),
    }),
  },
];

/** @param {string} checkout */
function createSession(checkout) {
  const options = `{ mcpServers: ${JSON.stringify(SERVERS)}, modelClient: scriptedModel({ replies: [{ text: "Hi." }] }) }`;
  return `
    import { createSession, scriptedModel } from ${JSON.stringify(join(checkout, "dist", "index.js"))};
    const session = await createSession(${options});
    await session.settled();
    console.log("ready");
  `;
}

/**
 * @param {string} checkout
 * @param {readonly string[]} args
 */
function toolcrib(checkout, ...args) {
  return { command: NODE, args: [binOf(checkout), ...args] };
}

/** @param {string} checkout */
function binOf(checkout) {
  return join(checkout, "bin", "toolcrib.js");
}

/** @param {string} text */
function says(text) {
  /** @param {Child} child */
  return (child) =>
    /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        let said = "";
        child.stdout.setEncoding("utf8").on("data", (chunk) => {
          said += chunk;
          if (said.includes(text)) resolve();
        });
      })
    );
}

/** @param {readonly { name: string }[]} tools */
function hasAll(tools) {
  return Object.keys(SERVERS).every((server) => tools.some(({ name }) => name.startsWith(`${server}__`)));
}
