import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadOptions } from "../../src/config/load-options.ts";
import { type OpenSession, openSession } from "../../src/runtime/session/tools/session.ts";
import { type SessionSetting, toSetting } from "../../src/runtime/session/tools/setting.ts";
import { makeFolder, makeRun } from "../support/builtin-host.ts";
import { needs } from "../support/machine.ts";

interface Options extends Pick<SessionSetting, "detectSandbox" | "looksLate"> {
  readonly sandbox?: { readonly shell?: "auto" | "on" | "off"; readonly allowHostShell?: boolean };
}

/** A session in a workspace of its own, with a home and a folder outside beside it. */
async function start(
  { sandbox = {}, ...more }: Options = {},
  files: Record<string, string> = {},
): Promise<{ session: OpenSession; base: string }> {
  const base = makeFolder({ "work/own.txt": "own", "home/.ssh/id": "secret", "outside/secret": "secret", ...files });
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  const place = { cwd, home, env: { ...process.env, TOKEN: "canary-token" } };
  const config = await loadOptions({ sandbox }, "test", place);
  const setting = toSetting({ ...place, version: "0", workspace: cwd, ...more });
  const session = await openSession(config, setting);
  onTestFinished(() => session.close());
  return { session, base };
}

async function bash(session: OpenSession, command: string, more: Record<string, unknown> = {}): Promise<string> {
  const source = session.sources.find(({ kind }) => kind === "builtin");
  const tool = session.toolset.catalog.entries.find((entry) => entry.tool.name === "bash")?.tool;
  if (source === undefined || tool === undefined) throw new Error("there is no bash");
  const result = await source.run(tool, { command, ...more }, makeRun());
  return JSON.stringify(result);
}

const standing = (session: OpenSession): string | undefined =>
  session.toolset.placements.find(({ entry }) => entry.wireName === "bash")?.standing;
const codes = (session: OpenSession): readonly string[] => session.toolset.notices.map(({ code }) => code);

const NONE: SessionSetting["detectSandbox"] = async () => ({
  found: false,
  reason: "none is here",
  fix: "install one",
});

describe("what a session makes of the configuration", () => {
  test("`on` without a sandbox hides shell tools and says what to do", async () => {
    const { session } = await start({ sandbox: { shell: "on" }, detectSandbox: NONE });
    expect(standing(session)).toBe("hidden");
    expect(session.toolset.notices).toContainEqual(
      expect.objectContaining({
        level: "warning",
        code: "sandbox.unavailable",
        text: expect.stringContaining("none is here. To get one, install one"),
      }),
    );
  });

  test("`on` without a sandbox runs nothing, even where the host's shell is allowed", async () => {
    const { session } = await start({ sandbox: { shell: "on", allowHostShell: true }, detectSandbox: NONE });
    expect(await bash(session, "echo ran")).toContain("Nothing is run");
  });

  test("`auto` without a sandbox hides them too, and the host's shell can be allowed", needs("bash"), async () => {
    const { session } = await start({ detectSandbox: NONE });
    expect(standing(session)).toBe("hidden");
    const allowed = await start({ sandbox: { allowHostShell: true }, detectSandbox: NONE });
    expect(standing(allowed.session)).toBe("visible");
    expect(await bash(allowed.session, "echo ran")).toContain("ran");
  });

  test("a session that looks late finds with its first command what that must not change", needs("bwrap"), async () => {
    const many = Array.from({ length: 33 }, (_, at) => [`work/r${at}/.git/config`, "[core]\n"]);
    const files: Record<string, string> = Object.fromEntries(many);
    const early = await start({}, files);
    expect(codes(early.session)).toContain("sandbox.gap");
    const { session, base } = await start({ looksLate: true }, files);
    expect(codes(session)).not.toContain("sandbox.gap");
    expect(await bash(session, "echo changed >> r0/.git/config; echo ran >> own.txt")).not.toContain("ran");
    const read = (file: string): string => readFileSync(join(base, "work", file), "utf8");
    expect([read("r0/.git/config"), read("own.txt")]).toEqual(["[core]\n", "ownran\n"]);
    expect(codes(session)).toContain("sandbox.gap");
  });

  test("`off` looks for none", async () => {
    const never: SessionSetting["detectSandbox"] = () => Promise.reject(new Error("nobody asked"));
    const { session } = await start({ sandbox: { shell: "off" }, detectSandbox: never });
    expect(standing(session)).toBe("hidden");
    expect(codes(session)).not.toContain("sandbox.unavailable");
  });
});

describe("the shell tools of a session with a sandbox", needs("bwrap", "bash"), () => {
  test("are visible, see the workspace and write there", async () => {
    const { session, base } = await start();
    expect(standing(session)).toBe("visible");
    expect(codes(session)).not.toContain("sandbox.unavailable");
    expect(await bash(session, "cat own.txt; echo new > made.txt")).toContain("own");
    expect(readFileSync(join(base, "work", "made.txt"), "utf8")).toBe("new\n");
    expect(readdirSync(join(base, "work")).sort()).toEqual(["made.txt", "own.txt"]);
  });

  test("say which names of a listing are not files of the project, and nothing below other output", async () => {
    const { session } = await start();
    for (const command of ["ls", "ls -la", "find . -maxdepth 1"])
      expect(await bash(session, command)).toMatch(
        /\[exit code 0\]\\n\[\d+ of these names are not files of the project: .* and the like stand in the places of files/,
      );
    for (const command of ["ls own.txt", "cat own.txt", "echo see .bashrc, and toolcrib.yaml", "git status 2>&1"])
      expect(await bash(session, command)).not.toContain("not files of the project");
  });

  test("reach neither the home, nor a loopback listener, nor anything outside", async () => {
    const { session, base } = await start();
    let visits = 0;
    const server = createServer((socket) => {
      visits++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const said = await bash(
      session,
      `cat ~/.ssh/id ${base}/outside/secret; (exec 3<>/dev/tcp/127.0.0.1/${port}) && echo CONNECTED; echo x > ${base}/outside/new; env`,
    );
    expect(said).not.toMatch(/"secret|CONNECTED|canary-token/);
    expect(visits).toBe(0);
    expect(existsSync(join(base, "outside", "new"))).toBe(false);
  });

  test("say what a command left for git, and leave what a person made meanwhile", async () => {
    const { session, base } = await start();
    const cwd = join(base, "work");
    execFileSync("bash", ["-c", "git init -q mine; git -C mine config core.hooksPath .hooks"], { cwd });
    expect(await bash(session, "git -C mine status")).not.toContain("toolcrib:");
    const said = await bash(session, "git init -q theirs; git -C theirs config core.fsmonitor ./run");
    expect(said).toContain("toolcrib: theirs/.git/config says ");
    expect(readFileSync(join(cwd, "mine/.git/config"), "utf8")).toContain(".hooks");
    expect(existsSync(join(cwd, "theirs/.git/config"))).toBe(false);
  });

  test("have a terminal when asked for one, and lose no output", async () => {
    const { session } = await start();
    expect(await bash(session, "tty; echo done", { tty: true })).toMatch(/dev.pts.*done/s);
    for (let turn = 0; turn < 5; turn++) expect(await bash(session, "seq 3000; echo last")).toContain("last");
  });
});
