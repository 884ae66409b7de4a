import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import {
  call,
  curious,
  happens,
  misbehaving,
  openSource,
  reaches,
  runContext,
} from "../../../test/support/mcp-sources.ts";
import { makeTempFolder } from "../../../test/support/temp-folder.ts";
import type { ConnectionPlaces, PlaceHolder } from "../parts/connection-places.ts";
import { openStoredList } from "../parts/stored-list.ts";
import type { McpSource } from "./mcp-source.ts";

const IDLE = 600_000;
const REST = "is at rest until it is used";

/** Places enough for everybody, unless told otherwise. */
function openPlaces() {
  const holders = new Set<PlaceHolder>();
  const state: { full: string | null } = { full: null };
  const places: ConnectionPlaces = {
    idle: IDLE,
    take(holder) {
      if (state.full !== null) return state.full;
      holders.add(holder);
      return () => void holders.delete(holder);
    },
  };
  return { places, holders, state };
}

async function pidOf(source: McpSource): Promise<number> {
  const { textResultForLlm } = await call(source, "pids");
  return JSON.parse(textResultForLlm)[0];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a server of one person ends when nothing has used it for a while, keeps its list, and the next call starts it", async () => {
  const clock = createFakeClock();
  const { places, holders } = openPlaces();
  const source = openSource(misbehaving(), { clock, places });
  const pid = await pidOf(source);
  clock.advance(IDLE - 1);
  expect(source.status.reason).toBeNull();
  expect(await pidOf(source)).toBe(pid);
  clock.advance(IDLE - 1);
  expect(source.status.reason).toBeNull();
  const tools = await source.list(AbortSignal.timeout(1_000));
  clock.advance(1);
  expect(source.status).toMatchObject({ state: "connected", reason: REST });
  expect(holders.size).toBe(0);
  clock.advance(1_000);
  await vi.waitUntil(() => !isRunning(pid), 30_000);
  expect(await source.list(AbortSignal.timeout(1_000))).toEqual(tools);
  expect(await pidOf(source)).not.toBe(pid);
  expect(holders.size).toBe(1);
  expect(source.status.reason).toBeNull();
});

test("what runs, and a resource that somebody follows, keeps it from resting", async () => {
  const clock = createFakeClock();
  const { places } = openPlaces();
  const source = openSource(curious(), { clock, places });
  await reaches(source, "connected");
  const options = { signal: AbortSignal.timeout(60_000), client: null };
  const uri = "test://notes";
  expect((await source.peer.request("resources/subscribe", { uri }, options)).kind).toBe("result");
  clock.advance(3 * IDLE);
  expect(source.peer.era).toBe("modern");
  await source.peer.request("resources/unsubscribe", { uri }, options);
  clock.advance(IDLE);
  expect(source.peer.era).toBeNull();

  const other = openSource(misbehaving(), { clock, places });
  const stop = new AbortController();
  await reaches(other, "connected");
  const hangs = call(other, "hang", {}, runContext({ signal: stop.signal }));
  // Its own limit of time ends a call long before.
  clock.advance(100_000);
  expect(other.status.reason).toBeNull();
  stop.abort();
  await hangs;
});

test("one whose list is known from before starts when somebody uses it, and tells what else it has", async () => {
  const file = join(makeTempFolder(), "list.json");
  const first = openSource(curious("legacy"), { stored: await openStoredList(file) });
  await reaches(first, "connected");
  const { capabilities } = first.peer;
  const listed = (await first.list(AbortSignal.timeout(1_000))).map(({ name }) => name);
  await first.close();

  const { places, holders } = openPlaces();
  const stored = await openStoredList(file);
  const later = openSource(curious("legacy"), { stored, places, startsAtRest: true });
  expect(later.status).toMatchObject({ state: "connected", reason: REST });
  expect((await later.list(AbortSignal.timeout(1_000))).map(({ name }) => name)).toEqual(listed);
  expect(later.peer.capabilities).toEqual(capabilities);
  expect(capabilities).toHaveProperty("prompts");
  expect(holders.size).toBe(0);
  const answer = await later.peer.request("prompts/list", {}, { signal: AbortSignal.timeout(60_000), client: null });
  expect(answer.kind).toBe("result");
  expect(holders.size).toBe(1);
});

test("without a place it is not started, says why and where, and the next call tries again", async () => {
  const { places, state } = openPlaces();
  const clock = createFakeClock();
  const source = openSource(misbehaving(), { clock, places });
  await reaches(source, "connected");
  clock.advance(IDLE);
  state.full = "all 2 connections are in use (config.yaml:7)";
  expect((await call(source, "pids")).textResultForLlm).toBe(
    'The MCP server "it" is not started, because all 2 connections are in use (config.yaml:7).',
  );
  expect(source.status.state).toBe("stale");
  expect(clock.pending).toEqual([IDLE]);
  state.full = null;
  await pidOf(source);
  await happens(source, () => source.status.reason === null);
});

test("one that lists nothing yet goes on trying to get a place", async () => {
  const { places, state } = openPlaces();
  state.full = "there are too many";
  const clock = createFakeClock();
  const source = openSource(misbehaving(), { clock, places });
  await reaches(source, "failed");
  expect(source.status.reason).toBe("is not started, because there are too many");
  state.full = null;
  clock.advance(30_000);
  await reaches(source, "connected");
  expect((await source.list(AbortSignal.timeout(1_000))).length).toBeGreaterThan(0);
});
