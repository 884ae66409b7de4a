import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { entry } from "../http/inspector.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import { RESOURCE } from "./issuer.ts";
import { openPeopleGateway } from "./world.ts";

const CONFIG = { mcpServers: { it: entry() }, permissions: { allow: ["it/*"] }, toolSearch: "off" };
const SECRET = "only-for-tests";

/** A gateway behind a certified provider that knows a service and another app. */
async function openWithProvider() {
  const provider = await startIdentityProvider();
  await provider.setClient({
    ...{ client_id: "deploys", client_secret: SECRET, redirect_uris: [], response_types: [] },
    ...{ grant_types: ["client_credentials"], scope: "tools:read tools:call" },
  });
  const settings = {
    profiles: { all: {} },
    auth: {
      issuers: [{ issuer: provider.issuer }],
      people: [{ issuer: provider.issuer, subject: "deploys", profile: "all" }],
    },
  };
  return { provider, ...(await openPeopleGateway(settings, { config: CONFIG })) };
}

/** A service's own token for that resource. */
async function tokenFor({ issuer }: IdentityProvider, resource: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`deploys:${SECRET}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "tools:read tools:call", resource }),
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`no token: status ${response.status}`);
  return access_token;
}

test("a service's token of a certified provider opens the gateway for an official client, and one for another app does not", async () => {
  const { provider, door, tryToken, notes } = await openWithProvider();
  const token = await tokenFor(provider, RESOURCE);
  const client = new Client({ name: "official", version: "1" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${door.origin}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const answer = await client.callTool({ name: "it__echo", arguments: { text: "hello" } });
  expect(answer.content).toEqual([{ type: "text", text: "hello" }]);
  expect(await tryToken(await tokenFor(provider, "https://other.example.com/mcp"))).toBe(401);
  expect(notes.at(-1)?.text).toContain('it is for "https://other.example.com/mcp"');
  expect(JSON.stringify(notes)).not.toContain(token.slice(-40));
});

test("the provider away, slow, with other keys, and with a clock 59 s off", { timeout: 60_000 }, async () => {
  const { provider, tryToken } = await openWithProvider();
  const first = await tokenFor(provider, RESOURCE);
  await provider.setAway(true);
  expect(await tryToken(first)).toBe(503);
  await provider.setAway(false);
  await provider.setDelay(500);
  await expect.poll(() => tryToken(first), { timeout: 20_000, interval: 500 }).toBe(200);
  await provider.setDelay(0);
  for (const offset of [-59_000, 59_000]) {
    await provider.setOffset(offset);
    expect(await tryToken(await tokenFor(provider, RESOURCE))).toBe(200);
  }
  await provider.setOffset(120_000);
  expect(await tryToken(await tokenFor(provider, RESOURCE))).toBe(401);
  await provider.setOffset(0);
  await provider.setAway(true);
  // What was seen goes on, and its keys are known.
  expect(await tryToken(first)).toBe(200);
});
