import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { TOKEN } from "./gateway-token.mjs";

const CLIENTS = 1_000;
/** Each has a stream; one process may have some 20,000 files open here. */
const LISTENING = 10_000;
const ABANDONED = 10_000;
const AT_ONCE = 25;
const UNIT = 50;
const MB = 1024 * 1024;
const GATEWAY = fileURLToPath(new URL("./clients-gateway.mjs", import.meta.url));
const CROWD = fileURLToPath(new URL("./clients-crowd.mjs", import.meta.url));

/** @typedef {{ clients: number, views: number, rss: number }} State */

/** Clients that leave without a word: what the gateway still holds of them, at once and after the idle time; and many that stay. */
export async function run() {
  return [...(await killed()), await abandoned(), await listening("2025-11-25"), await listening("2026-07-28")];
}

/**
 * Each has a stream, and a session where the protocol has them, has listed its tools and made a call, and is silent from
 * then on.
 * @param {string} version
 */
async function listening(version) {
  const gateway = fork(GATEWAY, [JSON.stringify({ sessionsEach: LISTENING + 1, sessions: LISTENING + 1 })]);
  const [{ port }] = await once(gateway, "message");
  const look = lookAt(gateway);
  const before = await look();
  const crowd = fork(CROWD, [String(port), String(LISTENING), version]);
  try {
    const [said] = await Promise.race([once(crowd, "message"), once(crowd, "exit")]);
    if (said !== "all there") throw new Error(`not all of ${LISTENING} clients were answered`);
    // Memory goes back to the machine once nobody has gone to rest for a while.
    await pause(6_000);
    const after = await look();
    if (after.clients !== LISTENING && version < "2026")
      throw new Error(`${after.clients} clients instead of ${LISTENING}`);
    const each = (after.rss - before.rss) / LISTENING / 1024;
    return {
      name: `${LISTENING.toLocaleString("en")} clients of ${version} that listen, have listed and called once, and are silent: memory of each, in units of 40 KB`,
      measured: `${each.toFixed(0)} KB (${toMb(before.rss)} before, ${toMb(after.rss)} with all, ${after.views} held whole)`,
      ratio: each / 40,
      limit: 1,
    };
  } finally {
    crowd.kill("SIGKILL");
    gateway.kill("SIGKILL");
  }
}

/** Each opens a session, as a program does that never ends one. */
async function abandoned() {
  const gateway = fork(GATEWAY);
  try {
    const [{ port }] = await once(gateway, "message");
    const look = lookAt(gateway);
    await openSessions(port, 200);
    const before = await look();
    await openSessions(port, ABANDONED);
    await pause(3_000);
    const after = await look();
    const taken = Math.max(0, (after.rss - before.rss) / MB);
    return {
      name: `${ABANDONED.toLocaleString("en")} sessions of one token that nobody ends: memory that they take, in units of 64 MB`,
      measured: `${taken.toFixed(0)} MB (${toMb(before.rss)} before, ${after.clients} kept)`,
      ratio: taken / 64,
      limit: 1,
    };
  } finally {
    gateway.kill("SIGKILL");
  }
}

/** @param {number} port @param {number} many */
async function openSessions(port, many) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const headers = {
    ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
    authorization: `Bearer ${TOKEN}`,
  };
  for (let from = 0; from < many; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body });
        if (answer.status !== 200) throw new Error(await answer.text());
        await answer.arrayBuffer();
      }),
    );
}

/** @param {import("node:child_process").ChildProcess} gateway @returns {() => Promise<State>} */
const lookAt = (gateway) => async () => {
  gateway.send("look");
  const [state] = await once(gateway, "message");
  return state;
};

async function killed() {
  const gateway = fork(GATEWAY, [JSON.stringify({ idle: 3_000, sessionsEach: CLIENTS })]);
  try {
    const [{ port }] = await once(gateway, "message");
    const look = lookAt(gateway);
    const children = () => childrenOf(gateway.pid ?? 0);
    const before = { ...(await look()), children: children() };
    const crowd = fork(CROWD, [String(port), String(CLIENTS)]);
    await once(crowd, "message");
    const during = await look();
    if (during.clients !== CLIENTS) throw new Error(`${during.clients} clients instead of ${CLIENTS}`);
    crowd.kill("SIGKILL");
    for (let left = 300; left > 0 && (await look()).clients > 0; left--) await pause(100);
    // Pages go back to the machine a moment after they were given up.
    await pause(3_000);
    const after = { ...(await look()), children: children() };
    const left = Math.max(0, (after.rss - before.rss) / MB);
    return [
      {
        name: `${CLIENTS.toLocaleString("en")} clients whose process is killed: memory left after the idle time, in units of ${UNIT} MB`,
        measured: `${left.toFixed(0)} MB (${toMb(before.rss)} before, ${toMb(during.rss)} with all of them)`,
        ratio: left / UNIT,
        limit: 1,
      },
      {
        name: "the same: sessions and processes left",
        measured: `${after.views} sessions, ${after.children - before.children} processes`,
        ratio: after.clients + after.views + after.children - before.children,
        limit: 0,
      },
    ];
  } finally {
    gateway.kill("SIGKILL");
  }
}

/** @param {number} bytes */
const toMb = (bytes) => `${(bytes / MB).toFixed(0)} MB`;

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * How many processes one has started and not ended; none where there is no /proc.
 * @param {number} pid
 */
function childrenOf(pid) {
  let children = 0;
  for (const name of existsSync("/proc") ? readdirSync("/proc") : []) {
    try {
      const text = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/stat`, "utf8") : "";
      if (Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]) === pid) children += 1;
    } catch {
      // It ended meanwhile.
    }
  }
  return children;
}
