import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileRules } from "../../src/core/rules/compile-rules.ts";
import { type DeniedFiles, toDeniedFiles } from "../../src/core/rules/denied-files.ts";
import { parseRule } from "../../src/core/rules/rule.ts";
import { spawnProcess } from "../../src/system/process/spawn-process.ts";
import { toBwrapArgv } from "../../src/system/sandbox/bwrap-argv.ts";
import { writeRecord } from "../../src/system/sandbox/create-sandbox.ts";
import { detectSandbox } from "../../src/system/sandbox/detect-sandbox.ts";
import { createCoverFinder } from "../../src/system/sandbox/find-covered.ts";
import { findAllGuards, findNested, type Nested } from "../../src/system/sandbox/protected-paths.ts";
import { findReadable } from "../../src/system/sandbox/readable-paths.ts";
import { type Identity, SANDBOX_LIMITS, type SandboxLimits } from "../../src/system/sandbox/sandbox-spec.ts";
import { makeTempFolder } from "./temp-folder.ts";

export const SECRET = "canary-5f1d";
const NOBODY = 65_534;

/** One way of running: the identity, and whether the whole sandbox is started by an ordinary user. */
export interface Way {
  readonly name: string;
  readonly identity: Identity;
  readonly owner: number | null;
  readonly front: readonly string[];
}

const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--inh-caps=-all"];

/** Root can try all of them; an ordinary user is one of them. */
export const WAYS: readonly Way[] =
  process.getuid?.() === 0
    ? [
        { name: "root", identity: { kind: "mapped" }, owner: null, front: [] },
        {
          name: "root for another owner",
          identity: { kind: "owner", uid: NOBODY, gid: NOBODY },
          owner: NOBODY,
          front: [],
        },
        { name: "an ordinary user", identity: { kind: "own" }, owner: NOBODY, front: AS_NOBODY },
      ]
    : [{ name: "an ordinary user", identity: { kind: "own" }, owner: null, front: [] }];

/** A machine to break out to: a workspace, a home with secrets, and a folder outside. */
export interface Ground {
  readonly base: string;
  readonly workspace: string;
  readonly home: string;
  readonly outside: string;
}

export function makeGround(way: Way): Ground {
  const base = makeTempFolder();
  chmodSync(base, 0o755);
  const [workspace, home, outside] = [join(base, "work"), join(base, "home"), join(base, "outside")];
  for (const folder of [workspace, home, outside, join(home, ".ssh")]) mkdirSync(folder);
  const files = [join(home, ".ssh", "id"), join(home, ".netrc"), join(outside, "secret"), join(workspace, "own.txt")];
  for (const file of files) writeFileSync(file, file.startsWith(workspace) ? "own" : SECRET);
  if (way.owner !== null)
    for (const path of [workspace, ...files, home, outside]) chownSync(path, way.owner, way.owner);
  return { base, workspace, home, outside };
}

const bystanders = new Map<number | null, ChildProcess>();

/** A process of the workspace's owner outside, with a secret in its environment; one for all attempts that leave it alive. */
export function bystanderOf({ owner }: Way): ChildProcess {
  const known = bystanders.get(owner);
  if (known !== undefined && known.exitCode === null && known.signalCode === null) return known;
  const user = owner === null ? {} : { uid: owner, gid: owner };
  const bystander = spawn("sleep", ["3000"], { env: { ...process.env, SECRET }, stdio: "ignore", ...user });
  bystanders.set(owner, bystander);
  return bystander;
}

export function endBystanders(): void {
  for (const bystander of bystanders.values()) bystander.kill("SIGKILL");
  bystanders.clear();
}

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  /** Processes that were still there once the command had ended. */
  readonly left: readonly number[];
}

export interface RunOptions {
  readonly limits?: Partial<SandboxLimits>;
  readonly env?: Readonly<Record<string, string>>;
  /** Changes how the sandbox itself is started, such as with descriptors that it must not pass on. */
  readonly start?: (argv: readonly string[]) => readonly string[];
  readonly signal?: AbortSignal;
  /** Rules that deny reading files. */
  readonly deny?: readonly string[];
  /** Repositories inside the workspace that are known, in place of those that are there. */
  readonly nested?: Nested;
}

/** Runs a script with bash in the sandbox. */
export async function runInside(way: Way, ground: Ground, script: string, options: RunOptions = {}): Promise<Outcome> {
  const detection = await detectSandbox({ platform: process.platform, identity: way.identity });
  if (!detection.found) throw new Error(`${detection.reason}; ${detection.fix}`);
  const { workspace, home, outside } = ground;
  const mark = randomUUID();
  const path = process.env.PATH ?? "";
  const visibleTo: Identity = way.owner === null ? way.identity : { kind: "owner", uid: way.owner, gid: way.owner };
  const env = { PATH: path, HOME: home, OUTSIDE: outside, WORK: workspace, MARK: mark, ...options.env };
  const { covers, absent } = await createCoverFinder(deniedBy(options.deny ?? [], workspace)).find([workspace]);
  const launch = toBwrapArgv(
    { argv: ["bash", "--norc", "-c", script], cwd: workspace, env },
    {
      tools: detection.tools,
      identity: way.identity,
      limits: { ...SANDBOX_LIMITS, ...options.limits },
      network: false,
      home,
      ...findReadable({ home, path, execPath: process.execPath, identity: visibleTo }),
      writable: [workspace],
      guards: [
        ...findAllGuards(workspace, options.nested ?? findNested(workspace), home),
        ...absent.map((path) => ({ kind: "absent", path, text: null }) as const),
      ],
      covers,
      record: writeRecord([workspace]),
    },
  );
  const argv = [...way.front, ...launch.argv];
  const tidy = [...way.front, ...(launch.tidy ?? [])];
  const chunks: Buffer[] = [];
  const keep = (chunk: Buffer) => void chunks.push(chunk);
  const child = await spawnProcess({
    ...launch,
    tidy,
    argv: options.start?.(argv) ?? argv,
    onStdout: keep,
    onStderr: keep,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const { code } = await child.exited;
  await child.ended;
  return { code, output: Buffer.concat(chunks).toString("utf8"), left: findMarked(mark) };
}

/** The files that rules deny to be read in a workspace. */
export function deniedBy(rules: readonly string[], workspace: string): DeniedFiles {
  const origin = { kind: "default" } as const;
  const deny = rules.map((text) => ({ value: parseRule(text, origin), origin }));
  const world = { workspace, cwd: workspace, home: "/home/nobody-here" };
  return toDeniedFiles(compileRules({ deny, ask: [], allow: [] }, world).deny);
}

/** Everything that runs and has the mark in its environment; what is dead and not reaped has none. */
function findMarked(mark: string): readonly number[] {
  const hasMark = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`MARK=${mark}`);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && hasMark(name))
    .map(Number);
}
