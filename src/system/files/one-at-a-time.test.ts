import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { oneAtATime } from "./one-at-a-time.ts";

const NAMES = ["a", "b", "c", "d", "e", "f"];

test("servers that are added at the same time are all there", async () => {
  const { cwd, home } = createMachine();
  const env = { HOME: home };
  const added = await Promise.all(NAMES.map((name) => runCli(["add", name, "--", "x"], { cwd, env })));
  expect(added.map(({ status }) => status)).toEqual(NAMES.map(() => 0));
  const servers = () => Object.keys(parse(readFileSync(join(cwd, "toolcrib.yaml"), "utf8")).mcpServers).sort();
  expect(servers()).toEqual(NAMES);
  await Promise.all(NAMES.slice(2).map((name) => runCli(["remove", name], { cwd, env })));
  expect(servers()).toEqual(["a", "b"]);
  expect(readdirSync(cwd).sort()).toEqual([".git", "toolcrib.yaml"]);
});

test("workspaces that are trusted at the same time are all trusted", async () => {
  const { cwd, home, trusted } = createMachine();
  for (const name of NAMES) {
    mkdirSync(join(cwd, name, ".git"), { recursive: true });
    writeFileSync(join(cwd, name, "toolcrib.yaml"), "mcpServers: { s: { command: x } }\n");
  }
  const env = { HOME: home };
  await Promise.all(NAMES.map((name) => runCli(["trust", "--yes"], { cwd: join(cwd, name), env })));
  expect(Object.keys(JSON.parse(readFileSync(trusted, "utf8")).workspaces)).toHaveLength(NAMES.length);
});

const OWN = `${process.pid}@${hostname()}\n`;
const EARLIER = new Date(Date.now() - 3_600_000);

/** The number of one that has just ended. */
function goneProcess(): string {
  const program = "process.stdout.write(String(process.pid))";
  return `${execFileSync(process.execPath, ["-e", program], { encoding: "utf8" })}@${hostname()}`;
}

describe("the mark", () => {
  const world = () => {
    const file = join(tempWorkspace().base, "file");
    return { file, mark: `${file}.busy` };
  };

  test("is there while somebody works, and gone also when that fails", async () => {
    const { file, mark } = world();
    await oneAtATime(file, async () => expect(readFileSync(mark, "utf8")).toBe(OWN));
    expect(existsSync(mark)).toBe(false);
    await expect(oneAtATime(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(existsSync(mark)).toBe(false);
  });

  test("of a process that is gone counts for nothing", async () => {
    const { file, mark } = world();
    writeFileSync(mark, goneProcess());
    expect(await oneAtATime(file, async () => readFileSync(mark, "utf8"))).toBe(OWN);
  });

  test("of a process that is gone is taken away by one alone: a second might take away the next one", async () => {
    const { file, mark } = world();
    const gone = goneProcess();
    writeFileSync(mark, gone);
    writeFileSync(`${mark}.clearing`, OWN);
    expect(await oneAtATime(file, async () => readFileSync(mark, "utf8"), { patience: 50 })).toBe(gone);
    utimesSync(`${mark}.clearing`, EARLIER, EARLIER);
    expect(await oneAtATime(file, async () => readFileSync(mark, "utf8"))).toBe(OWN);
    expect(readdirSync(join(file, "..")).filter((name) => name.startsWith("file"))).toEqual([]);
  });

  test("that has stood there for long counts for nothing, even if another process has its number by now", async () => {
    const { file, mark } = world();
    for (const left of [OWN, ""]) {
      writeFileSync(mark, left);
      utimesSync(mark, EARLIER, EARLIER);
      expect(await oneAtATime(file, async () => readFileSync(mark, "utf8"), { patience: 600_000 })).toBe(OWN);
      expect(existsSync(mark)).toBe(false);
    }
  });

  test("that somebody else keeps is waited for and left alone", async () => {
    const { file, mark } = world();
    symlinkSync("/dev/zero", mark);
    expect(await oneAtATime(file, async () => "done", { patience: 50 })).toBe("done");
    expect(readdirSync(join(file, ".."))).toContain("file.busy");
  });

  test("of a process on another machine is left alone, as nobody knows of it here", async () => {
    const { file, mark } = world();
    const theirs = `${goneProcess().split("@")[0]}@elsewhere`;
    writeFileSync(mark, theirs);
    expect(await oneAtATime(file, async () => readFileSync(mark, "utf8"), { patience: 50 })).toBe(theirs);
  });

  test("is waited for by a caller that does nothing without it, until they give up", async () => {
    const { file, mark } = world();
    writeFileSync(mark, OWN);
    const gaveUp = AbortSignal.timeout(50);
    await expect(oneAtATime(file, async () => "done", { signal: gaveUp })).rejects.toThrow("aborted");
    const { signal } = new AbortController();
    const waiting = oneAtATime(file, async () => readFileSync(mark, "utf8"), { signal });
    rmSync(mark);
    expect(await waiting).toBe(OWN);
    const nowhere = join(file, "..", "nowhere", "file");
    await expect(oneAtATime(nowhere, async () => "done", { signal })).rejects.toMatchObject({
      code: "file.not-written",
    });
    expect(await oneAtATime(nowhere, async () => "done")).toBe("done");
  });
});
