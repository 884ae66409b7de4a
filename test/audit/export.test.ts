import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type AuditLog, openAuditLog } from "../../src/runtime/audit/audit-log.ts";
import { openExports } from "../../src/runtime/audit/export/open-exports.ts";
import { serveLoopback } from "../support/loopback-web.ts";
import { makeCertificate, type OwnCertificate } from "../support/own-certificate.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const ORIGIN = { kind: "default" } as const;

interface Written {
  readonly to: "otlp" | "syslog" | "https" | "file" | "stdout";
  readonly url?: string;
  readonly path?: string;
  readonly format?: "ocsf" | "toolcrib";
  readonly ca?: string;
  readonly headers?: ReadonlyMap<string, string>;
}

/** A web server that answers every request once its body is whole. */
async function listen(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ readonly origin: string }> {
  const { port } = await serveLoopback(async (request, response) =>
    answer(request, response, Buffer.concat(await request.toArray()).toString("utf8")),
  );
  return { origin: `http://127.0.0.1:${port}` };
}

interface Row {
  readonly id: string;
  readonly type: string;
  readonly seq?: number;
  readonly text?: string;
}

const call = (id: string) =>
  ({
    ...{
      session: "s",
      client: "tester",
      principal: "ann@idp.example.com",
      call: id,
      tool: "github__echo",
      agent: null,
    },
    given: { text: "hello" },
    decision: { decision: "deny", code: "permission.denied", text: "no", origin: "toolcrib.yaml:4", by: null },
  }) as const;

function throwing(text: string, error: unknown): never {
  throw new Error(text, { cause: error });
}

async function openLog(path = join(makeTempFolder(), "audit.jsonl"), fileBytes?: number): Promise<AuditLog> {
  const log = await openAuditLog({ path, onError: throwing, ...(fileBytes === undefined ? {} : { fileBytes }) });
  onTestFinished(() => log.close());
  return log;
}

/** Carries the rows of a log, as `up` does; tells what went wrong on the way. */
async function carry(log: AuditLog, ...written: readonly Written[]) {
  const told: string[] = [];
  const carriers = await openExports({
    exports: written.map((one) => ({
      ...{ url: null, path: null, ca: null, cert: null, key: null, format: "toolcrib", headers: new Map() },
      ...{ isUnset: false, origin: ORIGIN, ...one },
    })),
    ...{ path: log.path ?? "", env: { OTEL_SERVICE_NAME: "tools" }, version: "9.9" },
    write: async () => {},
    onError: (text) => void told.push(text),
    onRecovered: (text) => void told.push(text),
  });
  const stop = log.onWritten(() => {
    for (const carrier of carriers) carrier.wake();
  });
  const close = async (): Promise<void> => {
    stop();
    for (const carrier of carriers) await carrier.close();
  };
  onTestFinished(close);
  return { carriers, told, close };
}

/** A syslog server over TLS, which counts octets; its messages, and how to break all connections. */
async function syslogServer({ cert, key }: OwnCertificate) {
  const sockets = new Set<Socket>();
  const messages: string[] = [];
  const server = createTlsServer({ cert, key }, (socket) => {
    sockets.add(socket);
    let rest = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (;;) {
        const space = rest.indexOf(0x20);
        const length = Number(rest.subarray(0, Math.max(space, 0)).toString());
        if (space <= 0 || rest.length < space + 1 + length) return;
        messages.push(rest.subarray(space + 1, space + 1 + length).toString("utf8"));
        rest = rest.subarray(space + 1 + length);
      }
    });
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // It listens on a port.
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return { messages, breakAll, url: `tls://127.0.0.1:${port}` };
}

function certificateFile({ cert }: OwnCertificate): string {
  const path = join(makeTempFolder(), "ca.pem");
  writeFileSync(path, cert);
  return path;
}

