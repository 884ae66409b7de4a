import { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { drip } from "../../../../../test/fixtures/drip.ts";
import { type ConnectionPorts, LeanConnection } from "./lean-connection.ts";

const HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** A connection on which bytes come when the test says so, whose messages all have this length. */
function openConnection(length: number) {
  const socket = new Socket();
  onTestFinished(() => void socket.destroy());
  const bodies: string[] = [];
  const ports: ConnectionPorts<null> = {
    admit: () => ({ head: { url: "/mcp", headers: {}, length }, principal: null }),
    isStillGood: () => true,
    count: () => true,
    answer: (_head, body) => void bodies.push(body),
    passOn: () => expect.unreachable("every message is a plain one"),
    now: () => 0,
    keepLine: "",
    patience: 60_000,
    isClosing: () => false,
    onOver: () => {},
  };
  return { connection: new LeanConnection(socket, ports), socket, bodies };
}

test("a body that comes byte by byte is not held in as many pieces, and is whole in the end", async () => {
  const body = "0123456789".repeat(2_000);
  const { socket, bodies } = openConnection(body.length);
  socket.emit("data", Buffer.from(HEAD));
  expect(await drip(body.slice(0, -1), (piece) => void socket.emit("data", piece))).toBeLessThan(100);
  expect(bodies).toEqual([]);
  socket.emit("data", Buffer.from(body.slice(-1)));
  expect(bodies).toEqual([body]);
});

test("neither is what comes while an answer is made", async () => {
  const { connection, socket, bodies } = openConnection(10_000);
  const message = (letter: string): string => HEAD + letter.repeat(10_000);
  socket.emit("data", Buffer.from(message("a")));
  expect(connection.state).toBe("answering");
  expect(await drip(message("b"), (piece) => void socket.emit("data", piece))).toBeLessThan(100);
  connection.onEnd();
  await new Promise(setImmediate);
  expect(bodies).toEqual(["a".repeat(10_000), "b".repeat(10_000)]);
});
