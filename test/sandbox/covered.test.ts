import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadOptions } from "../../src/config/load-options.ts";
import { openSession } from "../../src/runtime/session/tools/session.ts";
import { toSetting } from "../../src/runtime/session/tools/setting.ts";
import { makeFolder } from "../support/builtin-host.ts";
import { needs } from "../support/machine.ts";

const FILES = {
  "work/own.txt": "own needle",
  "work/.env": "needle-in-env",
  "work/deep/down/.env": "needle-deep",
  "work/deep/x.key": "needle-key",
  "work/secrets/one": "needle-one",
  "work/secrets/two/three": "needle-three",
  "home/x": "",
};
const DENY = ["Read(.env)", "Read(**/*.key)", "Read(./secrets/**)", "Read(config/absent.txt)", "Read(absent.txt)"];

interface Options {
  readonly permissions?: Readonly<Record<string, unknown>>;
  readonly sandbox?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** A session whose questions nobody answers: what would be asked does not run. */
async function start({ permissions = {}, sandbox = {}, files = FILES }: Options = {}) {
  const base = makeFolder(files);
  const [cwd, home] = [join(base, "work"), join(base, "home")];
  const place = { cwd, home, env: process.env };
  const config = await loadOptions({ permissions: { deny: DENY, ...permissions }, sandbox }, "test", place);
  const session = await openSession(config, toSetting({ ...place, version: "0", workspace: cwd }));
  onTestFinished(() => session.close());
  const run = async (command: string, more: Record<string, unknown> = {}): Promise<string> => {
    const result = await session.call("bash", { command, ...more });
    return JSON.stringify(result);
  };
  return { cwd, run, session };
}

const NOBODY = /there is nobody to ask/;

describe("in the sandbox, files that rules deny to be read", needs("bwrap", "bash"), () => {
  test.each(["grep -r needle .", "cat *", "find . -type f", "wc -c deep/*", "grep -rc needle deep own.txt"])(
    "are empty to %s, which needs no question",
    async (command) => {
      const { run, cwd } = await start();
      const said = await run(command);
      expect(said).not.toMatch(/needle-/);
      expect(said).toContain("because rules deny reading them: ");
      for (const name of [".env", "deep/down/.env", "deep/x.key", "secrets"]) expect(said).toContain(name);
      expect(readFileSync(join(cwd, ".env"), "utf8")).toBe("needle-in-env");
      expect(readdirSync(cwd).sort()).toEqual([".env", "deep", "own.txt", "secrets"]);
    },
  );

  test("are still denied to a command that names them, and empty to a program that opens them", async () => {
    const { run } = await start({ permissions: { allow: ["Bash(bash x.sh)"] } });
    expect(await run("cat .env")).toMatch(/denied by the rule Read\(\.env\)/);
    const { run: go, cwd } = await start({ permissions: { allow: ["Bash(bash x.sh)"] } });
    writeFileSync(
      join(cwd, "x.sh"),
      `cat .env deep/x.key secrets/one; ls -A secrets | wc -l; stat -c %s .env
       for way in ./.env $PWD/.env /proc/self/cwd/.env /proc/self/root$PWD/.env; do cat $way; done
       ln .env hard && echo LINKED; mv .env moved && echo MOVED; rm -f .env; cp .env copy; cat copy
       mv deep elsewhere; cat elsewhere/x.key elsewhere/down/.env; (echo x > .env) && echo WROTE; umount .env && echo UNMOUNTED
       python3 -c 'print(open(".env").read())'; echo END`,
    );
    const said = await go("bash x.sh");
    expect(said).toContain("END");
    expect(said).not.toMatch(/needle-|LINKED|MOVED|WROTE|UNMOUNTED/);
    expect(readFileSync(join(cwd, ".env"), "utf8")).toBe("needle-in-env");
    expect(readFileSync(join(cwd, "elsewhere/down/.env"), "utf8")).toBe("needle-deep");
  });

  test("are empty to programs that read by side doors", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`work/k/${at}.key`, "needle-many"]));
    const { run, cwd } = await start({ files: { ...FILES, ...many }, permissions: { allow: ["Bash(bash x.sh)"] } });
    writeFileSync(
      join(cwd, "x.sh"),
      `strings @.env; hexdump -f .env own.txt; hexdump -C .env; curl -s "{file}://$PWD/.env"; curl -s "[f-f]ile://$PWD/.env"
       sqlite3 :memory: "select data from fsdir('.env')"; sqlite3 :memory: ".read .env"; cat k/*.key
       kubectl create configmap x --from-env-file=.env --dry-run=client -o yaml; docker compose --env-file .env config
       gcc @.env; gcc -include .env -E x.c; date -f .env; wc --files0-from=.env; jq -R . .env; awk 1 .env; base64 .env; xxd .env
       tar cf - .env | strings; git diff --no-index /dev/null .env; git config -f .env -l; perl -ne print .env; od -c .env
       node -p 'require("fs").readFileSync(".env", "utf8")'; cp .env copy; cat copy; dd if=.env; bash -v .env; echo END`,
    );
    const said = await run("bash x.sh");
    expect(said).toContain("END");
    expect(said).not.toMatch(/needle-/);
  });

  test("cannot be made where a rule spells out the path, and leave nothing behind", async () => {
    const { run, cwd } = await start({ permissions: { allow: ["Bash(bash x.sh)"] } });
    writeFileSync(join(cwd, "x.sh"), "(echo x > absent.txt) || (mkdir -p absent.txt/x) || echo HELD");
    expect(await run("bash x.sh")).toContain("HELD");
    expect(existsSync(join(cwd, "absent.txt"))).toBe(false);
    expect(existsSync(join(cwd, "config"))).toBe(false);
  });

  test("are found when they were made since the last command, and shown once no rule is about them", async () => {
    const { run, cwd } = await start();
    await run("cat *");
    mkdirSync(join(cwd, "new"));
    writeFileSync(join(cwd, "new/late.key"), "needle-late");
    const said = await run("grep -r needle .");
    expect(said).toContain("new/late.key");
    expect(said).not.toContain("needle-late");
    writeFileSync(join(cwd, "deep/late.key"), "needle-later");
    expect(await run("grep -r needle .")).not.toContain("needle-later");
  });

  test("are covered through links too, and a link to a folder is asked about", async () => {
    const { run, cwd } = await start();
    writeFileSync(join(cwd, "shared.txt"), "needle-shared");
    symlinkSync("shared.txt", join(cwd, "linked.key"));
    symlinkSync("deep/x.key", join(cwd, "innocent"));
    linkSync(join(cwd, "own.txt"), join(cwd, "other.txt"));
    expect(await run("cat *")).not.toMatch(/needle-/);
    symlinkSync("deep", join(cwd, "folder.key"));
    expect(await run("grep -r needle .")).toMatch(/can no longer all be found/);
    expect(await run("grep -r needle .")).toMatch(NOBODY);
  });

  test("are unchanged to git, which commits nothing of them", async () => {
    const allow = ["Bash(git add:*)", "Bash(git commit:*)"];
    const { run, cwd } = await start({ permissions: { allow, deny: ["Read(**/.env*)", "Read(*.key)"] } });
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
    mkdirSync(join(cwd, "an odd [folder]"));
    writeFileSync(join(cwd, "an odd [folder]/.env.example"), "kept\r\n");
    writeFileSync(join(cwd, ".gitignore"), "*.key\n");
    git("init", "-q");
    git("-c", "core.autocrlf=false", "add", "-A");
    git("config", "user.name", "a");
    git("config", "user.email", "a@b.test");
    git("commit", "-q", "-m", "first");
    writeFileSync(join(cwd, "own.txt"), "changed");
    expect(await run("git status --short")).toContain(" M own.txt\\n[exit code 0]");
    expect(await run("git add -A && git commit -q -m more")).toContain("exit code 0");
    expect(git("show", "--stat", "--format=", "HEAD")).toMatch(/^ own\.txt .*\n 1 file changed/);
    writeFileSync(join(cwd, ".env.new"), "needle-new");
    expect(await run("git add -A")).toMatch(/clean filter 'covered' failed/);
    expect(git("ls-files")).not.toContain(".env.new");
  });

  test("are no files to git while they are absent", async () => {
    const { run, cwd } = await start({ permissions: { allow: ["Bash(git add:*)"] } });
    execFileSync("git", ["init", "-q"], { cwd });
    writeFileSync(join(cwd, ".gitignore"), ".env\n*.key\nsecrets\n");
    await run("git add -A");
    const added = execFileSync("git", ["ls-files"], { cwd, encoding: "utf8" });
    expect(added).toContain("own.txt");
    expect(added).not.toContain("absent.txt");
  });
});

