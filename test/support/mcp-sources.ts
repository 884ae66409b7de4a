import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Tool } from "../../src/core/tool/tool.ts";
import type { McpLimits } from "../../src/sources/mcp/limits.ts";
import { createMcpSource, type McpSource } from "../../src/sources/mcp/mcp-source.ts";
import type { McpSourceOptions } from "../../src/sources/mcp/server-parts.ts";
import type { McpServerSpec } from "../../src/sources/mcp/server-spec.ts";
import type { PeerClient, PeerQuestion } from "../../src/sources/peer.ts";
import type { RunContext, SourceState } from "../../src/sources/source.ts";
import { oneFile } from "./one-file.ts";
import type { AtEnd } from "./share.ts";

const require = createRequire(import.meta.url);

const PACKAGED = {
  everything: require.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
  filesystem: require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
  memory: require.resolve("@modelcontextprotocol/server-memory/dist/index.js"),
  thinking: fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-sequential-thinking/dist/index.js")),
  time: fileURLToPath(import.meta.resolve("time-mcp")),
} as const;

/** The script of a server package, as npm installs it. */
export function publishedServer(name: keyof typeof PACKAGED): string {
  return PACKAGED[name];
}

/** The same server, sooner started. */
export function packagedServer(name: keyof typeof PACKAGED): string {
  return oneFile(publishedServer(name));
}

/** Starts the server of the test suite that does whatever it is told. */
export function misbehaving(...orders: readonly string[]): McpServerSpec {
  const script = fileURLToPath(new URL("../fixtures/misbehaving-server.cjs", import.meta.url));
  return { command: process.execPath, args: [script, ...orders] };
}

const CURIOUS = fileURLToPath(new URL("../fixtures/curious-server.mjs", import.meta.url));

/** Starts the server of the test suite that asks its clients things. */
export function curious(...orders: readonly string[]): McpServerSpec {
  return { command: process.execPath, args: [oneFile(CURIOUS), ...orders] };
}

/** A client that answers every question at once, and keeps what it was asked and told. */
export interface TestClient extends PeerClient {
  readonly asked: PeerQuestion[];
  readonly told: [string, Readonly<Record<string, unknown>>][];
}

export function testClient(id: string, given: Partial<PeerClient> = {}): TestClient {
  const asked: PeerQuestion[] = [];
  const told: [string, Readonly<Record<string, unknown>>][] = [];
  return {
    id,
    capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} },
    asked,
    told,
    notify: (method, params) => void told.push([method, params]),
    async ask(questions) {
      asked.push(...questions.values());
      return new Map([...questions].map(([key, { method }]) => [key, { kind: "result", result: replyOf(method, id) }]));
    },
    ...given,
  };
}

function replyOf(method: PeerQuestion["method"], id: string): Readonly<Record<string, unknown>> {
  switch (method) {
    case "elicitation/create":
      return { action: "accept", content: { name: id } };
    case "roots/list":
      return { roots: [{ uri: `file:///${id}` }] };
    case "sampling/createMessage":
      return { role: "assistant", model: id, content: { type: "text", text: "hm" } };
  }
}

interface Given extends Partial<Omit<McpSourceOptions, "server" | "limits">> {
  readonly limits?: Partial<McpLimits>;
  /** Where what closes the source is left; without it, it closes when the test ends. */
  readonly atEnd?: AtEnd;
}

/** Milliseconds: only a test that fails waits that long. */
const PATIENCE = 110_000;

/** A source that is closed when the test ends, if not before. */
export function openSource(server: McpServerSpec, given: Given = {}): McpSource {
  const { limits, atEnd = onTestFinished, ...rest } = given;
  const source = createMcpSource({
    name: "it",
    cwd: process.cwd(),
    env: process.env,
    ...rest,
    server,
    // In real time a busy machine may be slow to start a process; on a given clock the defaults hold.
    limits: {
      grace: 100,
      ...(rest.clock === undefined ? { startTimeout: PATIENCE, probeTimeout: PATIENCE, callWait: PATIENCE } : {}),
      ...limits,
    },
  });
  atEnd(() => source.close());
  return source;
}

/** Resolves when the source is in that state, which it may be already. */
export function reaches(source: McpSource, ...states: readonly SourceState[]): Promise<void> {
  return happens(source, () => states.includes(source.status.state));
}

/** Resolves when the condition holds after a change of the source, or holds already. */
export function happens(source: McpSource, holds: () => boolean): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = source.changes(() => {
      if (!holds()) return;
      stop();
      resolve();
    });
  });
}

export function runContext(given: Partial<RunContext> = {}): RunContext {
  return { sessionId: "s", toolCallId: "c", signal: new AbortController().signal, ...given };
}

/** The source's tool of that name, once it is listed. */
export async function toolOf(source: McpSource, name: string): Promise<Tool> {
  const tools = await source.list(new AbortController().signal);
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}: ${JSON.stringify(source.status)}`);
  return tool;
}

/** Calls a tool by name, as soon as the source lists it. */
export async function call(
  source: McpSource,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  context: RunContext = runContext(),
) {
  return source.run(await toolOf(source, name), args, context);
}
