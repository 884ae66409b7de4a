import { PassThrough } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { createCopilotServer } from "../../src/surfaces/copilot/copilot-server.ts";
import { openConnection } from "../../src/surfaces/copilot/wire/connection.ts";
import type { RpcFlags } from "../../src/surfaces/copilot/wire/flags.ts";
import { ownSurroundings } from "../../src/system/surroundings.ts";
import { SYSTEM_CLOCK } from "../../src/system/time/clock.ts";
import { offencesOf } from "./copilot-events.ts";

type Json = Record<string, unknown>;

export interface TestClient {
  request(method: string, params?: Json): Promise<Json>;
  /** Answers what the runtime asks. */
  readonly answers: Map<string, (params: Json) => unknown>;
  /** All events, in order. */
  readonly events: { readonly type: string; readonly data: Json; readonly id: string; readonly parentId: unknown }[];
  /** Resolves with the next event of that type, or one that came already and was not taken yet. */
  next(type: string): Promise<Json>;
  /** Bytes as they are. */
  sendRaw(text: string): void;
  readonly closed: Promise<void>;
  close(): void;
}

/** A runtime in this process, on a home folder of its own, and clients of it. */
export function startRuntime(
  home: string,
  cwd: string,
  env: Json = {},
  clock = SYSTEM_CLOCK,
  flags: Partial<RpcFlags> = {},
) {
  const notes: string[] = [];
  const own = { PATH: process.env.PATH, HOME: home, COPILOT_HOME: home };
  const around = { ...ownSurroundings(), cwd, clock, env: { ...own, ...env } };
  const server = createCopilotServer(
    { approvesAll: false, tokenVariable: null, ...flags },
    (text) => notes.push(text),
    around as Parameters<typeof createCopilotServer>[2],
  );
  onTestFinished(() => server.close());
  return { server, notes, connect: () => connect(server) };
}

function connect(server: ReturnType<typeof createCopilotServer>): TestClient {
  const up = new PassThrough();
  const down = new PassThrough();
  server.serve(up, down);
  const answers = new Map<string, (params: Json) => unknown>();
  const events: TestClient["events"] = [];
  const taken = new Set<object>();
  // Whatever a test is about: nothing that clients hear may be lost to a strict one.
  onTestFinished(() => expect(events.flatMap((event) => offencesOf({ ...event }))).toEqual([]));
  let wake: (() => void)[] = [];
  const connection = openConnection({
    input: down,
    output: up,
    onNote: () => {},
    onRequest: (_connection, method, params) => {
      const answer = answers.get(method);
      if (answer === undefined) throw new Error(`no answer to ${method}`);
      return answer(params);
    },
    onNotification: (method, params) => {
      if (method !== "session.event") return;
      events.push(params.event as TestClient["events"][number]);
      for (const go of wake) go();
      wake = [];
    },
  });
  return {
    request: (method, params = {}) => connection.request(method, params) as Promise<Json>,
    answers,
    events,
    async next(type) {
      for (;;) {
        const found = events.find((event) => event.type === type && !taken.has(event));
        if (found !== undefined) {
          taken.add(found);
          return found.data;
        }
        await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
    sendRaw: (text) => void up.write(text),
    closed: connection.closed,
    close: () => connection.cut(null),
  };
}

/** Answers all that is asked, as it comes; returns how to stop that. */
export function answerAll(client: TestClient, sessionId: string): () => void {
  const answered = new Set<unknown>();
  const look = () => {
    for (const { type, data } of client.events) {
      if (answered.has(data)) continue;
      const { requestId } = data;
      if (type === "permission.requested") {
        const result = { kind: "approve-once" };
        void client.request("session.permissions.handlePendingPermissionRequest", { sessionId, requestId, result });
      } else if (type === "external_tool.requested")
        void client.request("session.tools.handlePendingToolCall", { sessionId, requestId, result: "paid" });
      else if (type === "command.execute")
        void client.request("session.commands.handlePendingCommand", { sessionId, requestId });
      else if (type === "elicitation.requested")
        void client.request("session.ui.handlePendingElicitation", {
          sessionId,
          requestId,
          result: { action: "cancel" },
        });
      else continue;
      answered.add(data);
    }
  };
  const timer = setInterval(look, 5);
  return () => clearInterval(timer);
}
