/**
 * Introduces a client and asks for the tools, as often as it takes until `isAll` of them are there.
 * @param {import("node:stream").Writable} input
 * @param {import("node:readline").Interface} lines
 * @param {(tools: readonly { name: string }[]) => boolean} [isAll]
 * @returns {Promise<void>}
 */
export function sayHello(input, lines, isAll = () => true) {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  /** @param {object} message */
  const send = (message) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let asked = 1;
  const ask = () => {
    asked += 1;
    send({ id: asked, method: "tools/list" });
  };
  send({ id: 1, method: "initialize", params });
  return new Promise((resolve) => {
    lines.on("line", (line) => {
      // One of the servers says on standard output that it starts.
      if (!line.startsWith("{")) return;
      const { id, method, result } = JSON.parse(line);
      if (id === 1) {
        send({ method: "notifications/initialized" });
        ask();
      } else if (id === asked && isAll(result.tools)) resolve();
      else if (method === "notifications/tools/list_changed") ask();
    });
  });
}
