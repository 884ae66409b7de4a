// The town, a server behind Toolcrib, and how a model finds and calls its tools.
import { setTimeout as pass } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/**
 * @typedef {import("./model.mjs").Call} Call
 * @typedef {import("./model.mjs").Turn} Turn
 * @typedef {import("./client.d.ts").Client} Client
 * @typedef {AsyncGenerator<Call, Turn, Turn>} Part of a talk
 */

const PROGRAM = fileURLToPath(new URL("town-server.cjs", import.meta.url));
/** What `toolcrib up --write` calls the gateway in a client's file. */
export const SERVER = "toolcrib";
/** How often the model looks again for what may come late, with this many milliseconds between. */
export const LOOKS = 6;
export const PAUSE = 1_000;

/** Starts a Toolcrib with the town, of which the client's file says how to connect to it. @param {import("./stage.mjs").Stage} stage */
export async function offerTown({ client, machine }) {
  const town = { command: process.execPath, args: [PROGRAM] };
  machine.write("home/.config/toolcrib/config.yaml", { mcpServers: { town }, permissions: { allow: ["*"] } });
  await machine.toolcrib("up", "--detach", "--write", client.writes);
}

/** How the client names a tool of the town; null where it does not offer it. @param {Turn} turn @param {string} tool */
export function nameInTown({ offered }, tool) {
  return offered.find(({ name }) => name.endsWith(`town__${tool}`))?.name ?? null;
}

/** Looks again and again, with the client's own search where it has one. @param {Client} client @param {Turn} turn @param {string} tool @returns {Part} */
export async function* findTown(client, turn, tool) {
  for (let look = 0; look < LOOKS && nameInTown(turn, tool) === null; look += 1) {
    await pass(PAUSE);
    turn = yield client.search?.(`town__${tool}`) ?? client.shell("true");
  }
  return turn;
}

/** @param {Client} client @param {Turn} turn @param {string} tool @param {string} [text] @returns {Part} */
export async function* callTown(client, turn, tool, text = "") {
  turn = yield* findTown(client, turn, tool);
  return yield { name: nameInTown(turn, tool) ?? `town__${tool}`, input: { text } };
}

/** What came of the last call. @param {Turn} turn */
export function lastResult({ results }) {
  return results.at(-1) ?? "";
}