const linesOf = (text: string): readonly Row[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("rows are exported", () => {
  test("to a file as JSON lines, each with an id, and go on there after a restart", async () => {
    const log = await openLog();
    const path = join(makeTempFolder(), "out.jsonl");
    const first = await carry(log, { to: "file", path });
    log.judged(call("1"));
    await vi.waitFor(() => expect(linesOf(readFileSync(path, "utf8"))).toHaveLength(2));
    await first.close();
    log.judged(call("2"));
    await log.close();
    await (await carry(log, { to: "file", path })).close();
    const rows = linesOf(readFileSync(path, "utf8"));
    expect(rows.map(({ type }) => type)).toEqual(["log.opened", "call.judged", "call.judged", "log.closed"]);
    const written = linesOf(readFileSync(log.path ?? "", "utf8"));
    expect(rows).toEqual(written.map((row) => ({ ...row, id: Reflect.get(row, "hash") })));
  });

  test("over HTTP as JSON lines, with our headers; what the other side does not take comes again", async () => {
    const bodies: string[] = [];
    const status = { now: 503 };
    const { origin } = await listen((request, response, body) => {
      expect(request.headers).toMatchObject({ "content-type": "application/x-ndjson", authorization: "Bearer x" });
      if (status.now === 200) bodies.push(body);
      response.writeHead(status.now).end();
    });
    const log = await openLog();
    const headers = new Map([["authorization", "Bearer x"]]);
    const { told, carriers } = await carry(log, { to: "https", url: `${origin}/rows?key=canary`, headers });
    log.judged(call("1"));
    await vi.waitFor(() => expect(told).toHaveLength(1), 5_000);
    expect(told[0]).toBe(`rows of the log of calls do not reach https ${origin}/rows; they wait in the log`);
    expect(carriers[0]?.failing).toContain("503");
    status.now = 200;
    await vi.waitFor(() => expect(told).toHaveLength(2), 10_000);
    expect(linesOf(bodies.join("")).map(({ type }) => type)).toEqual(["log.opened", "call.judged"]);
    expect(carriers[0]).toMatchObject({ sent: 2, lost: 0, failing: null });
  });

  test("to a collector as records of OTLP, a refused one as a gap", async () => {
    const records: object[] = [];
    const { origin } = await listen((request, response, body) => {
      const { resourceLogs } = JSON.parse(body);
      const { scope, logRecords } = resourceLogs[0].scopeLogs[0];
      expect([request.url, scope]).toEqual(["/v1/logs", { name: "toolcrib", version: "9.9" }]);
      expect(JSON.stringify(resourceLogs[0].resource)).toContain('"stringValue":"tools"');
      const isBad = logRecords.some(({ body }: { body: { stringValue: string } }) =>
        body.stringValue.includes('"call":"2"'),
      );
      const rejected = isBad ? { partialSuccess: { rejectedLogRecords: 1 } } : {};
      if (!isBad) records.push(...logRecords);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(rejected));
    });
    const log = await openLog();
    for (const id of ["1", "2", "3"]) log.judged(call(id));
    await log.flush();
    const { carriers, close } = await carry(log, { to: "otlp", url: `${origin}/v1/logs` });
    await close();
    expect(records.map((record) => Reflect.get(record, "eventName"))).toEqual([
      ...["toolcrib.log.opened", "toolcrib.call.judged", "toolcrib.export.gap", "toolcrib.call.judged"],
    ]);
    expect(carriers[0]).toMatchObject({ sent: 3, lost: 1 });
    expect(records[1]).toMatchObject({
      timeUnixNano: expect.stringMatching(/^\d{19}$/),
      ...{ severityNumber: 13, severityText: "WARN" },
      attributes: expect.arrayContaining([
        { key: "gen_ai.tool.name", value: { stringValue: "github__echo" } },
        { key: "user.id", value: { stringValue: "ann@idp.example.com" } },
      ]),
    });
  });

  test("to syslog over TLS, counted in octets; after a break rows come again rather than not at all", async () => {
    const certificate = makeCertificate();
    const { messages, breakAll, url } = await syslogServer(certificate);
    const log = await openLog();
    const { told, carriers } = await carry(log, { to: "syslog", url, ca: certificateFile(certificate) });
    log.judged({ ...call("1"), tool: "grüße__echo" });
    await vi.waitFor(() => expect(messages).toHaveLength(2), 5_000);
    expect(messages[1]).toMatch(
      /^<108>1 \d{4}-\S+Z \S+ toolcrib [0-9a-f]{8} call\.judged - \{"id":"[0-9a-f]{64}",.*\}$/,
    );
    expect(messages[1]).toContain("grüße__echo");
    // Before the connection has stayed open for a while, nothing counts as received.
    expect(carriers[0]?.sent).toBe(0);
    breakAll();
    await vi.waitFor(() => expect(messages).toHaveLength(4), 10_000);
    expect(messages.slice(2)).toEqual(messages.slice(0, 2));
    await vi.waitFor(() => expect(carriers[0]?.sent).toBe(2), 10_000);
    await vi.waitFor(() => expect(told).toHaveLength(2), 10_000);
    expect(told.map((text) => text.replace(/127.*\d/, "HOST"))).toEqual([
      "rows of the log of calls do not reach syslog HOST; they wait in the log",
      "rows of the log of calls reach syslog HOST again",
    ]);
  });

  test("to nobody whose certificate is not trusted", async () => {
    const { messages, url } = await syslogServer(makeCertificate());
    const log = await openLog();
    const { carriers } = await carry(log, { to: "syslog", url, ca: certificateFile(makeCertificate()) });
    log.judged(call("1"));
    await vi.waitFor(() => expect(carriers[0]?.failing).not.toBeNull(), 5_000);
    expect([messages, carriers[0]?.sent]).toEqual([[], 0]);
  });

  test("as events of OCSF, by class", async () => {
    const log = await openLog();
    const path = join(makeTempFolder(), "out.jsonl");
    log.judged(call("1"));
    log.note({ type: "person.refused", text: "not today", principal: "bob@idp.example.com" });
    log.note({ type: "person.ended", text: "by Ada", principal: "bob@idp.example.com" });
    await log.flush();
    await (await carry(log, { to: "file", path, format: "ocsf" })).close();
    const [opened, api, login, account] = linesOf(readFileSync(path, "utf8"));
    expect(opened).toMatchObject({ class_uid: 0, category_uid: 0, type_uid: 99 });
    expect(api).toMatchObject({
      ...{ class_uid: 6003, category_uid: 6, activity_id: 99, type_uid: 600_399, status_id: 2 },
      metadata: { version: "1.3.0", uid: expect.stringMatching(/^[0-9a-f]{64}$/), product: { name: "Toolcrib" } },
      actor: { user: { uid: "ann@idp.example.com" }, app_name: "tester", session: { uid: "s" } },
      api: { operation: "github/echo", service: { name: "github" }, request: { uid: "1" } },
      src_endpoint: { name: "tester" },
    });
    expect(login).toMatchObject({ class_uid: 3002, activity_id: 1, type_uid: 300_201, status_id: 2 });
    expect(login).toMatchObject({ user: { uid: "bob@idp.example.com" }, message: "not today" });
    expect(account).toMatchObject({ class_uid: 3001, activity_id: 5, type_uid: 300_105, status_id: 1 });
  });
});

