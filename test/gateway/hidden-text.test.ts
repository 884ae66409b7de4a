import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

vi.setConfig({ testTimeout: 90_000 });

const SERVER = fileURLToPath(new URL("../fixtures/echo-server.mjs", import.meta.url));

test.each(["legacy", "modern"] as const)(
  "a %s client gets nothing of a result that a person would not see",
  async (era) => {
    const { url } = await openGateway({
      mcpServers: { echo: { command: process.execPath, args: [SERVER] } },
      includeTools: ["echo"],
      toolSearch: "off",
    });
    const { client } = await connect(url, era);
    const say = (text: string) => client.callTool({ name: "echo__echo", arguments: { text } });
    const cleaned = await say("done\u{e0069}\u{e0067}\u202e\u001b[8m, see 👩‍👩‍👧 and می‌خواهم");
    expect(textOf(cleaned)).toBe("done, see 👩‍👩‍👧 and می‌خواهم");
    expect(cleaned._meta).toMatchObject({ "toolcrib/dropped-characters": 4 });
    const plain = "as it was\r\n\tnaïve 日本 👩‍👩‍👧";
    const untouched = await say(plain);
    expect(textOf(untouched)).toBe(plain);
    expect(untouched._meta ?? {}).not.toHaveProperty("toolcrib/dropped-characters");
  },
);