describe("a question is asked as before", needs("bwrap", "bash"), () => {
  test("with `hideDenied: false`", async () => {
    const { run } = await start({ sandbox: { hideDenied: false } });
    expect(await run("grep -r needle .")).toMatch(NOBODY);
  });

  test("where an ask rule names files", async () => {
    const { run } = await start({ permissions: { ask: ["Read(own.txt)"] } });
    expect(await run("cat *")).toMatch(NOBODY);
  });

  test("where there are too many of them, also about what a rule allows", async () => {
    const many = Object.fromEntries(Array.from({ length: 810 }, (_, at) => [`work/k/${at}.key`, "needle-many"]));
    const files = { ...FILES, ...many, "work/x.sh": "cat k/*.key" };
    const { run } = await start({ files, permissions: { allow: ["Bash", "Bash(bash x.sh)"] } });
    for (const line of ["grep -r needle .", "bash x.sh", "node -e 1", "true; npm test"])
      expect(await run(line)).toMatch(NOBODY);
    const { run: read } = await start({ files });
    expect(await read("cat own.txt")).toContain("own needle");
  });

  test("where a rule denies the workspace as a whole", async () => {
    const { run } = await start({ permissions: { deny: ["Read(//**)"] } });
    expect(await run("cat *")).toMatch(/denied by the rule/);
  });
});

