import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachine } from "../../../../test/support/run-cli.ts";
import type { CommandInput } from "../command-line/command.ts";
import { createLog } from "../terminal/log.ts";
import { loadLineHistory } from "./line-history.ts";

/** The history of a workspace, loaded as a new conversation does. */
function open({ cwd, home }: Pick<ReturnType<typeof createMachine>, "cwd" | "home">) {
  const io = { cwd, env: { HOME: home, XDG_STATE_HOME: "" }, err: () => {} } as unknown as CommandInput["io"]; // All that it looks at.
  return loadLineHistory({ io, log: createLog(io, "error") } as unknown as CommandInput); // As above.
}

const folderOf = (home: string) => join(home, ".local", "state", "toolcrib", "history");

test("what looks like a secret, begins with a space or repeats the last line is not kept", async () => {
  const machine = createMachine({});
  const history = await open(machine);
  for (const line of ["one", "one", " mine", "", "token ghp_0123456789abcdefghijABCDEFGHIJ012345", "two"])
    await history.add(line);
  expect(history.lines).toEqual(["two", "one"]);
  expect((await open(machine)).lines).toEqual(["two", "one"]);
});

test("a message of several lines comes back as one", async () => {
  const machine = createMachine({});
  const history = await open(machine);
  for (const line of ["a\n\n  b", '"quoted"', "\\n"]) await history.add(line);
  expect((await open(machine)).lines).toEqual(["\\n", '"quoted"', "a\n\n  b"]);
});

test("the newest 500 lines are kept, and those of another workspace are its own", async () => {
  const machine = createMachine({});
  await (await open(machine)).add("first");
  const [file = ""] = readdirSync(folderOf(machine.home));
  const many = Array.from({ length: 1_200 }, (_, at) => `line ${at}`);
  writeFileSync(join(folderOf(machine.home), file), `${many.join("\n")}\n`);
  const history = await open(machine);
  expect([history.lines.length, history.lines[0]]).toEqual([500, "line 1199"]);
  expect(readFileSync(join(folderOf(machine.home), file), "utf8").split("\n")).toHaveLength(501);
  const other = join(machine.home, "other");
  mkdirSync(other);
  expect((await open({ ...machine, cwd: other })).lines).toEqual([]);
});
