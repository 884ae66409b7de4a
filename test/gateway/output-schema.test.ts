import { fileURLToPath } from "node:url";
import { Client, type Transport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { type AtEnd, share } from "../support/share.ts";
import { type ClientEra, connect, createLineClient, textOf } from "./clients.ts";
import { type GatewayWorld, openGateway, type WorldOptions } from "./world.ts";

const SHAPES = fileURLToPath(new URL("../fixtures/shapes-server.cjs", import.meta.url));
const CITY = {
  type: "object",
  properties: { city: { type: "string" }, size: { type: "integer" } },
  required: ["city"],
};

function open(options: WorldOptions = {}, config: object = {}): Promise<GatewayWorld> {
  return openGateway(
    {
      mcpServers: { it: { command: process.execPath, args: [SHAPES] } },
      includeTools: ["it"],
      permissions: { allow: ["it/*"] },
      toolSearch: "off",
      ...config,
    },
    options,
  );
}

/** The official client on a pair of streams. */
async function connectLines({ gateway }: GatewayWorld, era: ClientEra, atEnd: AtEnd): Promise<Client> {
  const { input, output } = createLineClient();
  const served = gateway.serveStdio({ input, output }, mainProfile());
  const transport: Transport = {
    async start() {
      let rest = "";
      output.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString()).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(JSON.parse(line));
      });
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input.end();
      transport.onclose?.();
    },
  };
  const versionNegotiation = era === "legacy" ? { mode: "legacy" as const } : { mode: { pin: "2026-07-28" } };
  const client = new Client({ name: "lines", version: "1" }, { versionNegotiation });
  await client.connect(transport);
  atEnd(async () => {
    await client.close();
    await served;
  });
  return client;
}

async function connectHttp({ url }: GatewayWorld, era: ClientEra, atEnd: AtEnd): Promise<Client> {
  return (await connect(url, era, { atEnd })).client;
}

const WAYS = [
  ["an older client over HTTP", "legacy", connectHttp],
  ["a newer client over HTTP", "modern", connectHttp],
  ["an older client on streams", "legacy", connectLines],
  ["a newer client on streams", "modern", connectLines],
] as const;

const shared = share((atEnd) => open({ atEnd }));

describe.each(WAYS)("%s", (_, era, connectTo) => {
  /** As careful clients do: the list first, so that every result is checked against it. */
  async function list(world: GatewayWorld, atEnd: AtEnd = onTestFinished) {
    const client = await connectTo(world, era, atEnd);
    const { tools } = await client.listTools();
    const call = (name: string) => client.callTool({ name: `it__${name}`, arguments: {} });
    return { call, schemaOf: (name: string) => tools.find((tool) => tool.name === `it__${name}`)?.outputSchema };
  }

  const listed = share((atEnd) => list(shared(), atEnd));

  test("is shown what tools promise, and gets results that keep it exactly as the server gave them", async () => {
    const { call, schemaOf } = listed();
    expect(schemaOf("city")).toEqual(CITY);
    expect(await call("city")).toMatchObject({
      content: [{ type: "text", text: '{"city":"Ulm","size":3}' }],
      structuredContent: { city: "Ulm", size: 3 },
      _meta: { kept: true },
    });
    expect(await call("failing")).toMatchObject({ isError: true, content: [{ text: "no city today" }] });
  });

  test("is shown no promise that its validator could stumble over, and loses no other tool by it", async () => {
    const { call, schemaOf } = listed();
    expect([schemaOf("named"), schemaOf("broken"), schemaOf("free")]).toEqual([undefined, undefined, undefined]);
    expect(await call("broken")).toMatchObject({ structuredContent: { name: "it" } });
  });

  test("gets values that are no objects as its version has them", async () => {
    const { call, schemaOf } = listed();
    const wrapped = (value: unknown) => (era === "legacy" ? { result: value } : value);
    const list = { type: "array", items: { type: "number" } };
    expect(schemaOf("numbers")).toEqual(
      era === "modern" ? list : { type: "object", properties: { result: list }, required: ["result"] },
    );
    expect((await call("numbers")).structuredContent).toEqual(wrapped([1, 2, 3]));
    expect((await call("choice")).structuredContent).toEqual(wrapped({ any: 1 }));
    expect((await call("free")).structuredContent).toEqual(wrapped([1]));
  });

  test("gets a result that was cut as an error that says the tool did its work", async () => {
    const { call } = listed();
    const result = await call("huge");
    expect(result).toMatchObject({ isError: true });
    expect(result.structuredContent).toBeUndefined();
    expect(textOf(result)).toMatch(
      /200\d\d\d bytes, too many to show.*did its work; there is no need to call it again/s,
    );
  });

  test("gets a refusal as an error with its reason", async () => {
    const asked = { permissions: { ask: ["it/city"] }, gateway: { approvals: "deny" } };
    const onPreToolUse = () => ({ permissionDecision: "deny" as const, permissionDecisionReason: "not today" });
    const [byRule, byHook] = [
      await list(await open({}, asked)),
      await list(await open({ crib: { hooks: () => ({ onPreToolUse }) } })),
    ];
    for (const { call } of [byRule, byHook]) {
      const refused = await call("city");
      expect(refused).toMatchObject({ isError: true });
      expect(refused.structuredContent).toBeUndefined();
    }
  });

  test("gets what a hook made of a result if it fits, and else an error without what the hook took away", async () => {
    const replies: unknown[] = [
      { textResultForLlm: "{}", resultType: "success", structured: { city: "[removed]" } },
      { textResultForLlm: "{}", resultType: "success", structured: { town: "[removed]" } },
      "nothing to see",
    ];
    const onPostToolUse = () => ({ modifiedResult: replies.shift() });
    const { call } = await list(await open({ crib: { hooks: () => ({ onPostToolUse }) } }));
    expect(await call("city")).toMatchObject({ structuredContent: { city: "[removed]" } });
    for (const text of ["{}", "nothing to see"]) {
      const changed = await call("city");
      expect(changed).toMatchObject({
        isError: true,
        content: [{ text }, { text: expect.stringContaining("changed") }],
      });
      expect(JSON.stringify(changed)).not.toContain("Ulm");
      expect(changed.structuredContent).toBeUndefined();
    }
  });

  test("learns of a server that forgets its promise without losing what it said", async () => {
    const { call } = listed();
    const result = await call("forgetful");
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toMatch(/a city, somewhere.*left out the structured result/s);
  });

  test("learns of a server that breaks its promise, which one and how, without losing what it said", async () => {
    const { call } = listed();
    const result = await call("wrong");
    expect(result).toMatchObject({ isError: true, content: [{ text: '{"town":"Ulm","size":"three"}' }, {}] });
    expect(result.structuredContent).toBeUndefined();
    expect(textOf(result)).toMatch(/did its work.*server "it".*"city" is missing; "size" must be integer/s);
    const list = await call("wrong_list");
    expect(list).toMatchObject({ isError: true });
    expect(textOf(list)).toContain('"1" must be number');
  });

  test("is not made to check what takes very long, as the gateway does not either", async () => {
    const { call } = listed();
    const result = await call("tiring");
    expect(result).toMatchObject({ isError: true, content: [{ text: '{"a":5}' }, {}] });
    expect(textOf(result)).toContain("takes too long");
  });
});
