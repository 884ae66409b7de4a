import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { openAuditLog } from "../../../runtime/audit/audit-log.ts";

async function world() {
  const { cwd, home } = createMachine();
  const path = join(cwd, "calls.jsonl");
  const log = await openAuditLog({
    path,
    onError: (text) => {
      throw new Error(text);
    },
  });
  for (let at = 0; at < 60; at += 1)
    log.note({ type: "config.reloaded", text: `reload ${at}\u001b[2J`, client: at % 2 === 0 ? "even" : "odd" });
  await log.close();
  const cli = (...argv: readonly string[]) => runCli(["audit", ...argv], { cwd, env: { HOME: home } });
  return { cli, path };
}

test("the newest rows come last, as many as wanted, and nothing in them steers the terminal", async () => {
  const { cli } = await world();
  const { status, out } = await cli("calls.jsonl");
  const lines = out.trimEnd().split("\n");
  expect(status).toBe(0);
  expect(lines).toHaveLength(50);
  expect(lines.at(-1)).toContain("log.closed");
  expect(lines.at(-2)).toContain("reload 59\\x1b[2J");
  expect((await cli("calls.jsonl", "--limit", "2")).out.trimEnd().split("\n")).toHaveLength(2);
});

test("filters and --json give one row on each line", async () => {
  const { cli } = await world();
  const { out } = await cli("calls.jsonl", "--client", "ev*", "--json", "--limit", "3");
  const rows = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.map(({ client }) => client)).toEqual(["even", "even", "even"]);
  expect((await cli("calls.jsonl", "--since", "1h", "--client", "odd")).out).toContain("reload 59");
  expect(await cli("calls.jsonl", "--tool", "nothing")).toMatchObject({ status: 0, out: "", err: "no row matches\n" });
});

test("a row says with which token a client came, where it is one of its own", async () => {
  const { cwd, home } = createMachine();
  const log = await openAuditLog({ path: join(cwd, "calls.jsonl"), onError: () => {} });
  log.note({ type: "session.opened", text: "opened", client: "ide", principal: "main" });
  log.note({ type: "session.opened", text: "opened", client: "ide", principal: "client-2" });
  log.note({ type: "session.principal_mismatch", text: "client-2 presented it", principal: "client-2" });
  await log.close();
  const { out } = await runCli(["audit", "calls.jsonl"], { cwd, env: { HOME: home } });
  expect(out).toMatch(/session\.opened {2}ide {2}opened\n.*session\.opened {2}ide \(client-2\) {2}opened\n/);
  expect(out).toContain("session.principal_mismatch  client-2 presented it\n");
});

test("rows of files that were full count too, and --verify names the file in which something is wrong", async () => {
  const { cwd, home } = createMachine();
  const path = join(cwd, "calls.jsonl");
  const log = await openAuditLog({ path, fileBytes: 2_000, onError: () => {} });
  for (let at = 0; at < 20; at += 1) {
    log.note({ type: "config.reloaded", text: `reload ${at}` });
    await log.flush();
  }
  await log.close();
  const cli = (...argv: readonly string[]) => runCli(["audit", "calls.jsonl", ...argv], { cwd, env: { HOME: home } });
  const texts = (await cli("--limit", "100")).out.match(/reload \d+/g);
  expect(texts).toEqual(Array.from({ length: 20 }, (_, at) => `reload ${at}`));
  expect((await cli("--verify")).status).toBe(0);
  writeFileSync(`${path}.2`, readFileSync(`${path}.2`, "utf8").replace("reload", "relead"));
  expect(await cli("--verify")).toMatchObject({
    status: 1,
    out: expect.stringMatching(/^\S+calls\.jsonl\.2:\d+ was changed after it was written\n/),
  });
});

test("--verify says what it looked at", async () => {
  const { cli, path } = await world();
  expect(await cli("calls.jsonl", "--verify")).toMatchObject({
    status: 0,
    out: "62 rows of 1 run: as they were written\n",
  });
  const { out } = await cli("calls.jsonl", "--verify", "--json");
  expect(JSON.parse(out)).toEqual({ file: path, rows: 62, runs: 1, open: 0, hasHead: true, problems: [] });
});

test("where nothing was called yet, it says where it looked", async () => {
  const { cwd, home } = createMachine();
  const { status, err } = await runCli(["audit"], { cwd, env: { HOME: home } });
  expect(status).toBe(0);
  expect(err).toMatch(/there is no log yet at .*\.local\/state\/toolcrib\/audit\/work-[0-9a-f]{8}\/audit\.jsonl/);
  expect(err).toContain("Toolcrib begins one with the first session");
});

test("a log that is not there is as nobody wrote it: --verify and a file by name say so and fail", async () => {
  const { cwd, home } = createMachine();
  for (const argv of [["--verify"], ["gone.jsonl"], ["gone.jsonl", "--verify"]]) {
    const { status, out } = await runCli(["audit", ...argv, "--json"], { cwd, env: { HOME: home } });
    expect([status, JSON.parse(out).error.code]).toEqual([1, "audit.not-found"]);
  }
});

test("what is there and is no log is told as what it is", async () => {
  const { cwd, home, write } = createMachine({ "notes.txt": "no row\n" });
  const asked = (...argv: string[]) => runCli(["audit", ...argv], { cwd, env: { HOME: home } });
  expect(await asked("notes.txt")).toMatchObject({
    status: 1,
    err: expect.stringContaining("notes.txt cannot be read as a log: it holds no row of one"),
  });
  write("folder/x", "");
  for (const argv of [["folder"], ["folder", "--verify"], ["folder", "--follow"]])
    expect(await asked(...argv)).toMatchObject({ status: 1, err: expect.stringContaining("it is a directory") });
});

test.each([
  ["--since", "yesterday-ish"],
  ["--decision", "maybe"],
  ["--limit", "0"],
])("%s %s is wrong usage", async (option, value) => {
  const { cwd, home } = createMachine();
  expect((await runCli(["audit", option, value], { cwd, env: { HOME: home } })).status).toBe(2);
});

test("a mistake in the configuration keeps nobody from the log and from what was approved", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": "excludTools: [a]\n" });
  const env = { HOME: home };
  expect(await runCli(["audit"], { cwd, env })).toMatchObject({
    status: 0,
    err: expect.stringContaining("no log yet"),
  });
  expect(await runCli(["grants"], { cwd, env })).toMatchObject({
    status: 0,
    out: "No approvals are kept.\n",
    err: expect.stringMatching(/^approvals in a store are left out: .*excludTools/s),
  });
  expect((await runCli(["config"], { cwd, env })).status).toBe(3);
});
