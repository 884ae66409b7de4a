import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer of a server that plays what it is given. */
export interface Replay {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The connection breaks behind the body. */
  readonly cut?: boolean;
  /** Nothing more comes, and the connection stays. */
  readonly hangs?: boolean;
}

export interface ReplayServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: unknown }[];
}

/** Plays its answers in order, on loopback; the last one again and again. */
export async function startReplayServer(replays: Replay[]): Promise<ReplayServer> {
  const seen: { path: string; headers: IncomingHttpHeaders; body: unknown }[] = [];
  let at = 0;
  const server = createServer(async (request, response) => {
    // Anyone who looks for local models asks this one, too, which of them it has.
    if (request.method === "GET") return void response.writeHead(404).end();
    let text = "";
    for await (const piece of request) text += piece;
    seen.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text) });
    const replay = replays[Math.min(at, replays.length - 1)] ?? {};
    at += 1;
    play(replay, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(
  { status = 200, headers, body = "", cut = false, hangs = false }: Replay,
  response: ServerResponse,
): void {
  response.writeHead(status, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
  if (hangs) response.write(body);
  else if (cut) response.write(body, () => response.destroy());
  else response.end(body);
}
