// Answers every request at a Unix socket at once: what curl costs by itself.
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request.resume().on("end", () => response.end("toolcrib 0\n\ntoolcrib end\n"));
});
server.listen(process.argv[2], 1_024, () => process.stdout.write("ready\n"));
