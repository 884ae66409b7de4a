import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { listsUntil, names, newMachine, runHere, startUp } from "../support/running-up.ts";
import { connectClient, statusOf } from "./connected.ts";

beforeAll(ensureBuilt, 300_000);

/** A server with these tools. */
function serverOf(...tools: readonly string[]) {
  const listed = tools.map((name) => ({ name, inputSchema: { type: "object" } }));
  const code = `
    const tell = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "initialize") tell(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
      else if (method === "tools/list") tell(id, { tools: ${JSON.stringify(listed)} });
      else if (method === "tools/call") tell(id, { content: [{ type: "text", text: "done" }] });
      else if (id !== undefined) tell(id, {});
    });`;
  return { command: process.execPath, args: ["-e", code] };
}

function machineWith(gateway: object = {}) {
  const machine = newMachine();
  const config = {
    mcpServers: { shop: serverOf("buy", "sell", "look") },
    agents: [{ name: "buyer", tools: ["shop/buy", "shop/look"] }],
    permissions: { allow: ["shop/*"] },
    gateway,
  };
  machine.write("user", JSON.stringify(config));
  return machine;
}

const shop = async (client: Parameters<typeof names>[0]) =>
  (await names(client)).filter((name) => name.startsWith("shop__")).sort();

test("a profile without a token narrows to its agent, include and exclude, and opens nothing over HTTP", async () => {
  const machine = machineWith({
    clients: [
      { name: "clerk", agent: "buyer", exclude: ["shop/look"] },
      { name: "reader", include: ["shop/look"] },
      { name: "blank", token: "${NO_SUCH_TOKEN}", include: ["shop/sell"] },
    ],
  });
  await startUp(machine);
  const whole = await connectClient(machine);
  await listsUntil(whole.client, (tools) => tools.includes("shop__sell"));
  expect(await shop(whole.client)).toEqual(["shop__buy", "shop__look", "shop__sell"]);
  const as = async (...argv: readonly string[]) => shop((await connectClient(machine, { argv })).client);
  expect(await as("--profile", "clerk")).toEqual(["shop__buy"]);
  expect(await as("--profile", "reader")).toEqual(["shop__look"]);
  expect(await as("--profile", "blank")).toEqual(["shop__sell"]);
  expect(await as("--profile", "reader", "--include", "shop/*", "--exclude", "shop/sell")).toEqual(["shop__look"]);
  await expect(as("--profile", "cleric")).rejects.toThrow('did you mean "clerk"?');
  await expect(as("--profile", "clerk", "--agent", "other")).rejects.toThrow('works as agent "buyer"');

  const [running] = await statusOf(machine);
  for (const token of ["", "clerk", "null", "undefined"]) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const { status } = await fetch(`${running?.address}/mcp`, { method: "POST", headers, body: "{}" });
    expect([token, status]).toEqual([token, 401]);
  }
});

test("connect takes an agent and a list of tools", async () => {
  const machine = machineWith();
  await startUp(machine);
  const as = async (...argv: readonly string[]) => {
    const { client } = await connectClient(machine, { argv });
    await listsUntil(client, (tools) => tools.includes("shop__buy"));
    return shop(client);
  };
  expect(await as("--agent", "buyer")).toEqual(["shop__buy", "shop__look"]);
  expect(await as("--include", "shop/buy")).toEqual(["shop__buy"]);
  await expect(as("--agent", "nobody")).rejects.toThrow('--agent: there is no agent "nobody"');
});

test("two entries with one name are refused, and so is one that nobody could be", async () => {
  const twice = machineWith({ clients: [{ name: "a" }, { name: "a", include: ["shop/buy"] }] });
  await expect(connectClient(twice, { argv: ["--profile", "a"] })).rejects.toThrow(
    'two entries of gateway.clients are named "a"',
  );
  const nobody = machineWith({ clients: [{ include: ["shop/buy"] }] });
  expect((await runHere(["config"], nobody)).err).toContain('has neither "token" nor "name"');
});

test("connect says what is different from where the running one was started", async () => {
  const machine = machineWith();
  const { said: nothing } = await connectClient(machine);
  const more = join(machine.home, "more-bin");
  const { said } = await connectClient(machine, { env: { PATH: `${more}:${process.env.PATH}` } });
  expect(said()).toContain(`its PATH lacks ${more}; "toolcrib down" ends it`);
  expect(nothing()).toBe("");
  const [running] = await statusOf({
    ...machine,
    env: { ...machine.env, PATH: `${more}:${process.env.PATH}` } as never,
  });
  expect(running?.differences).toEqual([expect.stringContaining(`its PATH lacks ${more}`)]);
});

test("a call of the command line is kept and counted like one of a client", async () => {
  const machine = machineWith();
  await startUp(machine);
  expect(await runHere(["call", "shop/buy", "--args", "{}"], machine)).toMatchObject({ status: 0, out: "done\n" });
  await runHere(["list"], machine);
  // It is written beside the answer, and only what is asked in a process of its own comes surely later.
  const rows = async () => {
    const { out } = await runHere(["audit", "--json", "--tool", "shop*"], machine);
    return out.split("\n").flatMap((row) => (row === "" ? [] : [JSON.parse(row)]));
  };
  const call = { type: "call", client: "toolcrib call", tool: "shop__buy", result: "success" };
  await expect.poll(rows).toEqual([expect.objectContaining(call)]);
  const [running] = await statusOf(machine);
  const [, token] = /#token=(\S+)/.exec((await runHere(["status"], machine)).out) ?? [];
  const metrics = await fetch(`${running?.address}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  expect(await metrics.text()).toMatch(/toolcrib_calls_total\{[^}]*tool="shop__buy"[^}]*\} 1/);
  expect((await runHere(["audit", "--verify"], machine)).status).toBe(0);
});
