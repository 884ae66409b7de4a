import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createSession } from "../../src/runtime/session/library.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import type { Session } from "../../src/runtime/session/public-session.ts";
import { needs } from "../support/machine.ts";

const FILES = {
  ".env": "KEY=canary-1",
  "conf/.env": "KEY=canary-2",
  "src/a.ts": "KEY=open",
  "kept/b.txt": "KEY=canary-3",
};

const sessions: Session[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<SessionOptions>, at: (folder: string) => string = (folder) => folder) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-closed-")));
  folders.push(folder);
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\n`);
  }
  const opened = await createSession({ workspace: at(folder), builtins: "all", ...options });
  sessions.push(opened);
  return async (tool: string, args: object) => (await opened.call(tool, { ...args })).textResultForLlm;
}

/** Another name for the folder. */
function linked(folder: string): string {
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  folders.push(link);
  return link;
}

describe("a workspace that is reached through a link", () => {
  const permissions = { deny: ["Read(./kept/**)"], allow: ["Bash", "Write(./src/**)"] };
  const start = async () => {
    const call = await open({ permissions, sandbox: { allowHostShell: true } }, linked);
    const [real = "", link = ""] = folders;
    return { call, real, link };
  };

  test("is no way around rules by where it really is", async () => {
    const { call, real, link } = await start();
    for (const path of ["kept/b.txt", join(real, "kept/b.txt"), join(link, "kept/b.txt")]) {
      expect(await call("view", { path })).toContain("is denied by the rule Read(./kept/**)");
      expect(await call("bash", { command: `cat ${path}` })).toContain("is denied by the rule Read(./kept/**)");
    }
  });

  test("is a workspace by every name", needs("bash"), async () => {
    const { call, real, link } = await start();
    for (const folder of ["", real, link]) {
      expect(await call("view", { path: join(folder, "src/a.ts") })).toContain("KEY=open");
      const args = { path: join(folder, "src/new.ts"), content: "x", overwrite: true };
      expect(await call("create", args)).toContain("src/new.ts");
    }
    expect(await call("bash", { command: `cat ${link}/src/a.ts src/a.ts ${real}/src/a.ts` })).toContain("KEY=open");
  });
});

describe("what a rule closes to reading is closed to searches that come across it", () => {
  const CLOSED = "[3 files are left out: rules are about reading them]";
  const permissions = { deny: ["Read(.env)", "Read(**/.env)", "Read(./kept/**)"] };

  test.each([
    ["of the workspace", { output_mode: "content" }, `src/a.ts:KEY=open\n${CLOSED}`],
    ["by name", {}, `src/a.ts\n${CLOSED}`],
    ["counted", { output_mode: "count" }, `src/a.ts:1\n${CLOSED}`],
    [
      "by a glob that means it",
      { glob: "**/.env", output_mode: "content" },
      "No matches.\n[2 files are left out: rules are about reading them]",
    ],
    [
      "below a folder that no rule names",
      { path: "conf", output_mode: "content" },
      "No matches.\n[1 file is left out: a rule is about reading it]",
    ],
  ])("grep %s", async (_, args, expected) => {
    const call = await open({ permissions });
    expect(await call("grep", { pattern: "KEY", ...args })).toBe(expected);
  });

  test("glob does not name it", async () => {
    const call = await open({ permissions });
    expect(await call("glob", { pattern: "**" })).toBe(`src/a.ts\n${CLOSED}`);
  });

  test("in bypass mode, and in a workspace that is reached through a link", async () => {
    const call = await open({ permissions, mode: "bypass" }, linked);
    expect(await call("grep", { pattern: "KEY", output_mode: "content" })).toBe(`src/a.ts:KEY=open\n${CLOSED}`);
  });

  test("a file that an ask rule names is left out of what nobody was asked about", async () => {
    const asked: string[] = [];
    const call = await open({
      permissions: { ask: ["Read(./kept/**)"], deny: ["Read(**/.env)"] },
      onPermissionRequest: ({ reason }) => {
        asked.push(reason);
        return { decision: "allow" };
      },
    });
    expect(await call("grep", { pattern: "KEY", output_mode: "content" })).toBe(`src/a.ts:KEY=open\n${CLOSED}`);
    expect(asked).toEqual([]);
    expect(await call("grep", { pattern: "KEY", path: "kept", output_mode: "content" })).toBe(
      "kept/b.txt:KEY=canary-3",
    );
    expect(asked).toHaveLength(1);
  });
});

test("another name of a file that must not be read does not open it", async () => {
  const call = await open({ permissions: { deny: ["Read(.env)", "Read(./kept/**)"], allow: ["Read", "Write"] } });
  const [folder = ""] = folders;
  const link = (from: string, to: string) => linkSync(join(folder, from), join(folder, to));
  link(".env", "src/notes.txt");
  link("conf/.env", "conf/notes.txt");
  link("src/a.ts", "src/b.ts");
  for (const path of ["src/notes.txt", "conf/notes.txt"]) {
    expect(await call("view", { path })).toContain('is another name of ".env", which a rule does not let be read');
    expect(await call("edit", { path, old_str: "KEY", new_str: "K" })).toContain("is another name of");
  }
  expect(await call("view", { path: "src/b.ts" })).toContain("KEY=open");
  const found = await call("grep", { pattern: "KEY=", path: "." });
  expect(found).toContain("src/b.ts");
  expect(found).not.toContain("canary");
});

test("an edit that does not fit tells nothing of a file that is closed to reading", async () => {
  const call = await open({ permissions: { deny: ["Read(./kept/**)"] }, mode: "accept-edits" });
  const patch = ["*** Begin Patch", "*** Update File: kept/b.txt", "@@", "-KEY=canary", "+x", "*** End Patch"].join(
    "\n",
  );
  const denied = 'Permission denied: "kept/b.txt" is denied by the rule Read(./kept/**).';
  expect(await call("edit", { path: "kept/b.txt", old_str: "KEY=canary-4", new_str: "x" })).toBe(denied);
  expect(await call("apply_patch", { input: patch })).toBe(denied);
  expect(await call("create", { path: "kept/new.txt", content: "x" })).toContain("kept/new.txt");
  expect(await call("edit", { path: "src/a.ts", old_str: "open", new_str: "shut" })).toContain("src/a.ts");
});

describe("what is typed into a running command", needs("bash"), () => {
  const shell = { sandbox: { allowHostShell: true } } as const;
  const start = async (options: Partial<SessionOptions>) => {
    const call = await open({ ...shell, ...options });
    await call("bash", { command: "cat", mode: "background" });
    return (input: string) => call("write_bash", { id: "1", input });
  };

  test("is checked against deny rules, because a shell in the background would otherwise be a way around them", async () => {
    for (const mode of ["default", "bypass"] as const) {
      const type = await start({
        permissions: { deny: ["Bash(rm:*)", "Read(.env)"], allow: ["Bash", "write_bash"] },
        mode,
      });
      expect(await type("cd /tmp; rm x")).toBe('Permission denied: "rm x" is denied by the rule Bash(rm:*).');
      expect(await type("cat .env")).toContain("is denied by the rule Read(.env)");
      expect(await type("yes")).toContain("Written");
    }
  });

  test("is asked about where rules name commands, unless a rule names the tool itself", async () => {
    for (const mode of ["default", "bypass", "accept-edits"] as const) {
      const type = await start({ permissions: { deny: ["Bash(rm:*)"], allow: ["Bash"] }, mode });
      expect(await type("r")).toContain("Permission denied: no rule allows it, and there is nobody to ask");
    }
    const type = await start({ permissions: { ask: ["Bash(git push:*)"], allow: ["Bash"] } });
    expect(await type("y")).toContain("Permission denied");
  });

  test("needs no more than `Bash` where none does", async () => {
    const type = await start({ permissions: { allow: ["Bash"] } });
    expect(await type("y")).toContain("Written");
  });
});
