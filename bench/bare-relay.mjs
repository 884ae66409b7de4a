// The least that a gateway in Node can do: it passes each JSON-RPC message on to a server on stdio, and its answer back. No rules, no
// log, no token, no sessions. Arguments: a port and the server's script.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const [, , port, upstream = ""] = process.argv;
const server = spawn(process.execPath, [upstream, "stdio"], { stdio: ["pipe", "pipe", "ignore"] });
/** @type {Map<number, (text: string) => void>} */
const waiting = new Map();
let last = 0;
createInterface({ input: server.stdout }).on("line", (line) => {
  const answer = JSON.parse(line);
  const pass = waiting.get(answer.id);
  waiting.delete(answer.id);
  pass?.(answer);
});
createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (part) => {
    text += part;
  });
  request.on("end", () => {
    const { id, ...message } = JSON.parse(text);
    if (id === undefined) {
      server.stdin.write(`${text}\n`);
      response.writeHead(202).end();
      return;
    }
    const own = ++last;
    waiting.set(own, (answer) => {
      const body = JSON.stringify({ ...Object(answer), id });
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
      response.end(body);
    });
    server.stdin.write(`${JSON.stringify({ ...message, id: own })}\n`);
  });
}).listen(Number(port), "127.0.0.1");
