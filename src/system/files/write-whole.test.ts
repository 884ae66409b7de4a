import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { writeWhole } from "./write-whole.ts";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

test("a file keeps its permissions, and a link stays a link", async () => {
  const { project, write } = tempWorkspace();
  const path = write("file", "old");
  chmodSync(path, 0o640);
  symlinkSync("file", join(project, "link"));
  await writeWhole(join(project, "link"), "new");
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["new", 0o640]);
  expect(lstatSync(join(project, "link")).isSymbolicLink()).toBe(true);
  expect(readdirSync(project).sort()).toEqual(["file", "link"]);
});

test("what is for its owner alone is so with its folders, and becomes that again", async () => {
  const { project } = tempWorkspace();
  const path = join(project, "folder", "secret");
  await writeWhole(path, "one", 0o600);
  expect([modeOf(path), modeOf(dirname(path))]).toEqual([0o600, 0o700]);
  chmodSync(path, 0o644);
  await writeWhole(path, "two", 0o600);
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual(["two", 0o600]);
});

test("a file that cannot be written is named, and nothing is left beside it", async () => {
  const { project } = tempWorkspace();
  writeFileSync(join(project, "file"), "");
  const path = join(project, "file", "below");
  await expect(writeWhole(path, "x")).rejects.toMatchObject({
    code: "file.not-written",
    message: expect.stringMatching(/below could not be written \(E[A-Z]+\); nothing was changed$/),
  });
  expect(readdirSync(project)).toEqual(["file"]);
});
