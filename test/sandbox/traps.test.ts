import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { needs } from "../support/machine.ts";
import { runCli } from "../support/run-cli.ts";
import { type Ground, makeGround, runInside, WAYS, type Way } from "../support/sandbox-harness.ts";

/** Runs a script on the host, as the workspace's owner, and says what it said. */
function onHost(way: Way, { workspace, home, outside }: Ground, script: string): string {
  const user = way.owner === null ? {} : { uid: way.owner, gid: way.owner };
  const env = { PATH: process.env.PATH, HOME: home, OUTSIDE: outside, GIT_EDITOR: "true" };
  try {
    return execFileSync("bash", ["-c", script], {
      cwd: workspace,
      env,
      encoding: "utf8",
      stdio: "pipe",
      ...user,
    });
  } catch (error) {
    return String(error);
  }
}

/** Makes a repository without the dozen samples of hooks, which cost more to write than all the rest. */
const init = (folder: string): string => `git init -q --template= ${folder}; mkdir ${folder}/.git/hooks`;

/** What git needs to know about the author of a commit. */
const NAMES = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.test GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.test";

/** A folder `evil` that git would take for its own, from where it lies ready, with a program that shows that it ran. */
const EVIL = `${NAMES}; cp -r ready evil; mv evil/store evil/.git; printf '#!/bin/sh\\necho ran >> "$OUTSIDE/pwned"\\n' > run; chmod +x run
  run=$PWD/run; read -r head < evil/.git/refs/heads/master
  monitor() { printf '[core]\\nrepositoryformatversion = 0\\nfsmonitor = %s\\n' "$run" > "$1"; }`;

interface Trap {
  readonly name: string;
  /** Commands that run one after the other. */
  readonly scripts: readonly string[];
  /** What somebody does on the host afterwards. */
  readonly host: string;
}

