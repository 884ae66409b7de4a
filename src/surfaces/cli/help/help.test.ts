import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { buildCliReference } from "../../../../test/support/cli-reference.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import type { CommandSpec } from "../command-line/command-spec.ts";
import { COMMANDS } from "../command-line/commands.ts";
import { OPTIONS } from "../command-line/options.ts";
import { widthOf } from "../terminal/text-width.ts";

test("docs/reference/cli.md says what the help texts say", async () => {
  const page = fileURLToPath(new URL("../../../../docs/reference/cli.md", import.meta.url));
  await expect(buildCliReference()).toMatchFileSnapshot(page);
});

test("help names every command, and only those that exist", async () => {
  const { status, out } = await runCli(["help"]);
  expect(status).toBe(0);
  const [, section = ""] = out.split("Commands:\n");
  const named = [...(section.split("\n\n")[0] ?? "").matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(COMMANDS));
});

describe.each(Object.entries<CommandSpec>(COMMANDS))("help for %s", (name, { options }) => {
  test("is the same by --help and by help, and names its options", async () => {
    const { status, out, err } = await runCli([name, "--help"]);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toBe((await runCli(["help", name])).out);
    expect(out).toBe((await runCli([name, "-h"])).out);
    for (const option of options) expect(out).toContain(`--${option}`);
  });

  test("fits the terminal", async () => {
    const { out } = await runCli(["help", name], { columns: 70 });
    for (const line of out.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(70);
  });
});

test("the list of commands fits a terminal of 60 columns", async () => {
  const { out } = await runCli(["help"], { columns: 60 });
  for (const line of out.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(60);
  expect(out).toContain("\n  add SERVER [URL | -- COMMAND ARGS…]\n");
});

test("no help text uses the jargon of its makers", async () => {
  const pages = await Promise.all(
    ["", ...Object.keys(COMMANDS)].map((name) => runCli(["help", ...(name === "" ? [] : [name])])),
  );
  for (const { out } of pages) expect(out).not.toMatch(/\btold\b|\bheld against\b|\botherwise than\b|\b[A-Z]\d{1,2}\b/);
});

test("a missing word is named with an example", async () => {
  expect((await runCli(["why"])).err).toBe("toolcrib: toolcrib why needs TOOL; for example: toolcrib why bash\n");
});

test("every option belongs to a command", () => {
  const used = new Set(Object.values<CommandSpec>(COMMANDS).flatMap(({ options }) => options));
  expect(Object.keys(OPTIONS).filter((name) => !used.has(name as keyof typeof OPTIONS))).toEqual([]);
});

test("help and version as JSON are one document", async () => {
  expect(JSON.parse((await runCli(["help", "--json"])).out).commands.length).toBeGreaterThan(5);
  expect(JSON.parse((await runCli(["why", "--help", "--json"])).out).usage).toBe(
    "toolcrib why TOOL [WORDS…] [OPTIONS]",
  );
  expect(JSON.parse((await runCli(["--version", "--json"])).out)).toEqual({ version: expect.stringMatching(/^\d/) });
});

test("help wins over what else is wrong with a command line", async () => {
  expect((await runCli(["why", "--help"])).status).toBe(0);
  expect((await runCli(["list", "--yes", "--help"])).status).toBe(0);
});
