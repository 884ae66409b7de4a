import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { privateFolders, socketFolders } from "../../src/config/layers/state-folder.ts";
import { createSandbox } from "../../src/system/sandbox/create-sandbox.ts";
import { needs } from "../support/machine.ts";

const CONNECT = `
  const socket = require("node:net").connect(process.argv[1]);
  socket.on("connect", () => { console.log("REACHED"); process.exit(); });
  socket.on("error", ({ code }) => { console.log(code); process.exit(); });`;

/** A socket where a running Toolcrib has it, and a command in the sandbox of a workspace that tries to reach it. */
async function tryToReach(where: "in the home" | "in the workspace" | "in a folder that is shown", isHidden: boolean) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-socket-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, workspace, shown] = [join(base, "home"), join(base, "work"), join(base, "shown")];
  for (const folder of [home, workspace, join(shown, "bin"), join(shown, "lib")])
    mkdirSync(folder, { recursive: true });
  const runtime = {
    "in the home": home,
    "in the workspace": workspace,
    "in a folder that is shown": join(shown, "lib"),
  };
  const env = { XDG_RUNTIME_DIR: runtime[where] };
  const [folder = ""] = socketFolders({ home, env }, tmpdir(), 0);
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, "x.sock");
  const server = createServer((socket) => socket.destroy()).listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const sandbox = await createSandbox({
    ...{ workspace, home, backend: "bubblewrap", path: `${process.env.PATH}:${join(shown, "bin")}` },
    hidden: isHidden ? privateFolders({ home, env }, tmpdir(), 0) : [],
  });
  if (!sandbox.active) throw new Error(sandbox.reason);
  const {
    argv,
    cwd,
    env: given,
  } = sandbox.wrapLaunch({
    argv: [process.execPath, "-e", CONNECT, path],
    cwd: workspace,
    env: { PATH: process.env.PATH ?? "" },
  });
  const [program = "", ...args] = argv;
  return execFileSync(program, args, { cwd, env: given, encoding: "utf8", timeout: 30_000 }).trim();
}

describe("a command in a sandbox cannot reach the socket of a running Toolcrib", needs("bwrap", "bash"), () => {
  test.each(["in the home", "in the workspace", "in a folder that is shown"] as const)("%s", async (where) => {
    expect(await tryToReach(where, true)).toBe("ENOENT");
  });

  test("which a mount alone would show, also one that is only to be read", async () => {
    expect(await tryToReach("in a folder that is shown", false)).toBe("REACHED");
  });
});
