import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { knowsPeers, peerUser } from "./peer-user.ts";

const isLinux = process.platform === "linux";

/** Both ends of a connection to ourselves. */
async function open(host: string, to: string): Promise<readonly [Socket, Socket]> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const address = server.address();
  const accepted = once(server, "connection");
  const client = connect(typeof address === "object" && address !== null ? address.port : 0, to);
  const [[socket]] = await Promise.all([accepted, once(client, "connect")]);
  onTestFinished(() => {
    for (const one of [client, socket, server]) one instanceof Object && "destroy" in one ? one.destroy() : one.close();
  });
  return [client, socket];
}

test.runIf(isLinux)("the user at the other end is known over IPv4, IPv6 and IPv4 inside of it", async () => {
  expect(knowsPeers()).toBe(true);
  for (const [host, to] of [
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "::1"],
    ["::", "127.0.0.1"],
    ["::", "::ffff:127.0.0.1"],
  ] as const) {
    const opened = await open(host, to).catch(({ code = "" }: NodeJS.ErrnoException) => code);
    // A machine without IPv6.
    if (typeof opened === "string") expect(["EADDRNOTAVAIL", "EAFNOSUPPORT"]).toContain(opened);
    else expect(peerUser(opened[1])).toBe(process.geteuid?.());
  }
});

test.runIf(isLinux)("a peer that has closed its end is nobody, although the system counts it as root's", async () => {
  const [client, socket] = await open("127.0.0.1", "127.0.0.1");
  const ends = { ...pick(socket) };
  client.destroy();
  await once(client, "close");
  expect(peerUser(ends)).toBeNull();
});

const ROW =
  "   1: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 20 4 30 10 -1";
const ENDS = { localAddress: "127.0.0.1", localPort: 8080, remoteAddress: "127.0.0.1", remotePort: 40_000 };

test("only the one established row of exactly these ends counts, and a user whom nobody knows is none", () => {
  const of = (...rows: readonly string[]) => peerUser(ENDS, (path) => (path.endsWith("/tcp") ? rows.join("\n") : null));
  expect(of("  sl  local_address rem_address", ROW)).toBe(1000);
  expect(peerUser({ ...ENDS, localAddress: "::ffff:127.0.0.1", remoteAddress: "::ffff:127.0.0.1" }, () => ROW)).toBe(
    1000,
  );
  expect(of()).toBeNull();
  expect(of(ROW, ROW.replace(" 1000 ", " 1001 "))).toBeNull();
  for (const other of [
    ROW.replace(" 01 ", " 06 "),
    ROW.replace(" 01 ", " 05 "),
    ROW.replace(" 4711 ", " 0 "),
    ROW.replace("9C40", "9C41"),
    ROW.replace("1F90", "1F91"),
    ROW.replace(" 1000 ", " 65534 "),
    // Our own end.
    ROW.replace("0100007F:9C40 0100007F:1F90", "0100007F:1F90 0100007F:9C40"),
  ])
    expect(of(other)).toBeNull();
  expect(knowsPeers(() => null)).toBe(false);
  expect(peerUser({ ...ENDS, remotePort: undefined }, () => ROW)).toBeNull();
});

function pick({ localAddress, localPort, remoteAddress, remotePort }: Socket) {
  return { localAddress, localPort, remoteAddress, remotePort };
}
