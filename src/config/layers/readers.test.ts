import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { loadConfig } from "../load-config.ts";
import { fileReaders } from "./readers.ts";

const isPosix = process.platform !== "win32";
const makePipe = (path: string) => execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);

test("what there is not is told from what cannot be read", async () => {
  const { cwd } = createWorkspace({ "a.yaml": "x" });
  expect(await fileReaders.readText(join(cwd, "a.yaml"))).toBe("x");
  expect(await fileReaders.readText(join(cwd, "b.yaml"))).toBeNull();
  expect(await fileReaders.readText(join(cwd, "a.yaml", "b.yaml"))).toBeNull();
});

// Nobody writes into the pipe, so anyone who waits for it waits for ever.
test.runIf(isPosix)("a configuration that is no file is refused at once, in words", async () => {
  const workspace = createWorkspace();
  const place = (name: string) => join(workspace.cwd, name);
  mkdirSync(place("folder"));
  makePipe(place("pipe"));
  const load = (config: string) => loadConfig({ ...workspace.input(), flags: { config } });
  const refusal = (text: string) => ({ code: "config.not-found", message: expect.stringContaining(text) });
  await expect(load("folder")).rejects.toMatchObject(refusal("folder: cannot be read: it is a folder"));
  await expect(load("pipe")).rejects.toMatchObject(refusal("pipe: cannot be read: it is a pipe"));
  await expect(load("/dev/zero")).rejects.toMatchObject(refusal("/dev/zero: cannot be read: it is a device"));
});

test.runIf(isPosix)("a project's file that is a pipe holds nobody up either", async () => {
  const workspace = createWorkspace();
  makePipe(join(workspace.cwd, "toolcrib.yaml"));
  await expect(workspace.load()).rejects.toMatchObject({ code: "config.not-found" });
});

test.runIf(isPosix)("the null device says nothing, every time", async () => {
  const workspace = createWorkspace();
  writeFileSync(join(workspace.cwd, "toolcrib.yaml"), "excludeTools: [web]");
  const { excludeTools } = await loadConfig({ ...workspace.input(), flags: { config: devNull } });
  expect(excludeTools.value).toEqual([]);
});
