// Talks to the extension as Toolcrib does and checks what it says. Run it with: node examples/extension/check.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const child = spawn(process.execPath, [fileURLToPath(new URL("./extension.mjs", import.meta.url))], {
  stdio: ["pipe", "pipe", "inherit"],
});
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const receive = async () => JSON.parse((await lines.next()).value);

send({ id: 1, method: "initialize", params: { protocolVersion: 1, sessionId: "check", name: "dice" } });
assert.deepEqual(await receive(), { jsonrpc: "2.0", id: 1, result: { protocolVersion: 1 } });
const registration = await receive();
assert.equal(registration.method, "tools/register");
assert.deepEqual(
  registration.params.tools.map(({ name }) => name),
  ["roll_dice", "count_down"],
);
send({ id: registration.id, result: { registered: 2, skipped: [] } });

send({ id: 2, method: "tools/call", params: { name: "roll_dice", arguments: { count: 3, sides: 2 } } });
const { result } = await receive();
assert.equal(result.dice.length, 3);
assert.ok(result.sum >= 3 && result.sum <= 6);

send({ id: 3, method: "tools/call", params: { name: "count_down", arguments: { from: 2, pause: 1 } } });
assert.deepEqual((await receive()).params, { id: 3, message: "2 to go", progress: 0, total: 2 });
assert.deepEqual((await receive()).params, { id: 3, message: "1 to go", progress: 1, total: 2 });
assert.equal((await receive()).result, "Lift-off.");

send({ id: 4, method: "tools/call", params: { name: "count_down", arguments: { from: 9, pause: 60_000 } } });
assert.equal((await receive()).params.message, "9 to go");
send({ method: "$/cancel", params: { id: 4 } });
assert.match((await receive()).error.message, /abort/);

send({ id: 5, method: "tools/call", params: { name: "toString", arguments: {} } });
assert.equal((await receive()).error.message, "there is no tool toString");

send({ method: "shutdown" });
const [code] = await once(child, "exit");
assert.equal(code, 0);
console.log("The extension keeps the protocol.");