const TRAPS: readonly Trap[] = [
  {
    name: "a submodule entry and the settings of the folder that it leads to",
    scripts: [
      `${EVIL}; monitor evil/.git/config; git update-index --add --cacheinfo 160000,$head,evil; git commit -q -m x`,
    ],
    host: "git status; git diff; git -C evil status",
  },
  {
    name: "such a folder among installed packages",
    scripts: [
      `${EVIL}; mkdir -p node_modules/a; mv evil node_modules/a/b; monitor node_modules/a/b/.git/config; git update-index --add --cacheinfo 160000,$head,node_modules/a/b`,
    ],
    host: "git status",
  },
  {
    name: "a file that names a repository elsewhere, with an odd name",
    scripts: [
      `${EVIL}; monitor evil/.git/config; odd=$'o\\ndd  '; mv evil/.git "$odd"; printf 'gitdir: ../%s\\0x\\n' "$odd" > evil/.git; git update-index --add --cacheinfo 160000,$head,evil`,
    ],
    host: "git status; git -C evil status",
  },
  {
    name: "a link to a repository elsewhere",
    scripts: [`${EVIL}; monitor evil/.git/config; mv evil/.git store; ln -s ../store evil/.git`],
    host: "git -C evil status",
  },
  {
    name: "a store whose settings lie in another folder",
    scripts: [
      `${EVIL}; mkdir shared; monitor shared/config; mv evil/.git/objects evil/.git/refs shared; rm evil/.git/config; echo ../../shared > evil/.git/commondir`,
    ],
    host: "git -C evil status",
  },
  {
    name: "a repository that becomes one with the second command only",
    scripts: [
      `${EVIL}; monitor evil/.git/config; mv evil/.git/HEAD evil/.git/H; mv evil/.git evil/later`,
      "mv evil/later/H evil/later/HEAD; mv evil/later evil/.git",
    ],
    host: "git -C evil status",
  },
  {
    name: "hooks, one of them a link",
    scripts: [`${EVIL}; cp run evil/.git/hooks/pre-commit; ln -s "$run" evil/.git/hooks/post-commit`],
    host: "cd evil; git commit --allow-empty -m x",
  },
  {
    name: "a folder of hooks that is a link",
    scripts: [
      `${EVIL}; mkdir hooks; cp run hooks/pre-commit; rm -r evil/.git/hooks; ln -s ../../hooks evil/.git/hooks`,
    ],
    host: "cd evil; git commit --allow-empty -m x",
  },
  {
    name: "an existing folder that becomes a store itself",
    scripts: [
      `mkdir src; ${EVIL}; monitor evil/.git/config; cp -r evil/.git/* src; git config -f src/config core.bare false; git config -f src/config core.worktree .`,
    ],
    host: "cd src; git status",
  },
  {
    name: "settings that include others, in another case and on one line",
    scripts: [
      `${EVIL}; monitor inner; printf '[core] bare = false\\n[Include] path = %s/inner\\n' "$PWD" > evil/.git/config`,
      `${EVIL}; printf '[core]\\n name = x \\\\\\n\\n[CORE]\\r\\n\\tFsMonitor = %s\\n' "$run" > evil/.git/config`,
    ],
    host: "git -C evil status",
  },
  {
    name: "folders that nobody may write to",
    scripts: [`${EVIL}; monitor evil/.git/config; chmod 555 evil/.git evil`],
    host: "git -C evil status",
  },
  {
    name: "more repositories than fit into one line",
    scripts: [
      `${EVIL}; monitor evil/.git/config; mkdir -p many/{1..110}/{objects,refs}; for n in {1..110}; do monitor many/$n/config; echo ref: refs/heads/master > many/$n/HEAD; done`,
    ],
    host: "for n in 1 55 110; do git -C many/$n status; done; git -C evil status",
  },
  {
    name: "a worktree with settings of its own",
    scripts: [`${EVIL}; git worktree add -q tree; monitor .git/worktrees/tree/config.worktree`],
    host: "git -C tree status",
  },
  {
    name: "an unfinished rebase that runs a program",
    scripts: [`${EVIL}; git rebase -q --exec "$run; false" HEAD~1; echo "x $run" >> .git/rebase-merge/git-rebase-todo`],
    host: "git rebase --continue",
  },
  {
    name: "an unfinished rebase of a worktree",
    scripts: [
      `${EVIL}; git worktree add -q tree; cd tree; git rebase -q --exec "false" HEAD~1; echo "exec $run" >> ../.git/worktrees/tree/rebase-merge/git-rebase-todo`,
    ],
    host: "git -C tree rebase --continue",
  },
  {
    name: "a strategy of merging that is a program",
    scripts: [
      `${EVIL}; git rebase -q --exec false HEAD~1; mkdir git-merge-; echo /../run > .git/rebase-merge/strategy; echo "pick $(git rev-parse HEAD)" > .git/rebase-merge/git-rebase-todo`,
      `mkdir .git/sequencer; printf '[options] strategy = /../run\\n' > .git/sequencer/opts; echo "pick $(git rev-parse HEAD) x" > .git/sequencer/todo`,
    ],
    host: "git rebase --continue; git cherry-pick --continue",
  },
];

/** What a session finds that starts before there are any. */
const NONE = { repositories: [], complete: true };

const REPOSITORY = `git config --global user.name a; git config --global user.email a@b.test; git config --global init.defaultBranch master
  ${init(".")}; git config extensions.worktreeConfig true; echo a > a; git add a; git commit -q -m one; echo b > a; git commit -q -a -m two
  ${init("ready")}; git -C ready commit -q --allow-empty -m x; mv ready/.git ready/store`;

const made = new Map<Way, string>();
afterAll(() => {
  for (const folder of made.values()) rmSync(folder, { recursive: true, force: true });
});

/** A ground with a repository in it, and its owner's settings for git: made once for each way, and copied. */
function makeRepository(way: Way): Ground {
  const ground = makeGround(way);
  let model = made.get(way);
  if (model === undefined) {
    onHost(way, ground, REPOSITORY);
    model = mkdtempSync(join(tmpdir(), "toolcrib-repository-"));
    made.set(way, model);
    execFileSync("cp", ["-a", ground.workspace, ground.home, model]);
  } else execFileSync("cp", ["-a", join(model, "work"), join(model, "home"), ground.base]);
  return ground;
}

