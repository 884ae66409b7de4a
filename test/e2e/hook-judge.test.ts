import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { SETTING_VARIABLES, writeQuestion } from "../../src/surfaces/guard/hook-question.ts";
import { ensureBuilt, finish, runBuilt } from "../support/built-cli.ts";
import { claudeEvent, createGuarded } from "../support/guarded-machine.ts";
import { runHere, startUp } from "../support/running-up.ts";

beforeAll(ensureBuilt);

const RULES = 'permissions:\n  deny: ["Bash(rm:*)"]\n';

/** A machine on which a Toolcrib runs. */
async function running() {
  const machine = createGuarded(RULES);
  const env = {
    ...machine.env,
    ...{ XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_RUNTIME_DIR: "", TOOLCRIB_POLICY: "", TOOLCRIB_TOKEN: "" },
    ...{ CLAUDE_CONFIG_DIR: "", COPILOT_HOME: "", CODEX_HOME: "" },
  };
  const up = await startUp({ cwd: machine.cwd, env });
  /** What it answers at its socket, however long that takes. */
  const judge = (command: string, { folder = machine.cwd, more = {} } = {}) => {
    const event = claudeEvent(command, folder);
    const set: Record<string, string> = { HOME: machine.home, ...more };
    const settings = SETTING_VARIABLES.map((name) => set[name] ?? "");
    const question = writeQuestion({ client: "claude-code", settings, path: machine.env.PATH, folder, event });
    return say(join(machine.folder, `${process.pid}.sock`), question);
  };
  const judged = () => {
    const logs = join(machine.home, ".local/state/toolcrib/audit");
    const rows = readdirSync(logs).flatMap((name) =>
      readFileSync(join(logs, name, "audit.jsonl"), "utf8")
        .trim()
        .split("\n"),
    );
    return rows.map((row) => JSON.parse(row)).filter(({ type }) => type === "call.judged");
  };
  return { ...machine, up, judge, judged, env };
}

/** What comes back until the other side ends; nothing if it closes the connection at once. */
function say(path: string, question: string): Promise<string> {
  const socket = connect(path);
  socket.on("error", () => {}).end(question);
  return text(socket);
}

const ODD = { client: "constructor", settings: SETTING_VARIABLES.map(() => ""), path: "", folder: "/", event: "{}" };
const PASSED = "toolcrib 0\n\ntoolcrib end\n";

describe("a running Toolcrib judges the calls of its person's clients", () => {
  test("as the command does, while it runs", async () => {
    const { judge, up, folder, cwd, env } = await running();
    const { out } = await runHere(["hook", "claude-code"], { cwd, env }, { stdin: claudeEvent("rm y", cwd) });
    expect(await judge("rm y")).toBe(`toolcrib 0\n${out}toolcrib end\n`);
    expect(await judge("make all")).toBe(PASSED);
    await up.end();
    expect(readdirSync(folder)).toEqual(["hook.sh"]);
  });

  test("by the configuration of the folder that the event names, as it is at that moment", async () => {
    const { judge, home, write } = await running();
    const folder = join(home, "other");
    mkdirSync(join(folder, ".git"), { recursive: true });
    expect(await judge("make all", { folder })).toBe(PASSED);
    writeFileSync(join(folder, "toolcrib.yaml"), 'permissions:\n  deny: ["Bash(make:*)"]\n');
    expect(await judge("make all", { folder })).toContain('"deny"');
    expect(await judge("make all")).toBe(PASSED);
    write("user", "permissions:\n  denny: []\n");
    expect(await judge("make all")).toMatch(/^toolcrib 2\n\n.*unknown key "denny"/);
  });

  test.each(["XDG_CONFIG_HOME", "TOOLCRIB_POLICY", "CLAUDE_CONFIG_DIR", "HOME"])(
    "not where the client has another %s",
    async (name) => {
      const { judge, home } = await running();
      expect(await judge("make all", { more: { [name]: join(home, "elsewhere") } })).toBe("");
    },
  );

  test("for the line and for toolcrib hook, and each call is in its log once", async () => {
    const { start, cwd, env, judge, judged, up } = await running();
    await judge("make first");
    await finish(start("claude-code", claudeEvent("rm a", cwd)));
    await runBuilt(["hook", "claude-code"], { cwd, env, stdin: claudeEvent("rm b", cwd) });
    await up.end();
    expect(judged().map(({ decision }) => decision.decision)).toEqual(["pass", "deny", "deny"]);
    expect(new Set(judged().map(({ run }) => run)).size).toBe(1);
  });

  test("a long event as well, for both", async () => {
    const { start, cwd, env, judged, up } = await running();
    const input = { file_path: join(cwd, "a"), content: "\u00fc\n".repeat(400_000) };
    const event = JSON.stringify({ hook_event_name: "PreToolUse", cwd, tool_name: "Write", tool_input: input });
    const ends = [
      await finish(start("claude-code", event)),
      await runBuilt(["hook", "claude-code"], { cwd, env, stdin: event }),
    ];
    expect(ends).toEqual([1, 2].map(() => expect.objectContaining({ status: 0, out: "", err: "" })));
    await up.end();
    expect(new Set(judged().map(({ run }) => run)).size).toBe(1);
    expect(judged()).toHaveLength(2);
  });

  test("nothing else that is said there", async () => {
    const { folder, judge } = await running();
    const path = join(folder, `${process.pid}.sock`);
    for (const said of ["POST /hook/claude-code HTTP/1.1\r\n\r\n", "", writeQuestion(ODD)])
      expect(await say(path, said)).toBe("");
    expect(await judge("make all")).toBe(PASSED);
  });

  test("many at once", async () => {
    const { judge } = await running();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) => judge(at % 2 === 0 ? `rm ${at}` : `make ${at}`)),
    );
    expect(answers.map((answer) => answer.includes('"deny"'))).toEqual(answers.map((_, at) => at % 2 === 0));
  });
});
