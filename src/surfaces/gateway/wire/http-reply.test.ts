import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createHttpReply } from "./http-reply.ts";

test("a reply that is over before anybody asks says so at once, and one that is not says so when it is", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const asking = request({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  asking.on("error", () => {}).end();
  const [incoming, response] = await once(server, "request");
  const reply = createHttpReply(incoming, response);
  const told: string[] = [];
  reply.onOver(() => told.push("before"));
  expect(told).toEqual([]);
  asking.destroy();
  await once(response, "close");
  reply.onOver(() => told.push("after"));
  expect(told).toEqual(["before", "after"]);
});