describe("`permissions.sandboxed: allow`", needs("bwrap", "bash"), () => {
  test("lets commands in the sandbox run, except what rules deny or ask about", async () => {
    const permissions = { sandboxed: "allow", deny: ["Bash(rm:*)"], ask: ["Bash(mv:*)"] } as const;
    const { run } = await start({ permissions });
    expect(await run("X=1; touch a; bash -c 'echo ran > b'; cat b")).toContain("ran");
    expect(await run("rm a")).toMatch(/denied by the rule/);
    expect(await run("mv a c")).toMatch(NOBODY);
    const { run: ask } = await start({ permissions: { deny: [] } });
    expect(await ask("touch a")).toMatch(NOBODY);
  });

  test("asks about programs once files that rules deny to be read cannot all be covered", async () => {
    const { run, cwd } = await start({ permissions: { sandboxed: "allow" } });
    const read = "bash -c 'for f in .[e]nv; do cat $f; done'";
    expect(await run("make; true")).not.toMatch(NOBODY);
    // A folder is too much to take away for a link that leads to it.
    symlinkSync("deep", join(cwd, "x.key"));
    const { run: open } = await start({ permissions: { sandboxed: "allow" }, sandbox: { hideDenied: false } });
    expect(await open(read)).toMatch(NOBODY);
    expect(await open("make; true")).toMatch(NOBODY);
    expect(await run(read)).not.toContain("needle-in-env");
  });

  test("means nothing without a sandbox", async () => {
    const sandbox = { shell: "off", allowHostShell: true } as const;
    const { run } = await start({ permissions: { sandboxed: "allow" }, sandbox });
    expect(await run("touch a")).toMatch(NOBODY);
  });
});
