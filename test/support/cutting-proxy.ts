import { connect, createServer, type Socket } from "node:net";

/** A way to a server on loopback that can be cut. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts every connection now. */
  cut(): void;
  /** Cuts a connection once this many more bytes have come from the server: in the middle of an answer. */
  cutAfter(bytes: number): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let left = Number.POSITIVE_INFINITY;
  const cut = (): void => {
    left = Number.POSITIVE_INFINITY;
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    pairs.clear();
  };
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const socket of pair) socket.on("error", () => {}).on("close", () => pairs.delete(pair));
    client.pipe(upstream);
    upstream.on("end", () => client.end());
    upstream.on("data", (bytes) => {
      left -= bytes.length;
      if (left < 0) cut();
      else client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut,
    cutAfter(bytes) {
      left = bytes;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
