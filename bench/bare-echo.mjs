// The least that JSON-RPC over stdio can do: every request gets its parameters back, framed by Content-Length.
let buffer = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
  for (;;) {
    const head = buffer.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/Content-Length: *(\d+)/i.exec(buffer.toString("latin1", 0, head))?.[1]);
    if (buffer.length < head + 4 + length) return;
    const { id, params } = JSON.parse(buffer.toString("utf8", head + 4, head + 4 + length));
    buffer = buffer.subarray(head + 4 + length);
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: params });
    process.stdout.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }
});
