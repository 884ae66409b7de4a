import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { untilHolds } from "../support/poll.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

beforeAll(ensureBuilt, 120_000);

const WORKER = fileURLToPath(new URL("../fixtures/store/taking-shares.mjs", import.meta.url));
const MOST = 3_000;
const KILLS = 12;

/** Three processes use up one limit, of which one after the other is killed at a random moment and started again. */
async function useUp(url: string, folder: string) {
  const file = join(folder, "ran");
  writeFileSync(file, "");
  let starts = 0;
  const start = async (): Promise<ChildProcess> => {
    starts += 1;
    const child = fork(WORKER, [url, folder, String(MOST), file]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");
    return child;
  };
  const children = await Promise.all([start(), start(), start()]);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = children[kill % 3];
    if (child === undefined) continue;
    const until = statSync(file).size + Math.ceil(Math.random() * (MOST / KILLS));
    await untilHolds(() => statSync(file).size >= until || child.exitCode !== null);
    if (child.exitCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
    children[kill % 3] = await start();
  }
  await Promise.all(children.map((child) => (child.exitCode === null ? once(child, "exit") : null)));
  return { ran: statSync(file).size, starts };
}

async function check(open: (folder: string) => Promise<string>): Promise<void> {
  const folder = makeTempFolder();
  const { ran, starts } = await useUp(await open(folder), folder);
  expect(starts).toBeGreaterThan(3);
  expect(ran).toBeLessThanOrEqual(MOST + starts * Math.floor(MOST / 50));
  // What killed processes had set aside is lost, and no more.
  expect(ran).toBeGreaterThan(MOST / 3);
}

test(
  "processes with one SQLite file that are killed while they take shares spend nothing twice",
  {
    timeout: 120_000,
  },
  () => check(async (folder) => `sqlite:${join(folder, "sessions.db")}`),
);

describe("with PostgreSQL", needs("postgres"), () => {
  test("processes that are killed while they take shares spend nothing twice", { timeout: 120_000 }, () =>
    check(createDatabase),
  );
});
