import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hookScript, LINE_SECONDS } from "../../src/surfaces/guard/hook-line.ts";
import { BIN, ensureBuilt, finish } from "../support/built-cli.ts";
import { claudeEvent, createGuarded } from "../support/guarded-machine.ts";

beforeAll(ensureBuilt);

const PROGRAM = [process.execPath, BIN];
const install = (program = PROGRAM) => createGuarded('permissions:\n  deny: ["Bash(rm:*)"]\n', program);

describe("the installed line", () => {
  test.each(["/bin/sh", "/bin/bash"])("answers as the command does, in %s", async (shell) => {
    const { ask } = install();
    const denied = await ask("cd x && rm -rf y", shell);
    expect(denied).toMatchObject({ status: 0, err: "" });
    expect(JSON.parse(denied.out).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
    expect(await ask("make all", shell)).toMatchObject({ status: 0, out: "", err: "" });
  });

  test("passes on the reason where nothing can be judged", async () => {
    const { ask, write } = install();
    write("user", "permissions:\n  denny: []\n");
    const { status, out, err } = await ask("make all");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/config\.yaml:2: unknown key "denny".*the call is refused\n$/s);
  });
});

/** Something listens where a running Toolcrib would, and does with each connection what it is told. */
async function listening(serve: (socket: Socket) => void, program = PROGRAM) {
  const machine = install(program);
  // What its program compiles is kept from then on: to compile all of it once more in each test takes too long beside all others.
  await machine.ask("true");
  const server = createServer({ allowHalfOpen: true }, (socket) => serve(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(`${machine.folder}/${process.pid}.sock`, resolve));
  onTestFinished(() => void server.close());
  return machine;
}

describe("the line decides by itself about the event that it has", () => {
  test.each<[string, (socket: Socket) => void]>([
    ["says nothing", (socket) => socket.resume()],
    ["ends without an answer", (socket) => socket.resume().on("end", () => socket.end())],
    ["closes at once", (socket) => socket.destroy()],
    [
      "ends in the middle of a yes",
      (socket) => socket.resume().on("end", () => socket.end("toolcrib 0\n\ntoolcrib en")),
    ],
  ])("when what listens %s", async (_, serve) => {
    const { ask } = await listening(serve);
    expect((await ask("cd x && rm -rf y")).out).toContain('"deny"');
    expect(await ask("make all")).toMatchObject({ status: 0, out: "", err: "" });
  });
});

test("without perl, the line has the program ask what runs", async () => {
  const { ask, script } = await listening((socket) =>
    socket.resume().on("end", () => socket.end("toolcrib 2\n\nno, says what runs\ntoolcrib end\n")),
  );
  writeFileSync(script, readFileSync(script, "utf8").replace("perl -", "no-perl -"));
  expect(await ask("make all")).toMatchObject({ status: 2, out: "", err: "no, says what runs\n" });
});

describe("the line refuses every call", () => {
  const whole = hookScript({ program: PROGRAM });

  test.each([
    ["is gone", null],
    ["is empty", ""],
    ["is cut short", whole.slice(0, whole.length / 2)],
    ["lacks its last line", whole.slice(0, whole.lastIndexOf("toolcrib_hook"))],
  ])("when the script %s", async (_, text) => {
    const { ask, script } = install();
    rmSync(script);
    if (text !== null) writeFileSync(script, text);
    expect(await ask("make all")).toMatchObject({ status: 2, out: "" });
  });

  test.each([
    ["is gone", "/nowhere/toolcrib"],
    ["says nothing and ends well", "/bin/true"],
    ["says something else", "/bin/echo"],
  ])("when the program %s", async (_, program) => {
    const { status, out, err } = await install([program]).ask("make all");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("the call is refused");
  });

  test("when the program hangs, and lets go of what the client reads", async () => {
    const machine = install();
    const hangs = `${machine.home}/hangs`;
    writeFileSync(hangs, "#!/bin/sh\nsleep 20\n");
    chmodSync(hangs, 0o700);
    const { ask, script } = install([hangs]);
    writeFileSync(script, readFileSync(script, "utf8").replace(`left=${LINE_SECONDS}`, "left=1"));
    const { status, out, err } = await ask("make all");
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("there was no answer in time");
  });

  test("when the client does not end its event", async () => {
    const { start, cwd, script } = await listening((socket) => socket.resume());
    writeFileSync(script, readFileSync(script, "utf8").replace("alarm 5", "alarm 1"));
    const child = start("claude-code", claudeEvent("make all", cwd), { ends: false });
    const { status, out, err } = await finish(child);
    child.stdin?.end();
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toContain("there was no answer in time");
  });

  test("when the program ends in the middle of its answer", async () => {
    const machine = install();
    const half = `${machine.home}/half`;
    writeFileSync(half, "#!/bin/sh\nprintf 'toolcrib 0\\n\\n'\n");
    chmodSync(half, 0o700);
    expect(await install([half]).ask("make all")).toMatchObject({ status: 2, out: "" });
  });
});
