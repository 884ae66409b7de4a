import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { HttpServerOptions } from "../../src/surfaces/http/door/http-server.ts";
import { head, LONG, post, SHORT } from "./both-ways.ts";
import { CLIENT_TOKEN, type Door, isClosed, openDoor, TOKEN } from "./door.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What is still to be said after a request that may be answered, refused or taken for two. */
type Ending = "another request" | "nothing" | "the end";

const CLOSER = head([`GET /healthz?${"x".repeat(80)} HTTP/1.1`, "Host: localhost", "Connection: close"]);
const AUTHORIZED = `Authorization: Bearer ${TOKEN}`;
/** Were it ever taken for a request of its own, both ways would have to agree about it. */
const HIDDEN = post("hidden").replace("/mcp", "/mcp?hidden");

/** Requests that every reader takes for the same, of both kinds. */
const CLEAR: readonly string[] = [
  post('{"a":1}'),
  post(""),
  post('{"b":"ä€😀"}'),
  post("\ufeff{}"),
  post(`[${"[".repeat(2_000)}`),
  post(HIDDEN),
  post(HIDDEN, "X-A: 1", "X-A: 2"),
  post("x".repeat(66_000)),
  post("{}").replace("/mcp", "/mcp?agent=a&agent=b&include=#?%00\"'<>\\^`{|}"),
  post("{}").replace("Host: 127.0.0.1", "host:LOCALHOST:1 "),
  post("{}").replace(AUTHORIZED, `authorization:bearer   ${CLIENT_TOKEN}`),
  post("{}").replace(TOKEN, "wrong"),
  post("{}").replace("127.0.0.1", "evil.test"),
  post("{}", "Origin: http://evil.test"),
  post("{}", "Origin: http://127.0.0.1"),
  post("{}").replace("/mcp", "/%6dcp"),
  post("{}").replace("/mcp", "/x/../mcp"),
  post("{}").replace("/mcp", "//mcp"),
  post("{}").replace("/mcp", "http://127.0.0.1/mcp"),
  post("{}", `X-Long: ${"x".repeat(9_000)}`),
  post("{}", ...Array.from({ length: 70 }, (_, at) => `X-${at}: ${at}`)),
  post("{}", "Content-Encoding: gzip", "X_Y: 1", "X-Empty:"),
  `${post("").replace("Content-Length: 0", "Transfer-Encoding: chunked")}6\r\nhidden\r\n0\r\n\r\n`,
  `\r\n${post("{}")}`,
  head(["GET /healthz HTTP/1.1", "Host: localhost"]),
  head(["HEAD /healthz HTTP/1.1", "Host: localhost"]),
  head(["OPTIONS /mcp HTTP/1.1", "Host: localhost", AUTHORIZED]),
  head(["GET /mcp HTTP/1.1", "Host: localhost", AUTHORIZED]),
  head(["DELETE /mcp HTTP/1.1", "Host: localhost", AUTHORIZED]),
];

