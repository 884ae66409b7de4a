import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { readBody as readPage } from "../../src/sources/parts/read-body.ts";
import { readPostedText } from "../../src/surfaces/gateway/wire/http-reply.ts";
import { readJsonBody } from "../../src/surfaces/http/api/read-json.ts";
import { createBacklog } from "../../src/system/rpc/backlog.ts";
import { drip } from "../fixtures/drip.ts";

const TEXT = JSON.stringify("0123456789".repeat(2_000));

/** A chunk of one byte costs its sender next to nothing, and arrives as a piece of its own. */
test.each<[string, (message: IncomingMessage) => Promise<unknown>]>([
  ["a message", (message) => readPostedText(message, 1_000_000, () => createBacklog(0))],
  ["a question of the inspector", (message) => readJsonBody(message, new ServerResponse(message), 1_000_000)],
  ["a page", async (message) => (await readPage(message, null, 1_000_000))?.bytes.toString()],
])("%s that comes byte by byte is not held in as many pieces", async (_, read) => {
  const message = new IncomingMessage(new Socket());
  onTestFinished(() => void message.destroy());
  message.headers["content-type"] = "application/json";
  message.resume();
  const whole = read(message);
  const held = await drip(TEXT, (piece) => void message.push(piece));
  message.push(null);
  expect([TEXT, JSON.parse(TEXT)]).toContainEqual(await whole);
  expect(held).toBeLessThan(200);
});
