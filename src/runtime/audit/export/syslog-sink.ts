import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { connect, type TLSSocket } from "node:tls";
import type { RowSink } from "../carry-rows.ts";
import { type ExportedRow, type RowFormat, toExported } from "./exported-row.ts";

/** Where syslog is taken over TLS, and whom to trust. */
export interface SyslogPlace {
  /** `tls://HOST:PORT`. */
  readonly url: string;
  /** Files in PEM. */
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

const PORT = 6514;
const MOST_BYTES = 4 * 1024 * 1024;
const TIMEOUT = 10_000;
/**
 * Milliseconds: the protocol has no answer, so rows count as received when the connection has stayed open for this long
 * after they were written. If it breaks sooner, they are sent again.
 */
const SETTLED = 1_000;
/** Log audit. */
const FACILITY = 13;
const SEVERITIES = { warning: 4, info: 6 } as const;

/** RFC 5424 over TLS, with the length before each message (RFC 5425). */
export function syslogSink(place: SyslogPlace, format: RowFormat): RowSink {
  const { hostname: host, port } = new URL(place.url);
  const at = { host: host.replace(/^\[|\]$/g, ""), port: port === "" ? PORT : Number(port) };
  let socket: TLSSocket | null = null;
  const open = async (signal: AbortSignal): Promise<TLSSocket> => {
    if (socket !== null && !socket.destroyed && socket.writable) return socket;
    socket?.destroy();
    socket = await connectTo(place, at, signal);
    return socket;
  };
  return {
    name: `syslog ${at.host}:${at.port}`,
    mostBytes: MOST_BYTES,
    async send(rows, signal) {
      const bytes = Buffer.concat(rows.map((row) => toFrame(toExported(row, format))));
      await writeSettled(await open(signal), bytes, signal);
    },
    async close() {
      socket?.end();
      socket = null;
    },
  };
}

async function connectTo(
  { ca, cert, key }: SyslogPlace,
  { host, port }: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<TLSSocket> {
  const [caFile, certFile, keyFile] = await Promise.all([ca, cert, key].map((path) => path && readFile(path)));
  const socket = connect({
    ...{ host, port, minVersion: "TLSv1.2" },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(caFile ? { ca: caFile } : {}),
    ...(certFile && keyFile ? { cert: certFile, key: keyFile } : {}),
  });
  // Nothing is expected; what comes must not stop the end of the connection from being seen.
  socket.resume().on("error", () => {});
  await during(socket, signal, TIMEOUT, (done) => socket.once("secureConnect", done));
  return socket;
}

/** Resolves once all is written and the connection has lived on for a while. */
async function writeSettled(socket: TLSSocket, bytes: Buffer, signal: AbortSignal): Promise<void> {
  await during(socket, signal, TIMEOUT, (done) => socket.write(bytes, () => done()));
  await during(socket, signal, SETTLED * 10, (done) => void setTimeout(done, SETTLED));
}

/** Rejects if the connection breaks, the time is over or it is called off before `done`. */
function during(
  socket: TLSSocket,
  signal: AbortSignal,
  within: number,
  work: (done: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => () => settle(new Error(why));
    const onError = (error: Error): void => settle(error);
    const onClose = fail("the connection was closed");
    const onAbort = fail("it was called off");
    const timer = setTimeout(fail(`nothing came of it within ${within} ms`), within);
    const settle = (error: Error | null): void => {
      clearTimeout(timer);
      socket.off("error", onError).off("close", onClose).off("end", onClose);
      signal.removeEventListener("abort", onAbort);
      if (error === null) resolve();
      else {
        socket.destroy();
        reject(error);
      }
    };
    socket.on("error", onError).on("close", onClose).on("end", onClose);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else work(() => settle(null));
  });
}

function toFrame({ time, type, isWarning, text, row }: ExportedRow): Buffer {
  const priority = FACILITY * 8 + SEVERITIES[isWarning ? "warning" : "info"];
  const header = [
    `<${priority}>1`,
    new Date(time).toISOString(),
    ...[toName(hostname(), 255), "toolcrib", toName(row?.run ?? "-", 128), toName(type, 32), "-"],
  ].join(" ");
  const message = Buffer.from(`${header} ${text}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

/** Printable ASCII without spaces, as the header demands. */
function toName(text: string, most: number): string {
  const clean = text.replace(/[^\x21-\x7e]/g, "_").slice(0, most);
  return clean === "" ? "-" : clean;
}
