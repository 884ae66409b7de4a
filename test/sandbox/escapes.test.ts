import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { statPath } from "../../src/system/sandbox/guard-path.ts";
import { PROTECTED_PATHS } from "../../src/system/sandbox/protected-paths.ts";
import { needs } from "../support/machine.ts";
import {
  bystanderOf,
  endBystanders,
  type Ground,
  makeGround,
  runInside,
  SECRET,
  WAYS,
  type Way,
} from "../support/sandbox-harness.ts";
import { ATTEMPTS, type Attempt } from "./attempts.ts";

afterAll(endBystanders);

/** Listens and counts who came. */
async function listen(where: string | number): Promise<{ readonly server: Server; readonly seen: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  });
  if (typeof where === "number") server.listen(where, "127.0.0.1");
  else server.listen(where);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { server, seen: () => count };
}

/** What of the protected paths is there, and what it holds. */
function readProtected({ workspace }: Ground): string {
  return PROTECTED_PATHS.map((path) => {
    const found = statPath(join(workspace, path));
    if (found === undefined) return `${path}: absent`;
    const held = found.isDirectory() && path !== ".git" ? readdirSync(join(workspace, path)).join() : "";
    return `${path}: ${found.isFile() ? readFileSync(join(workspace, path), "utf8") : held}`;
  }).join("\n");
}

function prepare(
  script: string,
  { workspace, outside }: Ground,
  user: { readonly uid?: number; readonly gid?: number },
) {
  const env = { PATH: process.env.PATH, HOME: outside };
  execFileSync("bash", ["-c", script], { cwd: workspace, env, stdio: "ignore", ...user });
}

async function attempt({ name, script, options = {}, before }: Attempt, way: Way): Promise<void> {
  const ground = makeGround(way);
  const user = way.owner === null ? {} : { uid: way.owner, gid: way.owner };
  if (before !== undefined) prepare(before, ground, user);
  const bystander = bystanderOf(way);
  const abstract = `toolcrib-${process.pid}-${name.length}-${way.name.length}`;
  const listeners = await Promise.all([0, join(ground.outside, "socket"), `\0${abstract}`].map(listen));
  const address = listeners[0]?.server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const pattern = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
  const guarded = readProtected(ground);

  const outcome = await runInside(way, ground, `${script}\necho TRIED`, {
    ...options,
    env: { HOST_PID: String(bystander.pid), PORT: String(port), ABSTRACT: abstract },
  });

  const { output, left } = outcome;
  expect(output).toContain("TRIED");
  expect(output).not.toContain("ESCAPED");
  expect(output).not.toContain(SECRET);
  expect(left).toEqual([]);
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  expect(listeners.map(({ seen }) => seen())).toEqual([0, 0, 0]);
  expect(readdirSync(ground.outside).sort()).toEqual(["secret", "socket"]);
  expect(readFileSync(join(ground.outside, "secret"), "utf8")).toBe(SECRET);
  expect(readFileSync("/proc/sys/kernel/core_pattern", "utf8")).toBe(pattern);
  expect(readProtected(ground)).toBe(guarded);
}

describe.each(WAYS)("as $name, nothing gets out that", needs("bwrap", "bash"), (way) => {
  test.each(ATTEMPTS)("$name", async (given) => attempt(given, way), 60_000);
});

describe.each(WAYS)("as $name, what rules deny to be read", needs("bwrap", "bash"), (way) => {
  const deny = ["Read(.env)", "Read(**/*.key)", "Read(secrets/**)", "Read(absent)"];
  const before = `mkdir -p deep/down secrets shut; for path in .env deep/down/a.key secrets/x shut/b.key; do echo ${SECRET} > $path; done
    ln -s deep/down/a.key innocent; chmod 000 deep/down/a.key; chmod 500 shut`;
  const script = `read() { cat "$@" 2>&1; perl -pe 1 "$@"; }
    read .env deep/down/a.key secrets/x shut/b.key innocent; ls -A secrets | grep . && echo ESCAPED
    chmod -R u+rwX . ; read .env deep/down/a.key shut/b.key; rm -rf .env secrets; mv .env moved && echo ESCAPED
    mv deep elsewhere; mv shut open; read elsewhere/down/a.key open/b.key; cp -a . /tmp/copy; grep -ra ${SECRET} /tmp/copy .
    ln .env hard && echo ESCAPED; ln elsewhere/down/a.key hard && echo ESCAPED; (echo x > .env) && echo ESCAPED
    (echo x > absent) && echo ESCAPED; (echo x > absent/x) && echo ESCAPED; (echo x > secrets/y) && echo ESCAPED
    for path in .env secrets; do umount $path && echo ESCAPED; mount --bind . $path && echo ESCAPED; done
    read /proc/self/cwd/.env /proc/1/cwd/.env /proc/self/root$WORK/.env; tar cf - . | grep -a ${SECRET}; dd if=.env; echo TRIED`;

  test("stays unread, however a command tries", async () => {
    const ground = makeGround(way);
    prepare(before, ground, way.owner === null ? {} : { uid: way.owner, gid: way.owner });
    const { output, left } = await runInside(way, ground, script, { deny });
    expect(output).toContain("TRIED");
    expect(output).not.toContain("ESCAPED");
    expect(output).not.toContain(SECRET);
    expect(left).toEqual([]);
    expect(readFileSync(join(ground.workspace, ".env"), "utf8")).toBe(`${SECRET}\n`);
    expect(readdirSync(ground.workspace).sort()).toEqual([
      ...[".env", "elsewhere", "innocent", "open", "own.txt", "secrets"],
    ]);
  });
});

