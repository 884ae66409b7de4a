import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openAuditLog } from "../../src/runtime/audit/audit-log.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { newMachine } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

/** From util-linux; it gives a program a terminal, which goes when it is killed. */
const TERMINAL = "script";

test("a terminal that is closed ends what runs in it by the signal, and nothing aborts", needs("script"), async () => {
  const { cwd, env, bin } = newMachine();
  const log = await openAuditLog({ path: join(cwd, "calls.jsonl"), onError: () => {} });
  await log.close();
  const status = join(cwd, "status");
  // The shell outlives the hangup, passes it on as shells do, and tells how its child ended.
  const child = `'${process.execPath}' '${bin}' audit calls.jsonl --follow & pid=$!`;
  const command = `${child}; trap "kill -HUP $pid" HUP; wait $pid; wait $pid; echo $? > '${status}'`;
  const terminal = spawn(TERMINAL, ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, SHELL: "/bin/sh", ...env },
    stdio: ["pipe", "pipe", "ignore"],
  });
  onTestFinished(() => void terminal.kill("SIGKILL"));
  let shown = "";
  terminal.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  await vi.waitUntil(() => shown.includes("log.closed"), 30_000);
  terminal.kill("SIGKILL");
  await vi.waitUntil(() => existsSync(status) && readFileSync(status, "utf8") !== "", 30_000);
  expect(Number(readFileSync(status, "utf8"))).toBe(128 + 1);
});
