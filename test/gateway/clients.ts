import { PassThrough } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { AtEnd } from "../support/share.ts";

export type ClientEra = "legacy" | "modern";

interface Told {
  readonly logs: unknown[];
  readonly asked: string[];
}

export interface ConnectedClient {
  readonly client: Client;
  /** What the client was told and asked. */
  readonly told: Told;
}

export interface ConnectOptions {
  readonly token?: string;
  readonly name?: string;
  /** What the user of the client says to forms; absent: the client shows none. */
  readonly form?: (message: string) => { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };
  readonly canSample?: boolean;
  readonly roots?: readonly string[];
  /** Keeps what closes it, where several tests use it; it is closed with the test if absent. */
  readonly atEnd?: AtEnd;
  readonly onList?: (what: "tools" | "prompts" | "resources") => void;
}

/** The official client of either era, over HTTP. */
export async function connect(url: string, era: ClientEra, options: ConnectOptions = {}): Promise<ConnectedClient> {
  const { form, canSample = false, roots, onList } = options;
  const told: Told = { logs: [], asked: [] };
  const changed = (what: "tools" | "prompts" | "resources") => ({
    autoRefresh: false,
    onChanged: () => onList?.(what),
  });
  const client = new Client(
    { name: options.name ?? "test", version: "1" },
    {
      versionNegotiation: era === "legacy" ? { mode: "legacy" } : { mode: { pin: "2026-07-28" } },
      capabilities: {
        ...(form === undefined ? {} : { elicitation: { form: {} } }),
        ...(canSample ? { sampling: {} } : {}),
        ...(roots === undefined ? {} : { roots: { listChanged: true } }),
      },
      ...(onList === undefined
        ? {}
        : {
            listChanged: { tools: changed("tools"), prompts: changed("prompts"), resources: changed("resources") },
          }),
    },
  );
  if (form !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      told.asked.push(params.message);
      return form(params.message);
    });
  if (canSample)
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      told.asked.push(params.systemPrompt ?? "");
      return { role: "assistant", model: "m", content: { type: "text", text: "sampled" } };
    });
  if (roots !== undefined)
    client.setRequestHandler("roots/list", () => {
      told.asked.push("roots");
      return { roots: roots.map((uri) => ({ uri })) };
    });
  client.setNotificationHandler("notifications/message", ({ params }) => void told.logs.push(params.data));
  const headers = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  (options.atEnd ?? onTestFinished)(() => client.close());
  return { client, told };
}

/** What a tool said, as text. */
export function textOf(result: unknown): string {
  const { content } = result as { content: { text?: string }[] }; // Results of tools have content.
  return content.map(({ text }) => text ?? "").join("\n");
}

/** A client that is only as much of one as a test wants: it writes lines and waits for what comes back. */
export interface LineClient {
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** What is no answer to a request. */
  readonly received: Record<string, unknown>[];
  send(message: object): void;
  /** The first message that fits, also one that came already. */
  next(fits: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  request(id: string | number, method: string, params?: object): Promise<Record<string, unknown>>;
}

export function createLineClient(): LineClient {
  const input = new PassThrough();
  const output = new PassThrough();
  const received: Record<string, unknown>[] = [];
  const answers = new Map<unknown, (answer: Record<string, unknown>) => void>();
  const waiting = new Set<() => void>();
  let rest = "";
  const take = (message: Record<string, unknown>): void => {
    const settle = message.method === undefined ? answers.get(message.id) : undefined;
    answers.delete(message.id);
    if (settle === undefined) received.push(message);
    settle?.(message);
    for (const look of [...waiting]) look();
  };
  output.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(JSON.parse(line));
  });
  const send = (message: object) => void input.write(`${JSON.stringify(message)}\n`);
  return {
    input,
    output,
    received,
    send,
    next: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          const found = received.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    request: (id, method, params = {}) =>
      new Promise((resolve) => {
        answers.set(id, resolve);
        send({ jsonrpc: "2.0", id, method, params });
      }),
  };
}
