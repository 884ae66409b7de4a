import { mkdir } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { readVersion } from "../../../system/version.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readIdle } from "../command-line/number-options.ts";
import { type Attached, runBridge } from "../running/bridge.ts";
import { readEnvironment } from "../running/environment.ts";
import { reachOrStart } from "../running/start-detached.ts";
import { findWorkPlace, keyOf, realPath, settingPlaces } from "../running/work-place.ts";

/** Milliseconds without clients after which one that a client started ends. */
const IDLE = 10 * 60_000;

/**
 * `toolcrib connect`: a client on standard input and output, attached to the Toolcrib of its workspace. That is the one
 * that is named, else the client's only root, else the project around the working folder, else none. A working folder by
 * itself proves nothing, for clients start programs anywhere.
 */
export async function runConnect(input: CommandInput): Promise<number> {
  const { io, args } = input;
  if (args.has("json")) throw usage("--json has no effect on connect: standard output is for the protocol");
  const tell = (text: string): void => io.err(`toolcrib: ${escapeText(text)}\n`);
  const told = new Set<string>();
  const named = args.value("workspace");
  const idle = readIdle(args) ?? IDLE;
  const places = settingPlaces(io);
  const attachTo = async (workspace: string): Promise<Attached> => {
    const key = keyOf(workspace, places);
    const argv = ["--idle", String(idle / 1000)];
    const { socket, answer } = await reachOrStart<{ version: string; remarks: readonly string[] }>(
      { places, key, cwd: workspace, argv, env: io.env },
      {
        ask: "mcp",
        profile: args.value("profile"),
        agent: args.value("agent"),
        include: args.list("include"),
        exclude: args.list("exclude") ?? [],
        environment: readEnvironment(io.env),
      },
    );
    const own = readVersion();
    const version = answer.version === own ? [] : [`it is version ${answer.version}, and this is ${own}`];
    for (const remark of [...version, ...answer.remarks]) {
      if (!told.has(remark)) tell(`the Toolcrib that runs for ${workspace}: ${remark}; "toolcrib down" ends it`);
      told.add(remark);
    }
    return { socket, key };
  };
  const around = async (cwd: string) => findWorkPlace({ cwd, ...places });
  const guess = async (): Promise<Attached | null> => {
    const here = await around(named === null ? io.cwd : resolve(io.cwd, named));
    return named !== null || here.isProject ? attachTo(here.workspace) : null;
  };
  const attach = async (roots: readonly string[] | null): Promise<Attached> => {
    const root = named === null ? onlyRoot(roots) : null;
    const known = root === null ? await guess() : await attachTo((await around(root)).workspace);
    return known ?? attachTo(await emptyFolder(places));
  };
  try {
    await runBridge({ input: process.stdin, output: process.stdout, attach, guess, tell });
    return 0;
  } finally {
    // The input may be open still, and nothing is left to be read from it.
    process.stdin.destroy();
  }
}

/** Several roots, or one that is no folder of this machine, say nothing. */
function onlyRoot(roots: readonly string[] | null): string | null {
  const [only, ...others] = roots ?? [];
  return only === undefined || others.length > 0 ? null : toFolder(only);
}

/** Where there is no project a folder with nothing in it stands for it, so that the person's own configuration counts alone. */
async function emptyFolder(places: Parameters<typeof stateFolder>[0]): Promise<string> {
  const none = join(stateFolder(places), "no-project");
  await mkdir(none, { recursive: true, mode: 0o700 });
  return realPath(none);
}

function toFolder(uri: string): string | null {
  try {
    const path = fileURLToPath(uri);
    return isAbsolute(path) ? path : null;
  } catch {
    return null;
  }
}