describe.each(WAYS)("as $name, a file that is copied into the sandbox", needs("bwrap", "bash"), (way) => {
  test("may be called anything", async () => {
    const ground = makeGround(way);
    const odd = join(ground.base, "a b;echo ESCAPED;$(echo ESCAPED)");
    writeFileSync(odd, "copied");
    const start = (argv: readonly string[]) => argv.with(argv.indexOf("/etc/passwd"), odd);
    const { code, output } = await runInside(way, ground, "cat /etc/passwd", { start });
    expect({ code, output }).toEqual({ code: 0, output: "copied" });
  });
});

describe.each(WAYS)("as $name, ordinary work goes on:", needs("bwrap", "bash"), (way) => {
  test("files, programs, commits and a private /tmp", async () => {
    const ground = makeGround(way);
    const script = `set -e
      cat own.txt; echo new > made.txt; echo x > /tmp/t; echo x > ~/t
      ${process.execPath} -e 'console.log("node runs")'
      id -u; pwd`;
    const { code, output, left } = await runInside(way, ground, script);
    expect(output).toContain("node runs");
    expect(output).toContain(ground.workspace);
    expect(output).not.toMatch(/^0$/m);
    expect({ code, left }).toEqual({ code: 0, left: [] });
    expect(readFileSync(join(ground.workspace, "made.txt"), "utf8")).toBe("new\n");
    expect(readdirSync(ground.workspace).sort()).toEqual(["made.txt", "own.txt"]);
  });

  test("commits in a repository and its worktrees, beside hooks and programs that settings name", async () => {
    const ground = makeGround(way);
    const before = `git init -q .; git config user.name a; git config user.email a@b.test; git config extensions.worktreeConfig true
      mkdir -p tools hooks; echo x > tools/run.sh; git config alias.x '!tools/run.sh'; git config core.hooksPath hooks
      git commit -q --allow-empty -m x; git worktree add -q trees/one`;
    prepare(before, ground, way.owner === null ? {} : { uid: way.owner, gid: way.owner });
    const script = `set -e
      echo new > tools/other; git add -A tools; git commit -q -m more; git log --oneline HEAD | wc -l
      cd trees/one; git status --short; echo new > made; git add made; git commit -q -m further; git checkout -q -b two`;
    const { code, output } = await runInside(way, ground, script);
    expect({ code, output }).toEqual({ code: 0, output: "2\n" });
    expect(readdirSync(ground.workspace).sort()).toEqual([".git", "hooks", "own.txt", "tools", "trees"]);
  });

  test("the exit code, all of the output, and what signals mean", async () => {
    const ground = makeGround(way);
    const long = await runInside(way, ground, "exec > >(cat); seq 200000; exit 7");
    expect(long.code).toBe(7);
    expect(long.output.trimEnd().endsWith("\n200000")).toBe(true);
    const stop = new AbortController();
    const script = "trap 'echo asked to end; exit 3' TERM; touch ready; while :; do sleep 0.05; done";
    const running = runInside(way, ground, script, { signal: stop.signal });
    await expect.poll(() => readdirSync(ground.workspace), { timeout: 10_000 }).toContain("ready");
    stop.abort();
    const ended = await running;
    expect(ended.output).toContain("asked to end");
    expect(ended.left).toEqual([]);
    expect(readdirSync(ground.workspace).sort()).toEqual(["own.txt", "ready"]);
  });

  test("a command that ends does not uncover what another one covers", async () => {
    const ground = makeGround(way);
    const script = `touch ready; until [ -e go ]; do sleep 0.02; done; (echo pwned > .mcp.json) || (mkdir -p .claude/x) || echo HELD`;
    const first = runInside(way, ground, script);
    await expect.poll(() => readdirSync(ground.workspace), { timeout: 10_000 }).toContain("ready");
    await runInside(way, ground, "true");
    await runInside(way, ground, "touch go");
    expect((await first).output).toContain("HELD");
    expect(readdirSync(ground.workspace).sort()).toEqual(["go", "own.txt", "ready"]);
  });
});