/** And those that readers have been known to differ about. */
const ODD: readonly (readonly [string, Ending])[] = [
  ...[
    ["Transfer-Encoding: chunked"],
    ["transfer-encoding:\tchunked"],
    ["Transfer-Encoding : chunked"],
    ["Transfer-Encoding: xchunked"],
    ["Transfer-Encoding: chunked, identity"],
    ["Transfer-Encoding: identity"],
    ["Transfer-Encoding:\r\n chunked"],
    ["X-A: 1\r\n folded: 1"],
    ["X-A: 1\nTransfer-Encoding: chunked"],
    ["X-A: 1\rTransfer-Encoding: chunked"],
    ["X-A: \0"],
    ["X-A: \x7f"],
    ["X-A: \x01"],
    ["X-A\0: 1"],
    ["X A: 1"],
    ["X-A : 1"],
    ["no colon"],
    [": nothing"],
    [" Leading: 1"],
    ["Content-Length: 6"],
    ["Content-Length: 0"],
    ["Content-Length : 0"],
    ["Content-Length: 6, 6"],
    ["Content-Length:"],
    ["Host: 127.0.0.1"],
    ["Host: evil.test"],
    ["Host : evil.test"],
    ["Origin: http://127.0.0.1", "Origin: http://evil.test"],
    ["Authorization: Bearer wrong"],
    [`X-Long: ${"x".repeat(17_000)}`],
    ["Expect: 100-continue"],
    ["Expect: everything"],
    ["Upgrade: websocket"],
    ["Trailer: X-A"],
  ].map((lines): readonly [string, Ending] => [post("hidden", ...lines), "another request"]),
  ...["+6", "06", "6 ", "0x6", "-6", "6e0", "6.0", "６", "99999999999999999999", "6\t", "6;6", ""].map(
    (length): readonly [string, Ending] => [
      post("hidden").replace("Content-Length: 6", `Content-Length: ${length}`),
      length === "99999999999999999999" ? "nothing" : "another request",
    ],
  ),
  ...["POST /mcp HTTP/1.0", "POST /mcp HTTP/1.2", "POST /mcp HTTP/2.0", "POST /mcp", "post /mcp HTTP/1.1"].map(
    (line): readonly [string, Ending] => [post("hidden").replace("POST /mcp HTTP/1.1", line), "nothing"],
  ),
  ...[
    "POST\t/mcp HTTP/1.1",
    "POST  /mcp HTTP/1.1",
    "POST /mcp  HTTP/1.1",
    "POST /mcp HTTP/1.1 ",
    "POST /m\0 HTTP/1.1",
  ].map((line): readonly [string, Ending] => [post("hidden").replace("POST /mcp HTTP/1.1", line), "another request"]),
  [post("hidden").replaceAll("\r\n", "\n"), "another request"],
  [post("hidden").replace("\r\n\r\n", "\n\r\n"), "another request"],
  [post("hidden").replace("\r\n\r\n", "\r\n\n"), "another request"],
  [post("hidden", "Connection: close"), "nothing"],
  [post("hidden", "Proxy-Connection: close"), "nothing"],
  [post("hidden", "Connection: keep-alive, x"), "another request"],
  [post("hidden").slice(0, 60), "the end"],
  [head(["CONNECT 127.0.0.1:80 HTTP/1.1", "Host: 127.0.0.1", AUTHORIZED]), "nothing"],
];

/** A door that also notes what it has run, in case nobody is told. */
async function openNoting(hasShort: boolean) {
  const run: string[] = [];
  const short: Pick<HttpServerOptions, "mcpMessage"> = {
    async mcpMessage(request, body, wire, access) {
      run.push(`${request.url} ${access.profile.principal} ${body}`);
      await SHORT(request, body, wire, access);
    },
  };
  const door = await openDoor({
    limits: { refusalBurst: 100_000 },
    async mcp(request, response, access) {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => void parts.push(part));
      await LONG(request, response, access);
      run.push(`${request.url} ${access.profile.principal} ${Buffer.concat(parts)}`);
    },
    ...(hasShort ? short : {}),
  });
  return { door, run };
}

/** Pieces one after the other, each in a turn of its own. */
async function send(socket: Socket, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  if (bytes.length === 0) return;
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  for (const [at, start] of [0, ...places].entries()) {
    if (!socket.writable) return;
    socket.write(bytes.subarray(start, places[at] ?? bytes.length));
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  }
}

function answersIn(text: string): readonly Answer[] {
  const [, ...answers] = text.split(/HTTP\/1\.1 (?=\d{3} )/);
  return answers.map((each) => {
    const end = each.indexOf("\r\n\r\n");
    return { status: Number(each.slice(0, 3)), body: end < 0 ? "" : each.slice(end + 4) };
  });
}

