import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import type { PermissionHandler } from "../../src/runtime/permissions/permission-request.ts";
import { createSession } from "../../src/runtime/session/library.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import type { Session } from "../../src/runtime/session/public-session.ts";
import { openThreads, type Threads } from "../../src/sources/code/threads.ts";

/** A session whose tools are called from code, and what ran in it. */
export interface CodeSession {
  readonly session: Session;
  /** Runs code, and gives what the model would read. */
  run(code: string): Promise<string>;
  /** Which tools really ran, with their arguments. */
  readonly ran: readonly string[];
}

const NUMBER = { type: "number" };

/** `custom.add`, `custom.wipe` and others; `allow` and the rest of the options say what may run. */
export async function openCodeSession(options: SessionOptions = {}, handler?: PermissionHandler): Promise<CodeSession> {
  const opened = await open(options, handler);
  onTestFinished(() => opened.session.close());
  return opened;
}

/** One session for all tests of a file. */
export function shareCodeSession(handler: PermissionHandler): () => CodeSession {
  let opened: CodeSession | null = null;
  beforeAll(async () => {
    opened = await open({}, handler);
  });
  afterAll(() => opened?.session.close());
  return () => opened ?? expect.fail("no session is open");
}

async function open(options: SessionOptions, handler?: PermissionHandler): Promise<CodeSession> {
  const ran: string[] = [];
  const make = (name: string, parameters: Record<string, object>, work: (args: Record<string, unknown>) => unknown) =>
    defineTool(name, {
      description: `Tool ${name} of the test`,
      parameters: { type: "object", properties: parameters, required: Object.keys(parameters) },
      handler: async (args: Record<string, unknown>) => {
        ran.push(`${name} ${JSON.stringify(args)}`);
        return work(args);
      },
    });
  const session = await createSession({
    workspace: null,
    code: "on",
    permissions: { allow: ["add", "echo", "fail"], deny: ["forbidden"], hostTools: "ask" },
    excludedTools: ["secret"],
    tools: [
      make("add", { a: NUMBER, b: NUMBER }, ({ a, b }) => String(Number(a) + Number(b))),
      make("echo", { value: {} }, ({ value }) => JSON.stringify(value)),
      make("fail", {}, () => ({ textResultForLlm: "It broke.", resultType: "failure" })),
      make("wipe", { what: { type: "string" } }, () => "wiped"),
      make("secret", {}, () => "the secret"),
      make("forbidden", {}, () => "forbidden"),
    ],
    ...(handler === undefined ? {} : { onPermissionRequest: handler }),
    ...options,
  });
  return {
    session,
    ran,
    run: async (code) => (await session.call("run_code", { code })).textResultForLlm,
  };
}

/** One thread for all tests of a file, for each session would start its own and end it. */
export function shareThread(): void {
  let threads: Threads | null = null;
  beforeAll(() => {
    threads = openThreads();
  });
  afterAll(() => threads?.close());
}

/** Code that has looked up these before it goes on, on its first line. */
export function knowing(names: readonly string[], code: string): string {
  return `${names.map((name) => `await tools.describe("custom.${name}");`).join(" ")} ${code}`;
}