describe.each(WAYS)("as $name, git on the host does not run what a command left in", needs("bwrap", "bash"), (way) => {
  test.each(TRAPS)("$name", async ({ scripts, host }) => {
    const ground = makeRepository(way);
    const said: string[] = [];
    for (const script of scripts) said.push((await runInside(way, ground, script, { nested: NONE })).output);
    onHost(way, ground, host);
    expect(existsSync(join(ground.outside, "pwned"))).toBe(false);
    expect(said.at(-1)).toMatch(
      /toolcrib: .* says .*, which git outside the sandbox would run\. It is now called .*\.held\.\d+/,
    );
  });

  test("a repository, when the command had to be killed", async () => {
    const ground = makeRepository(way);
    const stop = new AbortController();
    const script = `${EVIL}; monitor evil/.git/config; trap '' HUP INT TERM; touch stubborn; sleep 300`;
    const running = runInside(way, ground, script, { signal: stop.signal });
    await vi.waitUntil(() => existsSync(join(ground.workspace, "stubborn")), 30_000);
    stop.abort();
    await running;
    onHost(way, ground, "git -C evil status");
    expect(existsSync(join(ground.outside, "pwned"))).toBe(false);
    expect(readdirSync(join(ground.workspace, "evil", ".git")).join()).toMatch(/config\.held\.\d+/);
  });
});

describe.each(WAYS)("as $name, there is nothing to say about", needs("bwrap", "bash"), (way) => {
  test.each([
    [
      "repositories that commands make and use",
      "git init -q x; cd x; git config user.name a; git config user.email a@b.test; git commit -q --allow-empty -m x; git clone -q . ../y; git init -q --bare ../z; git remote add z ../z; git push -q z HEAD; cd ..; git worktree add -q tree; git -C tree commit -q --allow-empty -m x",
    ],
    ["a rebase that stops", "git checkout -q -b side HEAD~1; echo c > a; git commit -q -a -m c; git rebase -q master"],
    [
      "a cherry-pick that stops",
      "git checkout -q -b side HEAD~1; echo c > a; git commit -q -a -m c; git cherry-pick master~1 master",
    ],
  ])("%s", async (_, script) => {
    const ground = makeRepository(way);
    const { output } = await runInside(way, ground, `${NAMES}; ${script}`);
    expect(output).not.toContain("toolcrib:");
    expect(onHost(way, ground, "find . -name '*.held.*'")).toBe("");
  });

  test("what was there before", async () => {
    const ground = makeRepository(way);
    // More of them than are protected one by one.
    const many = `${init("many/1")}; git -C many/1 config core.hooksPath .hooks; for n in {2..40}; do cp -r many/1 many/$n; done`;
    const rebase = "git rebase -q --exec 'false' HEAD~1; echo 'exec echo mine' >> .git/rebase-merge/git-rebase-todo";
    onHost(way, ground, `${many}; ${rebase}`);
    const todo = join(ground.workspace, ".git/rebase-merge/git-rebase-todo");
    const before = readFileSync(todo, "utf8");
    const { output } = await runInside(way, ground, "for n in {1..40}; do git -C many/$n status; done; git status");
    expect(output).not.toContain("toolcrib:");
    expect(readFileSync(todo, "utf8")).toBe(before);
    expect(onHost(way, ground, "find . -name '*.held.*'")).toBe("");
  });
});

test("doctor names what was put aside and nobody looked at", needs("bwrap", "bash"), async () => {
  const [way] = WAYS;
  if (way === undefined) throw new Error("there is a way");
  const ground = makeRepository(way);
  await runInside(way, ground, `${EVIL}; monitor evil/.git/config; cp run evil/.git/hooks/pre-commit`);
  const env = { HOME: ground.home, PATH: process.env.PATH ?? "" };
  const { out } = await runCli(["doctor", "--json"], { cwd: ground.workspace, env });
  const findings: { code: string; names: string[] }[] = JSON.parse(out).findings;
  expect(findings.find(({ code }) => code === "sandbox.held")?.names).toEqual([
    expect.stringMatching(/^evil\/\.git\/config\.held\.\d+$/),
    expect.stringMatching(/^evil\/\.git\/hooks\/pre-commit\.held\.\d+$/),
  ]);
});
