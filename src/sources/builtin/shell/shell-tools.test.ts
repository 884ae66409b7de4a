import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isRunning, makeFolder, makeHost, makeRun } from "../../../../test/support/builtin-host.ts";
import { needs } from "../../../../test/support/machine.ts";
import type { ToolResult } from "../../../core/call/tool-result.ts";
import type { Host, Launch } from "../../host.ts";
import { createShellFamily } from "./shell-family.ts";

describe("commands on the process backend", needs("bash"), () => testCommands(false));
describe("commands on the pty backend", needs("bash", "script"), () => testCommands(true));

function testCommands(tty: boolean): void {
  test("give their output and exit code", async () => {
    const { bash } = start();
    expect(await bash({ command: "echo out; echo err >&2", tty })).toMatchObject({
      resultType: "success",
      textResultForLlm: "out\nerr\n[exit code 0]",
      structured: { id: null, state: "ended", exitCode: 0, signal: null, bytesLeftOut: 0 },
    });
  });

  test("that fail are a failure with their code", async () => {
    const { bash } = start();
    const result = await bash({ command: "echo 'it''s \"bad\"' $((1+1)); exit 3", tty });
    expect(result).toMatchObject({ resultType: "failure", textResultForLlm: 'its "bad" 2\n[exit code 3]' });
  });

  test("may begin with a dash", async () => {
    expect((await start().bash({ command: "-x 2>/dev/null; echo on", tty })).textResultForLlm).toContain("on\n");
  });

  test("may open their streams by name", async () => {
    const { bash } = start();
    const result = await bash({
      command: "echo a > /dev/stdout; echo b | tee /dev/stderr",
      tty,
    });
    expect(result.textResultForLlm).toBe("a\nb\nb\n[exit code 0]");
  });

  test("do not run the user's start-up file", async () => {
    const home = makeFolder({ ".bashrc": "echo started up\n" });
    const { bash, read } = start({ host: { env: { ...process.env, HOME: home } } });
    await bash({ command: "echo on", mode: "background", tty });
    expect(await readToEnd(read)).not.toContain("started up");
  });

  test("run in the workspace, or in a folder of it", async () => {
    const { bash, workspace } = start();
    mkdirSync(join(workspace, "sub folder"));
    expect((await bash({ command: "pwd", tty })).textResultForLlm).toBe(`${workspace}\n[exit code 0]`);
    const below = await bash({ command: "pwd", cwd: "sub folder", tty });
    expect(below.textResultForLlm).toBe(`${workspace}/sub folder\n[exit code 0]`);
  });

  test("that outlast the wait go on, and are followed to their end", async () => {
    const { bash, read, list } = start();
    await bash({ command: "mkfifo gate" });
    const command = "echo one; read -r line < gate; echo two; exit 4";
    const first = await bash({ command, initial_wait: 0.5, tty });
    expect(first).toMatchObject({
      resultType: "success",
      textResultForLlm: expect.stringContaining(
        "[still running, id 2: follow it with read_bash, end it with stop_bash]",
      ),
      structured: { id: "2", state: "running", exitCode: null },
    });
    let said = first.textResultForLlm;
    while (!said.includes("one\n")) said += (await read({ id: "2", wait: 20 })).textResultForLlm;
    expect((await list({})).textResultForLlm).toMatch(/^2 {2}running {2}echo one; /);
    expect((await read({ id: "2" })).textResultForLlm).toMatch(/^\[no new output\]\n\[still running/);
    await bash({ command: "echo go > gate" });
    const last = await read({ id: "2", wait: 20 });
    const rest = last.textResultForLlm.includes("exit code") ? last : await read({ id: "2", wait: 20 });
    expect(rest.textResultForLlm).toMatch(/\[exit code 4\]$/);
    expect(last.textResultForLlm + rest.textResultForLlm).toContain("two\n");
    expect(await read({ id: "2" })).toMatchObject({ resultType: "failure" });
    expect((await list({})).textResultForLlm).toBe("No command is running.");
  });

  test("in the background take input", async () => {
    const { bash, read, write } = start();
    await bash({
      command: 'while read -r line; do echo "got $line"; [ $line = end ] && exit 0; done',
      mode: "background",
      tty,
    });
    expect(await write({ id: "1", input: "hello" })).toMatchObject({ resultType: "success" });
    await write({ id: "1", input: "en", enter: false });
    await write({ id: "1", input: "d" });
    const text = await readToEnd(read);
    expect(text).toContain("got hello\n");
    expect(text).toContain("got end\n[exit code 0]");
    expect(await write({ id: "1", input: "late" })).toMatchObject({ resultType: "failure" });
  });

  test("are stopped with everything they started", async () => {
    const { bash, stop, workspace } = start({ grace: 100 });
    const script =
      "(trap '' TERM; echo $BASHPID >> pids; while :; do sleep 1; done) & echo $$ >> pids; (sleep 1000 & echo $! >> pids; wait) & wait";
    await bash({ command: script, mode: "background", tty });
    const pids = await readPids(workspace, 3);
    expect(pids.filter(isRunning)).toHaveLength(3);
    const result = await stop({ id: "1" });
    expect(result.textResultForLlm).toMatch(
      /^Stopped, with everything it started\.\n.*\[(?:ended by signal SIG|exit code)/s,
    );
    expect(pids.filter(isRunning)).toEqual([]);
  });

  test("end when their call is aborted", async () => {
    const controller = new AbortController();
    const { bash, list, workspace } = start({ grace: 100, signal: controller.signal });
    const call = bash({ command: "echo $$ > pid; trap '' TERM; sleep 1000; sleep 1000", initial_wait: 600, tty });
    await expect.poll(() => existsSync(join(workspace, "pid"))).toBe(true);
    controller.abort();
    const result = await call;
    expect(result).toMatchObject({ resultType: "failure" });
    expect(result.textResultForLlm).toMatch(/^\[stopped before it was done\]/);
    expect(isRunning(Number(readFileSync(join(workspace, "pid"), "utf8")))).toBe(false);
    expect((await list({})).textResultForLlm).toBe("No command is running.");
  });

  test("write 50 MB and cost no more than the caps, with both ends kept", async () => {
    const { bash } = start();
    const result = await bash({
      command: "echo first; yes 0123456789 | head -c 50000000; echo; echo last",
      initial_wait: 120,
      tty,
    });
    expect(result.textResultForLlm).toMatch(/^first\n0123456789\n/);
    expect(result.textResultForLlm).toMatch(/\nlast\n\[exit code 0\]$/);
    expect(result.textResultForLlm).toMatch(/\n\[\d+ bytes left out\]\n/);
    expect(Buffer.byteLength(result.textResultForLlm)).toBeLessThan(45_000);
    expect(result).toMatchObject({ structured: { bytesLeftOut: expect.any(Number) } });
  });

  test("may write bytes that are no text", async () => {
    const { bash } = start();
    const result = await bash({ command: "printf 'a\\0b\\377\\376c\\033[31mred\\033[0m\\n'", tty });
    expect(result.textResultForLlm).toBe("ab\ufffd\ufffdcred\n[exit code 0]");
  });

  test("see nothing of the host's secrets", async () => {
    const { bash } = start({ host: { env: { ...process.env, SECRET_TOKEN: "s3cret" } } });
    const result = await bash({ command: "env; cat /proc/self/environ | tr '\\0' '\\n'", tty });
    expect(result.textResultForLlm).toContain("PATH=");
    expect(result.textResultForLlm).not.toContain("s3cret");
  });

  test("are started through the sandbox of the host", async () => {
    const launches: Launch[] = [];
    const wrapLaunch = (launch: Launch) => {
      launches.push(launch);
      return { ...launch, argv: ["env", "BOXED=yes", ...launch.argv] };
    };
    const { bash } = start({ host: { wrapLaunch } });
    expect((await bash({ command: "echo $BOXED", tty })).textResultForLlm).toBe("yes\n[exit code 0]");
    expect(launches).toHaveLength(1);
  });

  test("are all gone when the source closes", async () => {
    const { bash, close, workspace } = start({ grace: 100 });
    const script = "trap '' TERM; setsid sleep 1000 & sleep 1000 & echo $$ $! >> pids; wait; wait; sleep 1000";
    await Promise.all(Array.from({ length: 5 }, () => bash({ command: script, mode: "background", tty })));
    const pids = await readPids(workspace, 10);
    expect(pids.filter(isRunning)).toHaveLength(10);
    await close();
    expect(pids.filter(isRunning)).toEqual([]);
    await close();
  });
}

describe("bash", () => {
  test("tells of what a command left running, and stops it", needs("bash"), async () => {
    const { bash, stop } = start();
    const { textResultForLlm } = await bash({ command: "sleep 1000 & echo $!" });
    const pid = Number(textResultForLlm.split("\n")[0]);
    expect(textResultForLlm).toContain("[exit code 0; something it started is still running, id 1:");
    expect(isRunning(pid)).toBe(true);
    await stop({ id: "1" });
    expect(isRunning(pid)).toBe(false);
  });

  test("gives a foreground command no input to wait for", needs("bash"), async () => {
    const { bash } = start();
    expect((await bash({ command: "cat; echo done" })).textResultForLlm).toBe("done\n[exit code 0]");
  });

  test("keeps the order of both streams", needs("bash"), async () => {
    const { bash } = start();
    const { textResultForLlm } = await bash({ command: "for i in 1 2 3; do echo o$i; echo e$i >&2; done" });
    expect(textResultForLlm).toBe("o1\ne1\no2\ne2\no3\ne3\n[exit code 0]");
  });

  test("names the signal that ended a command", needs("bash"), async () => {
    const { bash } = start();
    expect((await bash({ command: "kill -KILL $$" })).textResultForLlm).toBe("[ended by signal SIGKILL]");
  });

  test("gives a terminal only when asked", needs("bash", "script"), async () => {
    const { bash } = start();
    const command = "if [ -t 0 ] && [ -t 1 ]; then echo terminal; else echo plain; fi";
    expect((await bash({ command })).textResultForLlm).toMatch(/^plain\n/);
    expect((await bash({ command, tty: true })).textResultForLlm).toMatch(/^terminal\n/);
    expect((await bash({ command: "stty size", tty: true })).textResultForLlm).toMatch(/^40 120\n/);
  });

  test("says so where no terminal is available", needs("bash"), async () => {
    const { bash } = start({ host: { env: { PATH: "/nowhere" }, wrapLaunch: withPath } });
    const { textResultForLlm } = await bash({ command: "echo hi", tty: true });
    expect(textResultForLlm).toBe("[no terminal is available here; it runs without one]\nhi\n[exit code 0]");
  });

  test.each(["..", "/", "/etc", "~", "link", "../project-secrets", ""])("refuses to run in %j", async (cwd) => {
    const { bash, workspace } = start();
    symlinkSync("/", join(workspace, "link"));
    const result = await bash({ command: "pwd", cwd });
    expect(result.resultType).toBe("failure");
    expect(result.textResultForLlm).not.toContain(workspace);
  });

  test("runs in an added folder", needs("bash"), async () => {
    const added = makeFolder();
    const { bash } = start({ host: { addedDirectories: [added, "/no/such/folder"] } });
    expect((await bash({ command: "pwd", cwd: added })).textResultForLlm).toBe(`${added}\n[exit code 0]`);
  });

  test.each([{ command: "" }, { command: "a\0b" }, { command: 3 }, { command: "x".repeat(200_000) }])(
    "refuses a command that is none",
    async (args) => {
      expect(await start().bash(args)).toMatchObject({ resultType: "failure" });
    },
  );

  test("says what is missing when there is no bash", async () => {
    const { bash } = start({ host: { env: { PATH: "/nowhere" } } });
    const result = await bash({ command: "true" });
    expect(result).toMatchObject({ resultType: "failure" });
    expect(result.textResultForLlm).toContain('There is no program "bash"');
  });

  test(
    "keeps unread output of a flooding background command bounded, and reads only what is new",
    needs("bash"),
    async () => {
      const { bash, read, stop } = start();
      await bash({ command: "yes 0123456789", mode: "background" });
      for (let round = 0; round < 3; round += 1) {
        const result = await read({ id: "1", wait: 0.2 });
        expect(Buffer.byteLength(result.textResultForLlm)).toBeLessThan(45_000);
        expect(result.textResultForLlm).toContain("still running");
      }
      await stop({ id: "1" });
    },
  );

  test("runs no more than so many at once", needs("bash"), async () => {
    const { bash, close } = start();
    for (let index = 0; index < 32; index += 1) await bash({ command: "sleep 1000", mode: "background" });
    expect((await bash({ command: "true" })).textResultForLlm).toMatch(/^Too many commands are running/);
    await close();
  });

  test("does not write to a foreground command", needs("bash"), async () => {
    const { bash, write } = start();
    await bash({ command: "sleep 1000", initial_wait: 0 });
    expect((await write({ id: "1", input: "x" })).textResultForLlm).toContain('mode "background"');
  });

  test.each([{ id: "9" }, { id: 1 }, {}])("names no command for the id in %j", async (args) => {
    const { read, write, stop } = start();
    for (const tool of [read, write, stop]) {
      expect(await tool({ ...args, input: "x" })).toMatchObject({
        resultType: "failure",
        textResultForLlm: expect.stringContaining("There is no command with the id"),
      });
    }
  });
});

/** Everything that command 1 writes until its end has been told. */
/** The ids that commands wrote into `pids`, once so many are there. */
async function readPids(workspace: string, count: number): Promise<readonly number[]> {
  const file = join(workspace, "pids");
  const read = () => (existsSync(file) ? (readFileSync(file, "utf8").match(/\d+(?=\s)/g) ?? []).map(Number) : []);
  await expect.poll(() => read().length, { timeout: 50_000 }).toBe(count);
  return read();
}

async function readToEnd(read: (args: Record<string, unknown>) => Promise<ToolResult>): Promise<string> {
  let text = "";
  for (;;) {
    const result = await read({ id: "1", wait: 20 });
    if (result.resultType !== "success") throw new Error(`${result.textResultForLlm} after ${JSON.stringify(text)}`);
    text += result.textResultForLlm;
    if (/exit code|ended by/.test(text)) return text;
  }
}

function withPath(launch: Launch): Launch {
  return { ...launch, env: { ...launch.env, PATH: process.env.PATH ?? "" } };
}

function start({ host, grace, signal }: { host?: Partial<Host>; grace?: number; signal?: AbortSignal } = {}) {
  const workspace = makeFolder();
  const family = createShellFamily(grace === undefined ? {} : { grace });
  onTestFinished(() => family.close());
  const port = makeHost(workspace, host);
  const tool = (name: string) => (args: Record<string, unknown>) => {
    const handler = family.handlers.get(name);
    if (handler === undefined) throw new Error(`no handler for ${name}`);
    return handler(args, makeRun(signal), port);
  };
  return {
    workspace,
    close: family.close,
    bash: tool("bash"),
    read: tool("read_bash"),
    write: tool("write_bash"),
    stop: tool("stop_bash"),
    list: tool("list_bash"),
  };
}
