import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { type AuthorizationWorld, openAuthorizationWorld } from "./authorization-world.ts";

const documents = { get: () => Promise.reject(new Error("no way out")) };

/** What a client stores between its steps. */
interface Kept {
  tokens?: Record<string, string>;
  client?: unknown;
  verifier?: string;
  found?: unknown;
  /** Where it sent the person. */
  sent?: URL;
}

/** A client of the official SDK, with what it keeps and where it sends the person. */
function createSdkClient(origin: string, more: Partial<OAuthClientProvider> = {}) {
  const kept: Kept = {};
  const keep = (part: Partial<Kept>): void => void Object.assign(kept, part);
  const redirectUrl = "http://localhost:3118/callback";
  const provider = {
    redirectUrl,
    clientMetadata: { client_name: "SDK", redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => keep({ client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: Record<string, string>) => keep({ tokens }),
    redirectToAuthorization: (sent: URL) => keep({ sent }),
    saveCodeVerifier: (verifier: string) => keep({ verifier }),
    codeVerifier: () => kept.verifier ?? "",
    saveDiscoveryState: (found: unknown) => keep({ found }),
    discoveryState: () => kept.found,
    state: () => "sdk-state",
    ...more,
  } as OAuthClientProvider;
  const open = () => new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: provider });
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: "sdk", version: "1" });
    onTestFinished(() => client.close());
    await client.connect(open());
    return client;
  };
  return { kept, open, connect };
}

type SdkClient = ReturnType<typeof createSdkClient>;

/** A person in a browser allows what the client asks for. */
async function logIn({ browser }: AuthorizationWorld, { kept, open, connect }: SdkClient): Promise<Client> {
  await expect(connect()).rejects.toThrow(UnauthorizedError);
  const there = browser();
  const back = await there.answer(await there.go(kept.sent?.href ?? ""), "allow");
  await open().finishAuth(new URL(back.headers.get("location") ?? "").searchParams);
  return connect();
}

test("the official SDK's client registers, logs in, and calls tools on whichever machine answers", async () => {
  const world = await openAuthorizationWorld();
  const sdk = createSdkClient(world.origin);
  const client = await logIn(world, sdk);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect(sdk.kept.client).toMatchObject({ client_id: expect.stringMatching(/^tcc_/) });
  expect(sdk.kept.sent?.searchParams.get("resource")).toBe(`${world.origin}/mcp`);
  expect(sdk.kept.tokens).toMatchObject({ scope: "tools:read tools:call" });
  expect(world.problems).toEqual([]);
});

test("the official SDK's client is known by its document, and refreshes what has ended", async () => {
  const world = await openAuthorizationWorld({ documents });
  const clientMetadataUrl = "https://claude.ai/oauth/claude-code-client-metadata";
  const sdk = createSdkClient(world.origin, { clientMetadataUrl });
  await logIn(world, sdk);
  expect(sdk.kept.client).toMatchObject({ client_id: clientMetadataUrl });
  const before = sdk.kept.tokens;
  Object.assign(sdk.kept, { tokens: { ...before, access_token: "tca_ended" } });
  const again = await sdk.connect();
  expect((await again.listTools()).tools.length).toBeGreaterThan(0);
  expect(sdk.kept.tokens?.refresh_token).not.toBe(before?.refresh_token);
});

test("two processes of the official SDK's client that refresh at once both go on with the same login", async () => {
  const world = await openAuthorizationWorld({ documents });
  const clientMetadataUrl = "https://claude.ai/oauth/claude-code-client-metadata";
  const first = createSdkClient(world.origin, { clientMetadataUrl });
  await logIn(world, first);
  const second = createSdkClient(world.origin, { clientMetadataUrl });
  const ended: Record<string, string> = { ...first.kept.tokens, access_token: "tca_ended" };
  Object.assign(second.kept, { ...first.kept, tokens: ended });
  first.kept.tokens = ended;
  await Promise.all([first.connect(), second.connect()]);
  expect(first.kept.tokens?.refresh_token).toBe(second.kept.tokens?.refresh_token);
  expect(first.kept.tokens?.refresh_token).not.toBe(ended.refresh_token);
});
