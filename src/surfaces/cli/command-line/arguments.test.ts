import { describe, expect, test } from "vitest";
import { runCli } from "../../../../test/support/run-cli.ts";
import { parseCommandLine } from "./arguments.ts";
import type { CommandSpec } from "./command-spec.ts";
import { COMMANDS } from "./commands.ts";

describe("what is understood", () => {
  test("options may stand before or behind the command", () => {
    const before = parseCommandLine(["--json", "--mode", "plan", "list"]);
    expect([before.command, before.has("json"), before.value("mode")]).toEqual(["list", true, "plan"]);
  });

  test("a list option accumulates, and its commas separate", () => {
    const args = parseCommandLine(["list", "--include", "a, b", "--include=c"]);
    expect(args.list("include")).toEqual(["a", "b", "c"]);
    expect(args.list("exclude")).toBeNull();
  });

  test("an empty list is a list", () => {
    expect(parseCommandLine(["list", "--include", ""]).list("include")).toEqual([]);
  });

  test("behind -- everything is an operand", () => {
    expect(parseCommandLine(["why", "--", "--json"]).operands).toEqual(["--json"]);
  });

  test("options behind a command for the shell belong to it, unless it is a whole line in quotes", () => {
    const words = parseCommandLine(["check", "bash", "gh", "issue", "list", "--json"]);
    expect([words.operands, words.has("json")]).toEqual([["bash", "gh", "issue", "list", "--json"], false]);
    const line = parseCommandLine(["check", "bash", "git push", "--config", "a.yaml"]);
    expect([line.operands, line.value("config")]).toEqual([["bash", "git push"], "a.yaml"]);
  });

  test("- is a value", () => {
    expect(parseCommandLine(["list", "--world", "-"]).value("world")).toBe("-");
  });
});

describe("mistakes are told with what to write, status 2", () => {
  test.each([
    [["lst"], 'there is no command "lst"; did you mean "list"? "toolcrib help" lists them all'],
    [["frobnicate"], 'there is no command "frobnicate"; "toolcrib help" lists them all'],
    [["list", "--wrld", "x"], "there is no option --wrld; did you mean --world?"],
    [["list", "-x"], 'there is no option -x; see "toolcrib help"'],
    [["list", "--world"], "--world needs a value: --world FILE"],
    [["list", "--world", "--agent", "x"], "--world needs a value: --world FILE"],
    [["list", "--mode", "plan", "--mode", "plan"], "--mode is given twice; give it once"],
    [["list", "--json=yes"], "--json takes no value"],
    [["list", "--force"], '--force has no effect on "toolcrib list"; it is for init, add'],
    [
      ["config", "--world", "x"],
      '--world has no effect on "toolcrib config"; it is for list, why, search, diff, snapshot',
    ],
    [["list", "extra"], 'toolcrib list has no use for "extra"'],
    [["call", "view", "{}"], "; for example: toolcrib call"],
    [["why"], "toolcrib why needs TOOL"],
    [["diff", "a"], "toolcrib diff needs B"],
    [["list", "--mode", "plam"], '--mode cannot be "plam"; did you mean "plan"?'],
    [["list", "--standing", "x"], '--standing cannot be "x"; it is one of visible, deferred, hidden'],
    [["list", "--log-level", "x"], '--log-level cannot be "x"; it is one of debug, info, warning, error'],
    [["list", "--config", "a", "--world", "b"], "--config has no effect beside --world, which reads no configuration"],
    [["help", "lst"], 'there is no command "lst"; did you mean "list"?'],
  ])("%j", async (argv, text) => {
    const plain = await runCli(argv);
    expect(plain.err).toContain(text);
    expect(plain).toMatchObject({ status: 2, out: "" });
    const json = await runCli(argv.includes("--json") ? argv : ["--json", ...argv]);
    expect(json).toMatchObject({ status: 2, err: "" });
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: "usage.invalid" } });
  });

  test("a wrong TOOLCRIB_LOG is named", async () => {
    const { status, err } = await runCli(["list"], { env: { TOOLCRIB_LOG: "loud" } });
    expect([status, err]).toEqual([
      2,
      'toolcrib: TOOLCRIB_LOG cannot be "loud"; it is one of debug, info, warning, error\n',
    ]);
  });

  test("control characters in arguments do not reach the terminal", async () => {
    const { err } = await runCli(["--\u001b[2J"]);
    expect(err).not.toContain("\u001b");
  });
});

test.each(Object.entries<CommandSpec>(COMMANDS))("%s takes what every command takes", (command, { operands }) => {
  const needed = operands.filter((operand) => !operand.startsWith("["));
  const argv = [command, ...needed, "--yes", "--timeout", "5", "--json", "--log-level", "error"];
  expect(parseCommandLine(argv)).toMatchObject({ command, operands: needed });
});