test("rows wait in the log's files while nobody takes them; what is deleted before shows as a gap", async () => {
  const bodies: string[] = [];
  const status = { now: 200 };
  const { origin } = await listen((_, response, body) => {
    if (status.now === 200) bodies.push(body);
    response.writeHead(status.now).end();
  });
  const log = await openLog(undefined, 20_000);
  const place: Written = { to: "https", url: `${origin}/` };
  log.note({ type: "config.reloaded", text: "first" });
  await log.flush();
  await (await carry(log, place)).close();
  // Four full files are kept; there are more.
  for (let at = 0; at < 600; at += 1) {
    log.note({ type: "config.reloaded", text: `row ${at} ${"x".repeat(200)}` });
    if (at % 20 === 19) await log.flush();
  }
  await log.close();
  const { carriers, close } = await carry(log, place);
  await vi.waitFor(() => expect(bodies.join("")).toContain("log.closed"), 20_000);
  await close();
  const rows = linesOf(bodies.join(""));
  const gap = rows.findIndex(({ type }) => type === "export.gap");
  expect(rows.slice(0, gap).map(({ text }) => text)).toEqual(["Toolcrib began to write", "first"]);
  expect(rows[gap]).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{64}$/), type: "export.gap" });
  // From there to the end nothing is missing, and what is missing is counted.
  const rest = rows.slice(gap).filter(({ type }) => type !== "export.gap");
  const numbers = rest.map(({ seq = -1 }) => seq);
  expect(numbers).toEqual(numbers.map((_, at) => (numbers[0] ?? 0) + at));
  expect(carriers[0]?.lost).toBe((numbers[0] ?? 0) - 2);
});
