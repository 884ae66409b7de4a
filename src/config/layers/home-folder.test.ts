import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";
import { homeFolder } from "./home-folder.ts";

test("the home folder is HOME where that is one, else the account's", () => {
  expect(homeFolder({ HOME: "/somewhere/else" })).toBe("/somewhere/else");
  const { homedir } = account() ?? {};
  for (const HOME of ["", ".", "work", "~"]) {
    if (homedir !== undefined) expect(homeFolder({ HOME })).toBe(homedir);
    else expect(() => homeFolder({ HOME })).toThrow("there is no home folder; set HOME");
  }
});

test.each(["", "."])("a workspace is not its visitor's home with HOME=%j: its files start nothing", async (HOME) => {
  const server = "mcpServers: { theirs: { command: never-to-be-started } }\n";
  const { cwd } = createMachine({ ".config/toolcrib/config.yaml": server });
  // What the account itself has configured is not looked at.
  const env = { HOME, XDG_CONFIG_HOME: "/nowhere" };
  expect((await runCli(["config", "--json"], { cwd, env: { HOME } })).out).not.toContain("never-to-be-started");
  expect((await runCli(["config", "--json"], { cwd, env })).out).not.toContain("never-to-be-started");
});

/** What the system knows about who runs this; some containers run as a number that has no account. */
function account(): { readonly homedir: string } | null {
  try {
    return userInfo();
  } catch {
    return null;
  }
}