/** Clear requests at once, an odd one when they are answered, and all that came back. */
async function talk(
  door: Door,
  clear: readonly string[],
  [odd, ending]: readonly [string, Ending],
  cuts: readonly number[],
): Promise<{ readonly clear: readonly Answer[]; readonly odd: readonly Answer[]; readonly isShort: boolean }> {
  const socket = door.dial();
  let text = "";
  let look = (): void => {};
  socket.setNoDelay(true);
  socket.setEncoding("latin1").on("data", (part) => {
    text += part;
    look();
  });
  const answered = new Promise<void>((resolve) => {
    look = () => {
      const answers = answersIn(text);
      if (clear.length === 0 || (answers.length === clear.length && isWhole(text))) resolve();
    };
    socket.once("close", () => resolve());
    look();
  });
  if (clear.length > 0) await send(socket, Buffer.from(clear.join("")), cuts);
  await answered;
  const before = text;
  const closer = ending === "another request" ? CLOSER : "";
  await send(socket, Buffer.from(odd + closer), cuts);
  if (ending === "the end") socket.end();
  await isClosed(socket);
  return {
    clear: answersIn(before),
    odd: answersIn(text.slice(before.length)),
    isShort: text.includes("x-way: short"),
  };
}

/** Whether the last answer is all there: those with a body say how long it is. */
function isWhole(text: string): boolean {
  const last = text.slice(text.search(/HTTP\/1\.1 \d{3} (?![\s\S]*HTTP\/1\.1 \d{3} )/));
  const end = last.indexOf("\r\n\r\n");
  const length = Number(/content-length: (\d+)/i.exec(last.slice(0, end))?.[1] ?? 0);
  return end >= 0 && (last.length >= end + 4 + length || last.length === end + 4);
}

test("both ways understand the same, whatever stands together on a connection and wherever it is cut", async () => {
  const [both, long] = await Promise.all([openNoting(true), openNoting(false)]);
  let short = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...CLEAR), { maxLength: 5 }),
      fc.constantFrom(...ODD),
      fc.array(fc.nat(), { maxLength: 5 }),
      async (clear, odd, cuts) => {
        both.run.length = long.run.length = 0;
        const [mine, other] = await Promise.all([talk(both.door, clear, odd, cuts), talk(long.door, clear, odd, cuts)]);
        expect(mine.clear).toEqual(other.clear);
        expect(mine.odd).toEqual(other.odd);
        expect([...both.run].sort()).toEqual([...long.run].sort());
        if (mine.isShort) short += 1;
      },
    ),
    { numRuns: 250 },
  );
  expect(short).toBeGreaterThan(20);
});

test("every one of the odd is understood alike, as the first on its connection and after a plain one", async () => {
  const [both, long] = await Promise.all([openNoting(true), openNoting(false)]);
  for (const odd of ODD)
    for (const clear of [[], [post("{}")]]) {
      const [mine, other] = await Promise.all([both, long].map(({ door }) => talk(door, clear, odd, [])));
      expect(mine?.odd, odd[0]).toEqual(other?.odd);
    }
  expect([...both.run].sort()).toEqual([...long.run].sort());
});

test("a cut at any byte changes nothing", async () => {
  const [both, long] = await Promise.all([openNoting(true), openNoting(false)]);
  const chunked = post("").replace("Content-Length: 0", "Transfer-Encoding: chunked");
  const clear = [post('"ä"'), `${chunked}6\r\nhidden\r\n0\r\n\r\n`, post("{}")];
  const expected = await talk(long.door, clear, [CLOSER, "nothing"], []);
  expect(expected.clear).toHaveLength(clear.length);
  for (let cut = 1; cut < Buffer.byteLength(clear.join("")); cut += 1) {
    const { isShort, ...answers } = await talk(both.door, clear, [CLOSER, "nothing"], [cut]);
    expect(answers, `cut at ${cut}`).toMatchObject({ clear: expected.clear, odd: expected.odd });
    expect(isShort).toBe(cut > (clear[0] ?? "").indexOf("\r\n\r\n") + 3);
  }
});
