import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import type { ClientEra } from "./clients.ts";
import { type GatewayWorld, openGateway } from "./world.ts";

export type BalancedMachine = GatewayWorld & { readonly store: Store };

/** Machines on one PostgreSQL behind a balancer: another one for every request, and connections that can be cut. */
export interface BalancedMachines {
  readonly url: string;
  readonly machines: readonly BalancedMachine[];
  start(): Promise<BalancedMachine>;
  /** As SIGTERM does: no more requests, what waits is left to others, and then its connections end. */
  endGently(machine: BalancedMachine): Promise<void>;
  /** Streams to clients that know from where to go on. */
  streams(): number;
  /** Cuts them all. */
  cut(): void;
}

interface Passed {
  readonly to: string;
  readonly response: ServerResponse;
  hasBegun: boolean;
}

export async function startBalanced(database: string, config: object): Promise<BalancedMachines> {
  const machines: BalancedMachine[] = [];
  const open = new Set<Passed>();
  let turn = 0;
  const pass = (asked: IncomingMessage, response: ServerResponse): void => {
    turn += 1;
    const machine = machines[turn % machines.length];
    if (machine === undefined) return void response.writeHead(503).end();
    const to = machine.url;
    const passed: Passed = { to, response, hasBegun: false };
    open.add(passed);
    response.once("close", () => open.delete(passed));
    const upstream = request(to, { method: asked.method, headers: asked.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      const isStream = answer.headers["content-type"] === "text/event-stream";
      answer.on("data", (bytes: Buffer) => {
        passed.hasBegun ||= isStream && /^id: /m.test(bytes.toString());
        response.write(bytes);
      });
      answer.on("end", () => response.end()).on("error", () => response.destroy());
    });
    upstream.on("error", () => response.destroy());
    response.once("close", () => upstream.destroy());
    asked.pipe(upstream);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, // It listens on a port.
    machines,
    async start() {
      const store = createStore(await openPostgres(database));
      onTestFinished(() => store.close());
      const shared = { store, scope: "test" };
      const machine = {
        ...(await openGateway(config, { crib: { shared, drain: 10_000 }, gateway: { shared } })),
        store,
      };
      machines.push(machine);
      return machine;
    },
    async endGently(machine) {
      machines.splice(machines.indexOf(machine), 1);
      await machine.crib.close();
      await machine.gateway.close();
      await machine.store.close();
      for (const { to, response } of open) if (to === machine.url) response.destroy();
    },
    streams: () => [...open].filter(({ hasBegun }) => hasBegun).length,
    cut() {
      for (const passed of [...open].filter(({ hasBegun }) => hasBegun)) {
        open.delete(passed);
        passed.response.destroy();
      }
    },
  };
}

/** The official client, which comes back soon and as often as it takes. */
export async function connectPatient(url: string, era: ClientEra): Promise<Client> {
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" } };
  const client = new Client({ name: "patient", version: "1" }, { versionNegotiation });
  const reconnectionOptions = {
    initialReconnectionDelay: 50,
    maxReconnectionDelay: 500,
    reconnectionDelayGrowFactor: 1.5,
    maxRetries: 50,
  };
  const requestInit = { headers: { authorization: "Bearer t" } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit, reconnectionOptions }));
  onTestFinished(() => client.close());
  return client;
}
