import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished, vi } from "vitest";
import type { ClientEra } from "../gateway/clients.ts";
import type { BrowserJar } from "../support/browser-jar.ts";
import { letClientIn } from "../support/company-client.ts";

/** What the person behind a client does with an address that they are shown. */
export type OpenAddress = (url: string) => Promise<"accept" | "decline">;

interface ClientWish {
  readonly era: ClientEra;
  readonly lists: string;
  readonly open?: OpenAddress | undefined;
}

/** A client that this browser's person lets in, once it lists what it should; it shows addresses if `open` is there. */
export async function connectPerson(origin: string, jar: BrowserJar, wish: ClientWish): Promise<Client> {
  const { access } = await letClientIn(jar, origin);
  return connectWith(origin, access, wish);
}

/** The same with a token. */
export async function connectWith(origin: string, token: string, { era, lists, open }: ClientWish): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    {
      versionNegotiation: era === "legacy" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } },
      capabilities: open === undefined ? {} : { elicitation: { url: {} } },
    },
  );
  if (open !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      action: await open("url" in params ? params.url : ""),
    }));
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  await untilListed(client, lists);
  return client;
}

export async function untilListed(client: Client, name: string): Promise<void> {
  await vi.waitFor(async () => {
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    if (!names.includes(name)) throw new Error(`only ${names.join(", ")}`);
  }, 20_000);
}

/** The link in a text that a model gets. */
export function linkIn(text: string): string {
  const [link] = /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{43}/.exec(text) ?? [];
  if (link === undefined) throw new Error(`no link in ${text}`);
  return link;
}
