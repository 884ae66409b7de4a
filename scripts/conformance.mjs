// Holds the gateway to the official conformance suite: our fixture server is measured directly and behind the gateway,
// unprefixed, for both protocol versions. The gateway must pass everything that the fixture passes, and 2025-11-25 whole.
// TOOLCRIB_NO_CONFORMANCE=1 leaves it out, for machines without a registry.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "yaml";
import { findNode, installOutside } from "./outside-packages.mjs";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SUITE = { name: "@modelcontextprotocol/conformance", version: "0.2.0-alpha.12" };
/** What is measured, before servers of which protocol; where `whole`, the gateway may miss nothing that is required. */
const RUNS = /** @type {const} */ ([
  { revision: "2025-11-25", only: null, whole: true },
  { revision: "2025-11-25", only: "legacy", whole: true },
  { revision: "2026-07-28", only: null, whole: false },
]);
/** @typedef {{ scored: string[], passed: Set<string>, output: string }} Measured */

const PATIENCE = 5 * 60_000;
const TOKEN = "conformance-token-of-no-other-use";

process.exitCode = await main();

async function main() {
  if (process.env.TOOLCRIB_NO_CONFORMANCE === "1") {
    process.stderr.write("conformance: left out, as TOOLCRIB_NO_CONFORMANCE=1 says\n");
    return 0;
  }
  if (!ensureReady(ROOT)) return 1;
  const node = findNode(22, 18);
  const packages = node && installOutside("conformance", [`${SUITE.name}@${SUITE.version}`]);
  if (node === null || packages === null) {
    process.stderr.write("conformance: it needs a registry; TOOLCRIB_NO_CONFORMANCE=1 leaves it out\n");
    return 1;
  }
  const suite = join(packages, SUITE.name);
  const place = mkdtempSync(join(tmpdir(), "toolcrib-conformance-"));
  let isFine = true;
  try {
    for (const { revision, only, whole } of RUNS) {
      const fixture = await startFixture(node, only);
      const gateway = await startGateway(fixture.url, place);
      try {
        const direct = await measure(node, suite, fixture.url, revision, place);
        const behind = await measure(node, suite, gateway.url, revision, place);
        if (direct.passed.size === 0)
          throw new Error(`nothing passes at the fixture for ${revision}:\n${direct.output}`);
        const of = only === null ? "both protocols" : `the ${only === "legacy" ? "older" : "newer"} protocol only`;
        const score = (/** @type {Measured} */ { passed, scored }) => `${passed.size}/${scored.length}`;
        process.stdout.write(`${revision}: fixture of ${of} ${score(direct)}, behind the gateway ${score(behind)}\n`);
        const wanted = whole ? direct.scored : [...direct.passed];
        for (const name of wanted.filter((one) => !behind.passed.has(one))) {
          isFine = false;
          process.stdout.write(`  missed behind the gateway: ${name}\n${indent(detailOf(behind.output, name))}`);
        }
      } finally {
        await gateway.close();
        fixture.close();
      }
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  process.stdout.write(isFine ? "The gateway passes whatever the fixture passes.\n" : "The gateway loses scenarios.\n");
  return isFine ? 0 : 1;
}

/**
 * @param {string} node
 * @param {"legacy" | null} only
 */
async function startFixture(node, only) {
  const args = [join(ROOT, "test", "conformance", "fixture-server.ts"), ...(only === null ? [] : [only])];
  const child = spawn(node, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((/** @type {(url: string) => void} */ resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk).trim()));
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the fixture ended with ${code}`)));
  });
  return { url, close: () => child.kill() };
}

/**
 * The gateway as it is built, with a door in front that adds the token: the suite cannot present one.
 * @param {string} fixture
 * @param {string} place
 */
async function startGateway(fixture, place) {
  const load = (/** @type {string} */ path) => import(pathToFileURL(join(ROOT, "dist", path)).href);
  const { loadOptions } = await load("config/load-options.js");
  const { openCrib } = await load("runtime/crib/open-crib.js");
  const { createGateway } = await load("surfaces/gateway/gateway.js");
  const { createHttpServer } = await load("surfaces/http/door/http-server.js");
  const input = { cwd: place, home: place, env: { PATH: process.env.PATH }, systemPolicy: join(place, "none.yaml") };
  const options = {
    mcpServers: { fixture: { type: "http", url: fixture } },
    gateway: { unprefixed: "fixture" },
    includeTools: ["fixture"],
    toolSearch: "off",
  };
  const config = await loadOptions(options, "conformance", input);
  const crib = await openCrib(config, { ...input, version: "0", workspace: place, drain: 0 });
  const gateway = createGateway(crib, {
    version: "0",
    onError: (/** @type {string} */ text, /** @type {unknown} */ error) =>
      process.stderr.write(`gateway: ${text}: ${error instanceof Error ? error.stack : error}\n`),
  });
  const server = await createHttpServer({
    ...{ host: "127.0.0.1", port: 0, mcp: gateway.handleHttp, api: null, metrics: null, page: null },
    access: { token: TOKEN, clients: [] },
    limits: { requestsPerSecond: 10_000, burst: 10_000 },
  });
  const door = await openDoor(server.port);
  return {
    url: door.url,
    async close() {
      door.close();
      await gateway.close();
      await server.close();
      await crib.close();
    },
  };
}

/** @param {number} port */
async function openDoor(port) {
  const door = createServer((request, response) => {
    const own = `:${portOf(door)}`;
    const rename = (/** @type {string | undefined} */ value) =>
      value?.endsWith(own) ? `${value.slice(0, -own.length)}:${port}` : value;
    const { host, origin } = request.headers;
    const headers = {
      ...request.headers,
      authorization: `Bearer ${TOKEN}`,
      host: rename(host),
      ...(origin === undefined ? {} : { origin: rename(origin) }),
    };
    const passed = httpRequest({ host: "127.0.0.1", port, path: request.url, method: request.method, headers });
    passed.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise((/** @type {(done: void) => void} */ resolve) => door.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(door)}/mcp`,
    close() {
      door.close();
      door.closeAllConnections();
    },
  };
}

/** @param {import("node:http").Server} server */
function portOf(server) {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/**
 * Which scenarios of one revision pass at an address.
 * @param {string} node
 * @param {string} suite
 * @param {string} url
 * @param {string} revision
 * @param {string} place
 * @returns {Promise<Measured>}
 */
async function measure(node, suite, url, revision, place) {
  /** @type {{ server: string[] }} */
  const { server: scored } = parse(readFileSync(join(suite, "requirements", `${revision}.yaml`), "utf8"));
  const args = [join(suite, "dist", "index.js"), "server", "--url", url, "--requirements", revision];
  const output = await run(node, args, place);
  /** @type {Set<string>} */
  const passed = new Set();
  for (const [, mark, name, failures] of output.matchAll(/^([✓✗]) ([\w./-]+): \d+ passed, (\d+) failed/gmu))
    if (mark === "✓" && failures === "0" && name !== undefined && scored.includes(name)) passed.add(name);
  return { scored, passed, output };
}

/**
 * @param {string} node
 * @param {string[]} args
 * @param {string} cwd
 */
function run(node, args, cwd) {
  return new Promise((/** @type {(output: string) => void} */ resolve, reject) => {
    const child = spawn(node, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    /** @type {Buffer[]} */
    const parts = [];
    child.stdout.on("data", (part) => parts.push(part));
    child.stderr.on("data", (part) => parts.push(part));
    child.once("error", reject);
    child.once("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString());
    });
  });
}

/**
 * What the suite printed while it ran one scenario.
 * @param {string} output
 * @param {string} name
 */
function detailOf(output, name) {
  const from = output.indexOf(`=== Running scenario: ${name} ===`);
  if (from < 0) return "it did not run";
  const to = output.indexOf("=== ", from + 4 + name.length + 24);
  return output.slice(from, to < 0 ? undefined : to).slice(0, 4_000);
}

/** @param {string} text */
function indent(text) {
  return `${text.trim().replace(/^/gm, "    ")}\n`;
}
