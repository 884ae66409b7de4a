import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createSession, type Session, type SessionOptions } from "../../src/runtime/session/create-session.ts";

const FILES = {
  ".env": "KEY=canary-1",
  "conf/.env": "KEY=canary-2",
  "src/a.ts": "KEY=open",
  "kept/b.txt": "KEY=canary-3",
};

let session: Session | null = null;
const folders: string[] = [];
afterEach(async () => {
  await session?.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<SessionOptions>, at: (folder: string) => string = (folder) => folder) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-closed-")));
  folders.push(folder);
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\n`);
  }
  const opened = await createSession({ workspace: at(folder), ...options });
  session = opened;
  return async (tool: string, args: object) => (await opened.call(tool, { ...args })).textResultForLlm;
}

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
    const linked = (folder: string): string => {
      const link = `${folder}-link`;
      symlinkSync(folder, link);
      folders.push(link);
      return link;
    };
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
