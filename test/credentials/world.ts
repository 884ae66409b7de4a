import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Config, ServerConfig } from "../../src/config/config.ts";
import type { Caller } from "../../src/core/people/person.ts";
import { openUpstream, type Upstream } from "../../src/runtime/credentials/open-upstream.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import type { Login } from "../../src/sources/mcp/oauth/login-store.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

export const PUBLIC_URL = "https://tools.example.com";
export const KEY = randomBytes(32).toString("base64");

/** A person as they come with a client. */
export function caller(subject: string, more: Partial<Caller> = {}): Caller {
  const client = "https://claude.ai/client.json";
  return {
    ...{ issuer: "https://idp.example.com", subject, client, groups: [], claims: [], name: subject, email: null },
    ...more,
  };
}

/** The configuration of a gateway with these servers. */
export async function configOf(servers: object, auth: object = {}, rest: object = {}): Promise<Config> {
  const gateway = {
    publicUrl: PUBLIC_URL,
    auth: { keys: [KEY], people: [{ everybody: true, profile: "all" }], ...auth },
  };
  const all = { ...gateway, profiles: { all: {} } };
  return createWorkspace({ user: JSON.stringify({ mcpServers: servers, gateway: all, ...rest }) }).load();
}

export function serverOf(config: Config, name: string): ServerConfig {
  const server = config.servers.get(name);
  if (server === undefined) throw new Error(`there is no ${name}`);
  return server;
}

interface MachineOptions {
  readonly now?: () => number;
  readonly folder?: string;
  readonly scope?: string;
}

/** What one machine has; problems fail the test. */
export async function startMachine(
  store: Store,
  config: Config,
  { now = Date.now, folder = makeTempFolder(), scope = "company" }: MachineOptions = {},
): Promise<Upstream> {
  const upstream = await openUpstream({
    ...{ publicUrl: PUBLIC_URL, place: { store, scope }, folder, now },
    auth: () => config.gateway.auth,
    keepsTokens: () => true,
    onError: (text, error) => {
      throw new Error(text, { cause: error });
    },
  });
  onTestFinished(upstream.close);
  return upstream;
}

/** A login as it is at once after it was made. */
export function loginAt(url: string, issuer: string, more: Partial<Login> = {}): Login {
  return {
    ...{ url, issuer, tokenEndpoint: `${issuer}/token`, authMethods: [], revocation: null, resource: url },
    ...{ clientId: "gateway", clientSecret: null, access: "access-canary", refresh: "refresh-canary", expires: null },
    ...more,
  };
}
