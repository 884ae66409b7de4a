import { Agent, request } from "node:http";
import { TOKEN } from "./gateway-targets.mjs";

/**
 * A client that does as little as it can, so that the server is what is measured.
 * @param {number} port
 */
export async function openRawSession(port) {
  const agent = new Agent({ keepAlive: true });
  /** @type {string | undefined} */
  let session;
  let last = 0;
  const post = (/** @type {string} */ method, /** @type {object} */ params = {}) =>
    send({ jsonrpc: "2.0", id: ++last, method, params });

  /** @returns {Promise<{ text: string, session: string | undefined }>} */
  const send = (/** @type {object} */ message) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      const headers = {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${TOKEN}`,
        ...(session === undefined ? {} : { "mcp-session-id": session }),
      };
      const sent = request({ port, host: "127.0.0.1", path: "/mcp", method: "POST", agent, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        answer.once("end", () => resolve({ text, session: answer.headers["mcp-session-id"]?.toString() }));
      });
      sent.once("error", reject);
      sent.end(body);
    });

  for (let left = 100; ; left--) {
    try {
      const clientInfo = { name: "bench", version: "1" };
      const opened = await post("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
      session = opened.session;
      break;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  return {
    post,
    /** Lists until the answer holds a text. */
    async until(/** @type {string} */ wanted) {
      for (let left = 300; !(await post("tools/list")).text.includes(wanted); left--) {
        if (left === 0) throw new Error(`there is no ${wanted}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    close: () => agent.destroy(),
  };
}
