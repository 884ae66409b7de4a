import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

/** It ends by itself: what is asked here is what a person sees until then. */
function unusable() {
  const { cwd, home } = createMachine({ "toolcrib.yaml": "mode: sideways\n" });
  return { cwd, env: { PATH: process.env.PATH ?? "", HOME: home, XDG_RUNTIME_DIR: home } };
}

test("up --detach says on a terminal what it waits for, on a line that vanishes", async () => {
  const here = unusable();
  const { status, err } = await runCli(["up", "--detach"], { ...here, columns: 200, errIsTTY: true });
  expect(status).toBe(1);
  const [first, ...others] = err.split("\r");
  expect([first, others[0]]).toEqual(["", "starting Toolcrib for ~/work in the background (0 s)\u001b[K"]);
  const failed = "\u001b[Ktoolcrib: Toolcrib could not be started in the background: toolcrib.yaml:1";
  expect(others.at(-1)?.startsWith(failed), others.at(-1)).toBe(true);
});

test.each([
  ["that is no terminal", false, "xterm"],
  ["of a terminal that cannot write over a line", true, "dumb"],
])("up --detach says on a stderr %s that it starts, in one line", async (_, errIsTTY, TERM) => {
  const here = unusable();
  const env = { ...here.env, TERM };
  const { err } = await runCli(["up", "--detach"], { cwd: here.cwd, env, errIsTTY });
  const [first, second] = err.split("\n");
  expect(first).toBe("toolcrib: starting Toolcrib for ~/work in the background");
  expect(second).toMatch(/^toolcrib: Toolcrib could not be started in the background: toolcrib.yaml:1/);
});
