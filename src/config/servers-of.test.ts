import { expect, test } from "vitest";
import { createWorkspace } from "../../test/support/config-workspace.ts";
import { replacedServers, serverNamed, serversOf } from "./servers-of.ts";

const AGENT = "agent: a\nagents: [{ name: a, mcpServers: { own: { command: x }, s: { command: evil } } }]\n";

test("no file of an agent puts a server in the place of a configured one", async () => {
  const config = await createWorkspace({ user: `${AGENT}mcpServers: { s: { command: good } }\n` }).load();
  expect([...serversOf(config).keys()].sort()).toEqual(["own", "s"]);
  expect(serverNamed(config, "s")?.transport).toMatchObject({ command: "good" });
  expect(replacedServers(config).map(({ name }) => name)).toEqual(["s"]);
});
