import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSession } from "../../src/runtime/session/library.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import { needs } from "../support/machine.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** A session in the host's shell whose questions nobody answers: what would be asked does not run. */
async function start(files: Readonly<Record<string, string>>, permissions: SessionOptions["permissions"] = {}) {
  const { project } = tempWorkspace(files);
  git(project, "init", "-q");
  const sandbox = { shell: "off", allowHostShell: true } as const;
  const session = await createSession({ workspace: project, builtins: "all", permissions, sandbox });
  onTestFinished(() => session.close());
  const run = async (command: string): Promise<string> => JSON.stringify(await session.call("bash", { command }));
  return { project, run };
}

function git(folder: string, ...args: readonly string[]): void {
  execFileSync("git", ["-C", folder, ...args], { stdio: "ignore" });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const NOBODY = /nobody to ask/;

describe("what only reads, on a real disk", needs("bash"), () => {
  const SETTINGS = '[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = "touch PWNED; false"\n';

  /** A folder that git takes for a repository, made of files that can be committed. */
  function plant(folder: string): void {
    write(join(folder, "HEAD"), "ref: refs/heads/main\n");
    for (const name of ["objects/k", "refs/k"]) write(join(folder, name), "");
    write(join(folder, "config"), SETTINGS);
  }

  test.each([
    "cd docs/x && git status",
    "git -C docs/x status",
    "git -C docs -C x status",
    "cd docs/x/deep && git status",
    "cd docs; cd x; git log -1",
    "timeout 5 git -C docs/x diff",
    "git -C link status",
    "pushd docs/x && git status --short",
    "(cd docs/x; git branch)",
    "cd nested && git status",
    "git -C nested/src log -1",
  ])("git asks before it works on somebody else's repository: %s", async (line) => {
    const { project, run } = await start({ "a.txt": "a", "docs/x/deep/b": "b", "nested/src/c": "c" });
    plant(join(project, "docs/x"));
    symlinkSync("docs/x", join(project, "link"));
    git(join(project, "nested"), "init", "-q");
    expect(await run(line)).toMatch(NOBODY);
    expect(existsSync(join(project, "docs/x/PWNED"))).toBe(false);
  });

  test("nor does a rule for the command cover it, but one for every command does", async () => {
    const files = { "docs/x/b": "b" };
    const some = await start(files, { allow: ["Bash(git status:*)", "Bash(git -C:*)", "Bash(cd:*)"] });
    plant(join(some.project, "docs/x"));
    expect(await some.run("cd docs/x && git status")).toMatch(NOBODY);
    expect(await some.run("git -C docs/x status")).toMatch(NOBODY);
    const all = await start(files, { allow: ["Bash"] });
    plant(join(all.project, "docs/x"));
    expect(await all.run("git -C docs/x status")).not.toMatch(NOBODY);
  });

  test("a workspace that is itself such a folder counts as one", async () => {
    const { project } = tempWorkspace({ "x/a": "a" });
    plant(join(project, "x"));
    const sandbox = { shell: "off", allowHostShell: true } as const;
    const session = await createSession({ workspace: join(project, "x"), builtins: "all", sandbox });
    onTestFinished(() => session.close());
    expect(JSON.stringify(await session.call("bash", { command: "git status" }))).toMatch(NOBODY);
  });

  test.each([
    "git status --short",
    "cd src && git status",
    "git -C src log --oneline",
    "git -C sub status",
    "cd wt; git status",
  ])("in one's own repository, its submodules and worktrees it needs no question: %s", async (line) => {
    const { project, run } = await start({ "src/a.ts": "a" });
    const who = ["-c", "user.name=a", "-c", "user.email=a@b.test", "-c", "protocol.file.allow=always"];
    git(project, "add", "-A");
    git(project, ...who, "commit", "-qm", "x");
    git(project, ...who, "submodule", "add", "-q", project, "sub");
    git(project, "worktree", "add", "-q", "wt");
    expect(await run(line)).not.toMatch(NOBODY);
  });

  /** Links that lead out of the workspace, in a folder and as one. */
  async function withLinks() {
    const started = await start({ "a.txt": "inside", "src/in/secret.txt": "inside", "plain/b.txt": "inside" });
    const outside = join(started.project, "../outside");
    write(join(outside, "secret.txt"), "canary");
    symlinkSync(join(outside, "secret.txt"), join(started.project, "l.txt"));
    symlinkSync(outside, join(started.project, "src/way"));
    symlinkSync("../plain", join(started.project, "src/own"));
    return started;
  }

  test.each([
    "cat l*.txt",
    "cat *.txt",
    "cat ?.txt",
    "cat [a-l].txt",
    "sort ./*.txt",
    "wc -c *.txt",
    'for f in ./*.txt; do cat "$f"; done',
    "head -1 src/*/secret.txt",
    "cat src/w*/secret.txt",
    "cat s*/way/secret.txt",
    "cat */*/*.txt",
    "cd src && cat */secret.txt",
    "grep x src/*/*",
    "grep -R canary .",
    "grep -nR canary",
    "grep --dereference-recursive canary src",
    "rg -L canary",
    "rg --follow canary src",
    "find -L . -type f -exec cat {} +",
    "find src -follow -name '*.txt'",
    "diff -r src plain",
    "strings l*",
    "tac -- l.tx?",
    "< l.txt cat",
    "cat < l.tx*",
  ])("a pattern or a folder whose links lead outside is asked about: %s", async (line) => {
    const { run } = await withLinks();
    const said = await run(line);
    expect(said).toMatch(NOBODY);
    expect(said).not.toContain("canary");
  });

  test.each([
    "cat a*.txt",
    "cat src/in/*.txt",
    "cat src/own/*.txt",
    "wc -l src/o*/*",
    "grep -r inside .",
    "grep -R inside plain",
    "rg -L inside plain",
  ])("others are not: %s", async (line) => {
    const { run } = await withLinks();
    const said = await run(line);
    expect(said).not.toMatch(NOBODY);
    expect(said).not.toContain("canary");
  });

  test("a folder with more names than anybody would look through is asked about", async () => {
    const names = Object.fromEntries(Array.from({ length: 6_100 }, (_, at) => [`many/${at}.txt`, ""]));
    const { run } = await start(names);
    expect(await run("grep -R x many")).toMatch(NOBODY);
    expect(await run("grep -r x many")).not.toMatch(NOBODY);
  });
});
