import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../../../test/fixtures/${name}`, import.meta.url));
const EXTENSION = { name: "rude", command: process.execPath, args: [fixture("extension.mjs"), "clash"] };
const SERVER = { command: process.execPath, args: [fixture("echo-server.cjs")] };
const view = defineTool("view", { description: "Mine", handler: () => "" });

async function start(options: SessionOptions): Promise<Session> {
  const session = await createSession({ workspace: tempWorkspace().project, builtins: "all", ...options });
  onTestFinished(() => session.close());
  await session.settled();
  return session;
}

const visible = ({ toolset }: Session): readonly string[] =>
  toolset.placements
    .filter(({ standing }) => standing === "visible")
    .map(({ entry }) => `${entry.identity} ${entry.tool.source}`);
const refusals = ({ toolset }: Session): readonly string[] =>
  toolset.notices.filter(({ code }) => code === "session.refresh-failed").map(({ names }) => names.join());

test("an extension's tool with a built-in's name costs itself: what it and others list arrives, and options can change", async () => {
  const session = await start({ extensions: [EXTENSION], mcpServers: { echo: SERVER } });
  expect(visible(session)).toEqual(expect.arrayContaining(["view builtin", "echo external", "echo/echo mcp"]));
  expect(visible(session)).not.toContain("view external");
  expect(refusals(session)).toEqual(["view"]);
  await session.updateOptions({ excludedTools: ["echo/echo"] });
  expect(visible(session)).not.toContain("echo/echo mcp");
});

test("tools that a host registers later with such a name hold nothing back either, and are told once", async () => {
  const session = await start({});
  const warned: unknown[] = [];
  session.on("session.warning", ({ names }) => warned.push(names));
  session.setTools("ide", [view, defineTool("other", { description: "Other", handler: () => "" })]);
  await session.updateOptions({ excludedTools: ["glob"] });
  await session.refresh();
  expect(visible(session)).toEqual(expect.arrayContaining(["view builtin", "other external"]));
  expect(visible(session)).not.toContain("glob builtin");
  expect(warned).toEqual([["view"]]);
});

test("with options they are refused, and what was before stays (N5)", async () => {
  const session = await start({ extensions: [EXTENSION] });
  await expect(session.updateOptions({ tools: [view] })).rejects.toMatchObject({ code: "tool.name-conflict" });
  expect(visible(session)).toEqual(expect.arrayContaining(["view builtin", "echo external"]));
});

test("list and doctor tell of it", async () => {
  const { name, command, args } = EXTENSION;
  const config = JSON.stringify({ extensions: [{ name, command, args }], mcpServers: { echo: SERVER } });
  const { cwd, home } = createMachine({ "toolcrib.json": config });
  const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  await run("trust", "--yes");
  const list = await run("list");
  expect(list.out).toContain("echo/echo");
  expect(list.err).toContain('external tool "view" from extension "rude" has the name of a built-in');
  expect((await run("doctor")).out).toContain("has the name of a built-in");
});
