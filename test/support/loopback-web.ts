import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { isPublicAddress } from "../../src/system/addresses/is-public-address.ts";
import type { Reach } from "../../src/system/addresses/resolve-public.ts";

/** A server on the loopback interface, with every request it saw and how often somebody connected. */
export interface LoopbackServer {
  readonly port: number;
  readonly requests: { readonly url: string; readonly headers: NodeJS.Dict<string | string[]> }[];
  readonly connections: () => number;
}

export async function serveLoopback(listener: RequestListener, address = "127.0.0.1"): Promise<LoopbackServer> {
  const requests: LoopbackServer["requests"] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    listener(request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, address, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  return { port, requests, connections: () => connections };
}

/** Names that end in `public.test` stand for public hosts, though they live on the loopback interface; all else is real. */
export function testReach(): Reach & { readonly lookups: string[] } {
  const lookups: string[] = [];
  return {
    lookups,
    lookup: async (host) => {
      lookups.push(host);
      if (host.endsWith("public.test")) return [{ address: "127.0.0.1", family: 4 }];
      throw new Error("the network stays untouched in tests");
    },
    isAllowed: (address, host) => host.endsWith("public.test") || isPublicAddress(address),
  };
}
