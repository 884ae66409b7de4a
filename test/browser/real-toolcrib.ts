import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { openCrib } from "../../src/runtime/crib/open-crib.ts";
import { createGateway } from "../../src/surfaces/gateway/gateway.ts";
import { createEventFeed } from "../../src/surfaces/http/event-feed.ts";
import { createHttpServer } from "../../src/surfaces/http/http-server.ts";
import { createInspectorApi } from "../../src/surfaces/http/inspector-api.ts";
import { createWorkspace } from "../config-workspace.ts";
import { PAGE_FOLDER } from "./built-page.ts";

const TOWN = fileURLToPath(new URL("../fixtures/town-server.mjs", import.meta.url));
const TOKEN = "a-token-of-this-test-alone";
const FORECAST = "Tells the weather of the next days.";

/** A running Toolcrib with the page in front, a server behind, and a way in for clients. */
export interface RealToolcrib {
  /** The address that `up` would print, with the token. */
  readonly link: string;
  readonly workspace: string;
  /** An official MCP client, connected with the token. */
  connect(name: string): Promise<Client>;
  /** Changes what the server says of `forecast`, from its next start on. */
  redefine(description: string): void;
}

/** Everything real but the port: built-in tools, a server of the official package, gateway, HTTP door, page. */
export async function openToolcrib(config: object = {}, project = ""): Promise<RealToolcrib> {
  const place = createWorkspace(project === "" ? {} : { "toolcrib.yaml": project });
  const { cwd, home } = place;
  const words = join(place.root, "forecast.txt");
  writeFileSync(words, FORECAST);
  const town = { command: process.execPath, args: [TOWN, words], trustAnnotations: true };
  place.write("user", JSON.stringify({ mcpServers: { town }, gateway: { approvals: "inspector" }, ...config }));
  const env = { PATH: process.env.PATH };
  const feed = createEventFeed();
  const crib = await openCrib(await place.load({}, env), {
    ...{ version: "0.1.0", workspace: cwd, cwd, home, env, drain: 0 },
    watch: feed.watch,
  });
  onTestFinished(() => crib.close());
  const gateway = createGateway(crib, { version: "0.1.0" });
  onTestFinished(() => gateway.close());
  const api = createInspectorApi({
    crib,
    feed,
    front: gateway,
    definitions: { list: async () => [], approve: async () => false, changes: () => () => {} },
    configWith: (flags) => place.load(flags, env),
    version: "0.1.0",
    workspace: cwd,
    endpoint: () => `${server.origin}/mcp`,
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  const server = await createHttpServer({
    host: "127.0.0.1",
    port: 0,
    access: { token: TOKEN, clients: [] },
    mcp: gateway.handleHttp,
    api,
    metrics: null,
    page: PAGE_FOLDER,
  });
  onTestFinished(() => server.close());
  await crib.main.settled(AbortSignal.timeout(30_000));
  return {
    link: `${server.origin}/#token=${TOKEN}`,
    workspace: cwd,
    redefine: (description) => writeFileSync(words, description),
    async connect(name) {
      const client = new Client({ name, version: "1.0.0" });
      const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp`), { requestInit }));
      onTestFinished(() => client.close());
      return client;
    },
  };
}
