import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { runBridge } from "./bridge.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A client behind a bridge, with Toolcribs that answer as said: one for each time that it is attached. */
async function bridged(...lives: readonly ((socket: Socket, message: Message) => void)[]) {
  const home = mkdtempSync(join(tmpdir(), "toolcrib-bridge-"));
  const path = join(home, "s.sock");
  let life = 0;
  const server = createServer((socket) => {
    const own = lives[life++];
    socket.on("error", () => socket.destroy());
    createInterface({ input: socket }).on("line", (line) => own?.(socket, JSON.parse(line)));
  }).listen(path);
  await once(server, "listening");
  const [input, output] = [new PassThrough(), new PassThrough()];
  const heard: Message[] = [];
  let look = (): void => {};
  createInterface({ input: output }).on("line", (line) => {
    heard.push(JSON.parse(line));
    look();
  });
  const attach = async () => {
    const socket = connect(path);
    await once(socket, "connect");
    socket.on("error", () => socket.destroy());
    return { socket, key: "one" };
  };
  const ended = runBridge({ input, output, attach, guess: attach, tell: () => {} });
  onTestFinished(async () => {
    input.end();
    await ended;
    server.close();
    rmSync(home, { recursive: true, force: true });
  });
  return {
    heard,
    say: (message: object) => void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    hears: (isIt: (message: Message) => boolean) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (heard.some(isIt)) resolve();
        };
        look();
      }),
  };
}

const answer = (socket: Socket, { id }: Message, result: object): void =>
  void socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);

const answersAll = (socket: Socket, message: Message): void => {
  if (message.id !== undefined) answer(socket, message, { of: message.method });
};

const INITIALIZE = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

test("a client whose introduction is not answered before the other side dies is introduced to the next one", async () => {
  const { say, hears, heard } = await bridged((socket) => void socket.destroy(), answersAll);
  say(INITIALIZE);
  await hears(({ method }) => method === "notifications/tools/list_changed");
  expect(heard.filter(({ id }) => id === 1)).toEqual([expect.objectContaining({ result: { of: "initialize" } })]);
});

test("what is asked while the next one starts is answered once, also when that one dies too", async () => {
  let asked = (): void => {};
  const died = (socket: Socket, message: Message): void => {
    if (message.method === "initialize") answer(socket, message, {});
    else socket.destroy();
  };
  const diesAtOnce = (socket: Socket): void => {
    // The client asks in between, and nobody has been sent that yet.
    asked();
    setImmediate(() => socket.destroy());
  };
  const { say, hears, heard } = await bridged(died, diesAtOnce, answersAll);
  asked = () => say({ id: 3, method: "tools/list" });
  say(INITIALIZE);
  await hears(({ id }) => id === 1);
  say({ id: 2, method: "tools/call" });
  await hears(({ id, result }) => id === 3 && result !== undefined);
  await hears(({ method }) => method === "notifications/resources/list_changed");
  expect(heard.filter(({ id }) => id === 3)).toHaveLength(1);
  expect(heard.filter(({ id }) => id === 2)).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ message: expect.stringContaining("is not known") }) }),
  ]);
});
