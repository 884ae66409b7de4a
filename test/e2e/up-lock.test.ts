import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/client";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { listsUntil, newMachine, runHere, startUp } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const SERVER = fileURLToPath(new URL("../fixtures/changing-server.cjs", import.meta.url));
const definition = (description: string) => ({ description, inputSchema: { type: "object", properties: {} } });

async function quote(client: Client): Promise<string> {
  return JSON.stringify(await client.callTool({ name: "daily__quote", arguments: {} }));
}

test("an approval on another terminal reaches a running gateway and its clients; a lock that vanishes approves nothing", async () => {
  const machine = newMachine();
  const file = join(machine.cwd, "definition.json");
  writeFileSync(file, JSON.stringify(definition("A quote of the day.")));
  const entry = { command: process.execPath, args: [SERVER, file] };
  machine.write(
    "user",
    JSON.stringify({ toolSearch: "off", mcpServers: { daily: entry }, permissions: { allow: ["daily/*"] } }),
  );
  const cli = (...argv: readonly string[]) => runHere([...argv, "--timeout", "60"], machine);
  expect(await cli("pin")).toMatchObject({ status: 0 });
  const up = await startUp(machine);
  const client = await up.connect();
  const become = (description: string) =>
    client.callTool({ name: "daily__become", arguments: { definition: definition(description) } });
  await listsUntil(client, (tools) => tools.includes("daily__quote"));
  expect(await quote(client)).toContain("quote ran");

  await become("A quote of the day, in a new edition.");
  await listsUntil(client, (tools) => !tools.includes("daily__quote"));
  expect(await quote(client)).toContain("tool_changed");

  expect(await cli("pin", "--approve", "daily/quote", "--yes")).toMatchObject({ status: 0 });
  await up.says(/Configuration reloaded: .*approvals changed/);
  await listsUntil(client, (tools) => tools.includes("daily__quote"));
  expect(await quote(client)).toContain("quote ran");

  rmSync(join(machine.cwd, "toolcrib.lock"));
  await up.says(/toolcrib\.lock is gone, and what it pinned counts until a restart/);
  await become("A quote of the day, once more.");
  await listsUntil(client, (tools) => !tools.includes("daily__quote"));
  expect(await quote(client)).toContain("tool_changed");
});
