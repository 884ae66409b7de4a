// The least that node:http can do: every request gets the text of a file. Arguments: a port and that file.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [port = "", file = ""] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  });
}).listen(Number(port), "127.0.0.1");
