// The model that real clients talk to: on loopback, in the wire that a client speaks, with a script for what it says.
import { createServer } from "node:http";
import { wireOf } from "./wires.mjs";

/**
 * @typedef {import("./wires.mjs").Offered} Offered
 * @typedef {{ name: string, input: object | string }} Call
 * @typedef {{ offered: Offered[], results: string[] }} Turn
 * @typedef {AsyncGenerator<Call, void, Turn>} Talk what the model calls, one after the other, and what it learns of each call
 * @typedef {{ marker: string, talk: (turn: Turn) => Talk }} Thread the conversation whose user says the marker
 */

/** What is no conversation with a thread, such as the request for a title, gets this for an answer. */
const NOTHING = "Done.";

/** @param {number} [port] 0 takes any */
export async function startModel(port = 0) {
  /** @type {readonly Thread[]} */
  let threads = [];
  /** @type {Map<string, Promise<Call | null>>} */
  let said = new Map();
  /** @type {Map<string, Talk>} */
  let talks = new Map();
  /** @type {{ path: string, body: any }[]} */
  let seen = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const path = (request.url ?? "").split("?")[0] ?? "";
    const wire = wireOf(path);
    if (request.method !== "POST" || wire === null) return void plain(response, path);
    const body = JSON.parse(text || "{}");
    seen.push({ path, body });
    const turn = { offered: wire.offered(body), results: wire.results(body) };
    const prompt = wire.said(body);
    const thread = turn.offered.length > 0 && threads.find(({ marker }) => prompt.includes(marker));
    const call = thread ? await next(thread, turn) : null;
    const id = `call_${seen.length}_${Date.now().toString(36)}`;
    const namespace = turn.offered.find(({ name }) => name === call?.name)?.namespace;
    const calls = call === null ? [] : [{ id, ...call, ...(namespace === undefined ? {} : { namespace }) }];
    write(response, wire, wire.whole(calls, NOTHING, body), body.stream === true || path.includes(":stream"));
  });
  /** @param {Thread} thread @param {Turn} turn */
  const next = ({ marker, talk }, turn) => {
    const key = `${marker} ${turn.results.length}`;
    // A client that asks the same again gets the same answer.
    const known = said.get(key) ?? speak(marker, talk, turn);
    said.set(key, known);
    return known;
  };
  /** @param {string} marker @param {Thread["talk"]} talk @param {Turn} turn */
  const speak = async (marker, talk, turn) => {
    const going = talks.get(marker) ?? talk(turn);
    talks.set(marker, going);
    const { value } = await going.next(turn);
    return value ?? null;
  };
  await new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    /** @param {readonly Thread[]} script */
    play(script) {
      threads = script;
      said = new Map();
      talks = new Map();
      seen = [];
    },
    /** The requests since the script began. */
    seen: () => seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @typedef {Awaited<ReturnType<typeof startModel>>} Model */

/** @param {import("node:http").ServerResponse} response @param {string} path */
function plain(response, path) {
  const known = /models$/.test(path)
    ? { object: "list", data: [{ id: "loopback", object: "model" }], models: [] }
    : /count_tokens$|:countTokens$/.test(path)
      ? { input_tokens: 1, totalTokens: 1 }
      : null;
  response.writeHead(known === null ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(known ?? { error: { message: `nothing is at ${path}` } }));
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {{ events: (whole: any) => string[] }} wire
 * @param {any} whole
 * @param {boolean} streams
 */
function write(response, wire, whole, streams) {
  response.writeHead(200, { "content-type": streams ? "text/event-stream" : "application/json" });
  if (!streams) return void response.end(JSON.stringify(whole));
  for (const event of wire.events(whole)) response.write(event);
  response.end();
}
