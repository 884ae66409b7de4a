import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { startFixture } from "../conformance/fixture-server.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { connect } from "./clients.ts";
import { openGateway } from "./world.ts";

const DEAF = fileURLToPath(new URL("../fixtures/deaf-server.mjs", import.meta.url));

test("a server that never lists its resources holds the others up once, and not each time (C4)", async () => {
  const fixture = await startFixture("legacy");
  onTestFinished(() => fixture.close());
  const clock = createFakeClock();
  const { url } = await openGateway(
    {
      mcpServers: { deaf: { command: process.execPath, args: [DEAF] }, fix: { type: "http", url: fixture.url } },
    },
    { gateway: { clock } },
  );
  const { client } = await connect(url, "legacy");
  await client.listTools();
  /** As soon as so many timers are left, one of them with that delay: each server that has answered gives its own back. */
  const listAfter = async (delay: number, timers: number) => {
    const listed = client.listResources();
    const isAlone = () => {
      expect(clock.pending).toContain(delay);
      expect(clock.pending).toHaveLength(timers);
    };
    await vi.waitFor(isAlone, { timeout: 30_000 });
    clock.advance(delay);
    return (await listed).resources.map(({ uri }) => uri);
  };
  const first = await listAfter(10_000, 2);
  expect(first).toContain("test://static-text");
  expect(await listAfter(500, 3)).toEqual(first);
  expect(await listAfter(500, 3)).toEqual(first);
});
