// Runs the agent against a stand-in for Claude on this machine, and checks what it does: node examples/agent/check.mjs
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { startLoopback } from "../providers/loopback.mjs";
import { answer } from "./agent.mjs";

const server = await startLoopback([
  [{ id: "call_1", name: "weather", input: { city: "Oslo" } }],
  [{ id: "call_2", name: "weather", input: { city: "Rome" } }],
]);
const client = new Anthropic({ apiKey: "none", baseURL: server.url });
const messages = await answer("What is the weather in Oslo and Rome?", client);
await server.close();

// The model got the program's own tool and no other, and nobody had to allow its calls.
assert.deepEqual(
  server.seen.map(({ body }) => body.tools.map((/** @type {Anthropic.Tool} */ { name }) => name)),
  [["weather"], ["weather"], ["weather"]],
);
const said = JSON.stringify(messages);
for (const city of ["Oslo", "Rome"]) assert.ok(said.includes(`Sunny in ${city}`), `nothing about ${city}: ${said}`);
assert.ok(JSON.stringify(messages.at(-1)).includes("All 2 calls are answered."), said);
