import { beforeAll, expect, test, vi } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { runCli } from "../support/run-cli.ts";
import { newMachine, startUp } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

test("up runs what came due while nothing was up, once, with nobody there to be asked (B7, T11)", async () => {
  const machine = newMachine({
    user: "features: { schedule: true }\nmodel: scripted:play.yaml\n",
    "play.yaml": "replies: [{ text: Looked. }]\n",
  });
  const { cwd, home } = machine;
  const cli = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  // Due in an hour, and the clock of the first process is two hours behind.
  const now = Date.now;
  const behind = vi.spyOn(Date, "now").mockImplementation(() => now() - 7_200_000);
  await cli("schedules", "add", "Look around", "--every", "1h");
  behind.mockRestore();
  const up = await startUp(machine);
  expect(await up.says(/schedule \S+: .*\n/)).toMatch(/: end\n$/);
  await up.end();
  const [schedule] = JSON.parse((await cli("schedules", "--json")).out).schedules;
  expect(schedule).toMatchObject({ prompt: "Look around", last: { end: "end" }, skipped: 0 });
  expect(Date.parse(schedule.next)).toBeGreaterThan(Date.now());
  const { sessions } = JSON.parse((await cli("sessions", "--json")).out);
  expect(sessions).toMatchObject([{ id: schedule.last.sessionId, prompt: "Look around" }]);
});
