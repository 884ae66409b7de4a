import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { median } from "./measure.mjs";

const ROUNDS = 21;
const WARM_UP = 4_000;
const REQUESTS = 800;
const WORKERS = 8;
/** Microseconds that a token of a person may cost more than a static one, and the first use of one that another issuer signed. */
const MORE = 15;
const FIRST = 500;
const GATEWAY = fileURLToPath(new URL("./people-gateway.mjs", import.meta.url));

/** What it costs at the door to know who somebody is, by the kind of the token. */
export async function run() {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-bench-"));
  const issuer = await startIssuer();
  const gateway = fork(GATEWAY, [issuer.address, folder]);
  process.once("exit", () => gateway.kill());
  try {
    const [{ port, fixed, tokens }] = await once(gateway, "message");
    const cpu = async () => {
      gateway.send("cpu");
      const [{ user, system }] = await once(gateway, "message");
      return user + system;
    };
    return await measureAll({ port, cpu, fixed, tokens, sign: issuer.sign });
  } finally {
    gateway.kill();
    issuer.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Every kind in every round, in turns, so that what disturbs a round disturbs all.
 * @param {{ port: number, cpu: () => Promise<number>, fixed: string, tokens: readonly string[], sign: () => Promise<string> }} given
 */
async function measureAll({ port, cpu, fixed, tokens, sign }) {
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS });
  const [own = ""] = tokens;
  const seen = await sign();
  const signed = await Promise.all(Array.from({ length: ROUNDS * REQUESTS }, sign));
  /** @type {Map<string, (at: number) => string>} */
  const kinds = new Map([
    ["static", () => fixed],
    ["own", () => own],
    ["seen", () => seen],
    ["persons", (/** @type {number} */ at) => tokens[at % tokens.length] ?? ""],
    ["first", () => signed.pop() ?? ""],
  ]);
  const known = [...kinds].filter(([name]) => name !== "first");
  for (const [, tokenOf] of known) await ask(agent, port, tokenOf, WARM_UP);
  /** @type {Map<string, number[]>} microseconds a request, by round */
  const costs = new Map([...kinds.keys()].map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const turns = [...kinds].map((_, at, all) => all[(at + round) % all.length]);
    for (const turn of turns) {
      if (turn === undefined) continue;
      const [name, tokenOf] = turn;
      // Every one of them is confirmed again in the background now and then, which is part of what they cost.
      const before = await cpu();
      await ask(agent, port, tokenOf, REQUESTS);
      costs.get(name)?.push(((await cpu()) - before) / REQUESTS);
    }
    const last = [...costs].map(([name, all]) => `${name} ${all.at(-1)?.toFixed(1)}`).join(", ");
    console.error(`People: round ${round + 1} of ${ROUNDS}, CPU µs a request: ${last}`);
  }
  agent.destroy();
  return [
    row("one of our own tokens, against a static one", costs, "own", MORE),
    row("1,000 persons with a token each and 10,000 authorizations, against a static token", costs, "persons", MORE),
    row("another issuer's token that was seen before, against a static one", costs, "seen", MORE),
    row("the first use of another issuer's token, against a static one", costs, "first", FIRST),
  ];
}

/**
 * @param {string} name
 * @param {ReadonlyMap<string, number[]>} costs
 * @param {string} kind
 * @param {number} limit microseconds
 */
function row(name, costs, kind, limit) {
  const fixed = costs.get("static") ?? [];
  const more = (costs.get(kind) ?? []).map((cost, round) => cost - (fixed[round] ?? Number.NaN));
  const sorted = [...more].sort((a, b) => a - b);
  // Order statistics that hold the median with 95 % of certainty, for 21 rounds.
  const [low, high] = [sorted[5] ?? Number.NaN, sorted[15] ?? Number.NaN];
  return {
    name: `CPU more for a request with ${name}, in units of ${limit} µs`,
    measured: `${median(more).toFixed(1)} µs (${low.toFixed(1)} to ${high.toFixed(1)}) on ${median(fixed).toFixed(1)} µs`,
    ratio: median(more) / limit,
    limit: 1,
  };
}

/**
 * Requests that pass the door and ask for nothing: they name no session, which the gateway says at once.
 * @param {Agent} agent
 * @param {number} port
 * @param {(at: number) => string} tokenOf
 * @param {number} count
 */
async function ask(agent, port, tokenOf, count) {
  let at = 0;
  const work = async () => {
    while (at < count) {
      const headers = { authorization: `Bearer ${tokenOf(at++)}`, accept: "text/event-stream" };
      const status = await new Promise((resolve, reject) => {
        const asked = request({ host: "127.0.0.1", port, path: "/mcp", agent, headers }, (answer) => {
          answer.resume().once("end", () => resolve(answer.statusCode));
        });
        asked.once("error", reject).end();
      });
      if (status !== 400) throw new Error(`refused with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
}

/** Somebody who signs tokens for persons. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256", use: "sig" }] });
  const server = createServer(({ url }, response) => {
    response.end(url === "/keys" ? keys : JSON.stringify({ issuer: address, jwks_uri: `${address}/keys` }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const address = `http://127.0.0.1:${port}`;
  let last = 0;
  return {
    address,
    close: () => server.close(),
    sign() {
      last += 1;
      const exp = Math.floor(Date.now() / 1000) + 3_000;
      const sub = `service-${last % 100}`;
      const claims = { iss: address, sub, aud: "https://tools.example.com/mcp", exp, jti: `${last}`, azp: "ci" };
      return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "1", typ: "at+jwt" }).sign(privateKey);
    },
  };
}
