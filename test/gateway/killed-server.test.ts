import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

const SERVER = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));

test.each(["legacy", "modern"] as const)(
  "a %s client over HTTP finds its server running again by itself after it was killed, without connecting again",
  async (era) => {
    const { url, gateway } = await openGateway({
      mcpServers: { it: { command: process.execPath, args: [SERVER] } },
      permissions: { allow: ["it/*"] },
      includeTools: ["it"],
      toolSearch: "off",
    });
    const { client } = await connect(url, era);
    const call = async (name: string, args = {}) => {
      const answer = await client.callTool({ name, arguments: args });
      return answer.isError === true ? "failed" : textOf(answer);
    };
    const first = Number(await call("it__pid"));
    const sessions = gateway.clients.map(({ sessionId }) => sessionId);
    // A process of this very test.
    process.kill(first, "SIGKILL");
    await vi.waitFor(async () => expect(await call("it__echo", { text: "hi" })).toBe("hi"), { timeout: 25_000 });
    expect(Number(await call("it__pid"))).not.toBe(first);
    expect(gateway.clients.map(({ sessionId }) => sessionId)).toEqual(sessions);
  },
);
