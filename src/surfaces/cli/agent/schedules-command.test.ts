import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const WRITE = `replies:
  - calls: [{ tool: create, arguments: { path: new.txt, content: made } }]
  - text: Done.
`;
const KEEP = `replies:
  - calls: [{ tool: manage_schedule, arguments: { action: add, cron: "0 9 * * *", prompt: Look, mode: plan } }]
  - calls: [{ tool: manage_schedule, arguments: { action: list } }]
  - text: Kept.
`;

function machine(files: Readonly<Record<string, string>> = {}) {
  const { cwd, home } = createMachine({ "write.yaml": WRITE, "keep.yaml": KEEP, ...files });
  const cli = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  const listed = async () => JSON.parse((await cli("schedules", "--json")).out).schedules;
  return { cwd, cli, listed };
}

test("schedules are added, listed, run at once and removed; what nobody allows is denied (B7, T11)", async () => {
  const { cwd, cli, listed } = machine();
  expect((await cli("schedules")).out).toContain("There are no schedules here");
  const added = await cli("schedules", "add", "Make a file", "--every", "2h", "--model", "scripted:write.yaml");
  expect(added).toMatchObject({
    status: 0,
    out: expect.stringContaining("Nothing runs it yet: set features.schedule: true"),
  });
  const [{ id, every, prompt, last }] = await listed();
  expect({ every, prompt, last }).toEqual({ every: 7_200_000, prompt: "Make a file", last: null });
  const ran = await cli("schedules", "run", id, "--json");
  expect(JSON.parse(ran.out)).toMatchObject({ stopReason: "end", text: "Done." });
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
  expect(await listed()).toMatchObject([{ last: { end: "end", sessionId: JSON.parse(ran.out).session } }]);
  expect((await cli("sessions")).out).toContain("Make a file");
  expect((await cli("schedules", "remove", id)).out).toBe(`${id} is removed.\n`);
  expect(await listed()).toEqual([]);
  expect((await cli("schedules", "run", id)).err).toContain("there is no schedule");
});

test.each([
  [["add", "Look"], "either a cron line or an interval"],
  [["add", "Look", "--every", "soon"], "--every takes 30m, 2h or 1d"],
  [["add", "Look", "--cron", "0 9 * *"], "is not a cron line"],
  [["add", "Look", "--every", "1h", "--agent", "nobody"], "nobody"],
  [["remove"], "needs the ID"],
])("schedules %j says what is wrong", async (argv, why) => {
  const { status, err } = await machine().cli("schedules", ...argv);
  expect({ status: status > 1, err }).toEqual({ status: true, err: expect.stringContaining(why) });
});

test("a model keeps one where the feature is on and somebody allows the call; else the tool is not there (B7)", async () => {
  const off = machine();
  expect((await off.cli("why", "manage_schedule")).out).toContain("scheduling is off");
  const on = machine({ user: "features: { schedule: true }\npermissions: { allow: [manage_schedule] }\n" });
  const { err, out } = await on.cli("run", "Go", "--model", "scripted:keep.yaml");
  expect({ out, err: err.includes("✗") }).toEqual({ out: "Kept.\n", err: false });
  expect(await on.listed()).toMatchObject([{ cron: "0 9 * * *", prompt: "Look", mode: "plan" }]);
});
