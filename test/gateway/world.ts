import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Crib, Profile } from "../../src/runtime/crib/crib.ts";
import { type CribOptions, openCrib } from "../../src/runtime/crib/open-crib.ts";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../src/surfaces/gateway/gateway.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import type { AtEnd } from "../support/share.ts";

export interface GatewayWorld {
  readonly crib: Crib;
  readonly gateway: Gateway;
  readonly url: string;
  readonly errors: readonly string[];
  readonly place: ReturnType<typeof createWorkspace>;
  /** Takes over another configuration. */
  reload(config: object): Promise<void>;
}

export interface WorldOptions {
  readonly gateway?: Partial<GatewayOptions>;
  readonly crib?: Partial<CribOptions>;
  /** The machine, where something is there already. */
  readonly place?: ReturnType<typeof createWorkspace>;
  /** Who somebody is, by the bearer token; the main profile for everybody if absent. */
  readonly profileOf?: (token: string | null) => Profile;
  /** Keeps what has to be ended, where several tests use it; it ends with the test if absent. */
  readonly atEnd?: AtEnd;
}

/** Most tests want something to call; what clients get when nobody says so has its own. */
const BUILTINS = { builtins: "all" };

/** A gateway on a port of this machine, before the servers of that configuration. Ends with the test. */
export async function openGateway(config: object, options: WorldOptions = {}): Promise<GatewayWorld> {
  const place = options.place ?? createWorkspace();
  place.write("user", JSON.stringify({ ...BUILTINS, ...config }));
  const { cwd, home } = place;
  const env = { PATH: process.env.PATH };
  const errors: string[] = [];
  const crib = await openCrib(await place.load({}, env), {
    version: "1",
    workspace: cwd,
    drain: 0,
    ...{ cwd, home, env },
    ...options.crib,
  });
  const gateway = createGateway(crib, {
    version: "1.0.0",
    onError: (text, error) => void errors.push(`${text}: ${error instanceof Error ? error.stack : String(error)}`),
    ...options.gateway,
    // A busy machine may be slow to start a server, and most tests call it at once.
    limits: { patience: 30_000, ...options.gateway?.limits },
  });
  const profileOf = options.profileOf ?? (() => mainProfile());
  const whoIs = (authorization = ""): Profile => profileOf(/^Bearer (.+)$/.exec(authorization)?.[1] ?? null);
  const server = createServer((request, response) => {
    void gateway.handleHttp(request, response, { profile: whoIs(request.headers.authorization) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const atEnd = options.atEnd ?? onTestFinished;
  atEnd(async () => {
    await gateway.close();
    await crib.close();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    crib,
    gateway,
    url: `http://127.0.0.1:${port}/mcp`,
    errors,
    place,
    async reload(next) {
      place.write("user", JSON.stringify({ ...BUILTINS, ...next }));
      await crib.reconfigure(await place.load({}, env));
    },
  };
}
