import { McpServer } from "@modelcontextprotocol/server";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { ClientEra } from "../gateway/clients.ts";
import { type AuthServer, startAuthServer } from "../oauth/auth-server.ts";
import type { BrowserJar } from "../support/browser-jar.ts";
import { listen, statelessAnswer } from "../support/loopback-mcp.ts";
import { connectPerson, type OpenAddress, untilListed } from "./connect-world.ts";
import { openLoginWorld } from "./login-world.ts";

test("2026-07-28: before a login the list has a tool that asks for it; then the tools are there, as the person's (O12)", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  const client = await world.connect(jar, "modern", world.opens(jar));
  const done = await client.callTool({ name: "log_in", arguments: { server: "wiki" } });
  expect(JSON.stringify(done)).toContain("There is a login");
  await untilListed(client, "wiki__who");
  expect(JSON.stringify(await client.callTool(WHO))).toContain("you are alice");
  expect(world.auth.asked("/register")).toHaveLength(1);
  expect(world.problems).toEqual([]);
});

test("2025-11-25: the same by -32042, and a second person is registered as no other client (O12)", async () => {
  const world = await openWorld();
  for (const name of ["alice", "mallory"]) {
    const { jar } = await world.logIn(name);
    const client = await world.connect(jar, "legacy", world.opens(jar));
    const error = await client.callTool({ name: "log_in", arguments: {} }).catch((thrown: unknown) => thrown);
    await world.follow(jar, error);
    await untilListed(client, "wiki__who");
    expect(JSON.stringify(await client.callTool(WHO))).toContain(`you are ${name}`);
    // A client that lists once still has the tool.
    const late = await client.callTool({ name: "log_in", arguments: { server: "wiki" } });
    expect(JSON.stringify(late)).toContain("in its next session");
  }
  expect(world.auth.asked("/register")).toHaveLength(1);
});

test("a login that its authorization server ends is asked for again: by a call, a prompt and a resource, in both eras", async () => {
  const world = await openWorld();
  const { jar } = await world.logIn("alice");
  world.auth.user = "alice";
  await jar.submit(await jar.open(`${world.origin}/connect?server=wiki`));
  const modern = await connectPerson(world.origin, jar, { era: "modern", lists: "wiki__who", open: world.opens(jar) });
  const legacy = await connectPerson(world.origin, jar, { era: "legacy", lists: "wiki__who", open: world.opens(jar) });
  const end = (): void => {
    world.auth.valid.clear();
    world.auth.refuses = "refresh";
  };
  await modern.getPrompt({ name: "wiki__hello" });
  await modern.readResource({ uri: "wiki://page" });
  end();
  expect(JSON.stringify(await modern.callTool(WHO))).toContain("you are alice");
  end();
  expect(JSON.stringify(await modern.getPrompt({ name: "wiki__hello" }))).toContain("hello alice");
  end();
  expect(JSON.stringify(await modern.readResource({ uri: "wiki://page" }))).toContain("page of alice");
  for (const ask of [
    () => legacy.callTool(WHO),
    () => legacy.getPrompt({ name: "wiki__hello" }),
    () => legacy.readResource({ uri: "wiki://page" }),
  ]) {
    end();
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: -32042 });
    await world.follow(jar, error);
    await vi.waitFor(async () => expect(JSON.stringify(await ask())).toContain("alice"), 20_000);
  }
});

const WHO = { name: "wiki__who", arguments: {} };

/** A gateway before an MCP server that says who asks, and lists nothing without a token. */
async function openWorld() {
  const auth = await startAuthServer();
  const url = await startWiki(auth);
  const world = await openLoginWorld({
    machines: 1,
    config: {
      mcpServers: { wiki: { type: "http", url, credentials: "person" } },
      ...{ permissions: { allow: ["*"] }, toolSearch: "off", builtins: "off" },
    },
  });
  for (const name of ["alice", "mallory"]) await world.provider.setUser(name, { name, groups: [] });
  const goThere = async (jar: BrowserJar, address: string): Promise<void> => {
    auth.refuses = "nothing";
    const page = await jar.open(address);
    auth.user = nameOf((await jar.open(`${world.origin}/me`)).text);
    const done = await jar.submit(page);
    expect(done.text).toContain("You are connected");
  };
  return {
    ...world,
    auth,
    connect: (jar: BrowserJar, era: ClientEra, open?: OpenAddress) =>
      connectPerson(world.origin, jar, { era, open, lists: "log_in" }),
    /** The person opens what the client shows, and logs in there while it waits. */
    opens:
      (jar: BrowserJar): OpenAddress =>
      async (address) => {
        void goThere(jar, address);
        return "accept";
      },
    /** The person opens the address of an error. */
    async follow(jar: BrowserJar, error: unknown): Promise<void> {
      const [{ url: address }] = (error as { data: { elicitations: [{ url: string }] } }).data.elicitations;
      await goThere(jar, address);
    },
  };
}

/** Whose page it is. */
function nameOf(me: string): string {
  return /<h1>(\w+)<\/h1>/.exec(me)?.[1] ?? "";
}

async function startWiki(auth: AuthServer): Promise<string> {
  let owner = "";
  const { answer } = statelessAnswer(undefined, () => buildWiki(owner));
  const server = await listen((request, response, body) => {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      const description = { resource: server.url, authorization_servers: [auth.issuer], scopes_supported: ["wiki"] };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(description));
    }
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    if (auth.valid.has(token)) {
      owner = auth.owners.get(token) ?? "";
      return answer(request, response, body);
    }
    const place = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
    return response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${place}"` }).end("");
  });
  return server.url;
}

function buildWiki(owner: string): McpServer {
  const server = new McpServer({ name: "wiki", version: "1" });
  server.registerTool("who", { inputSchema: z.object({}) }, () => ({
    content: [{ type: "text", text: `you are ${owner}` }],
  }));
  server.registerPrompt("hello", {}, () => ({
    messages: [{ role: "user", content: { type: "text", text: `hello ${owner}` } }],
  }));
  server.registerResource("page", "wiki://page", {}, () => ({
    contents: [{ uri: "wiki://page", text: `page of ${owner}` }],
  }));
  return server;
}
