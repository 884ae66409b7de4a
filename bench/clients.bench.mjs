import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const CLIENTS = 1_000;
const UNIT = 50;
const MB = 1024 * 1024;
const GATEWAY = fileURLToPath(new URL("./clients-gateway.mjs", import.meta.url));
const CROWD = fileURLToPath(new URL("./clients-crowd.mjs", import.meta.url));

/** @typedef {{ clients: number, views: number, rss: number }} State */

/** Clients that leave without a word: what the gateway still holds of them after the idle time. */
export async function run() {
  const gateway = fork(GATEWAY);
  try {
    const [{ port }] = await once(gateway, "message");
    /** @returns {Promise<State>} */
    const look = async () => {
      gateway.send("look");
      const [state] = await once(gateway, "message");
      return state;
    };
    const children = () => childrenOf(gateway.pid ?? 0);
    const before = { ...(await look()), children: children() };
    const crowd = fork(CROWD, [String(port), String(CLIENTS)]);
    await once(crowd, "message");
    const during = await look();
    if (during.clients !== CLIENTS) throw new Error(`${during.clients} clients instead of ${CLIENTS}`);
    crowd.kill("SIGKILL");
    for (let left = 300; left > 0 && (await look()).views > 0; left--) await pause(100);
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
