import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { HOOK_CLIENTS, type HookClientName } from "../../src/surfaces/guard/hook-clients.ts";
import { ensureBuilt, finish } from "../support/built-cli.ts";
import { readsNo } from "../support/client-reads.ts";
import { createGuarded } from "../support/guarded-machine.ts";
import { leftBehind } from "../support/left-behind.ts";
import { letTimePass } from "../support/poll.ts";

beforeAll(ensureBuilt);

const RULES = 'permissions:\n  deny: ["Bash(rm:*)"]\n';
const CLIENTS = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.

type Guarded = ReturnType<typeof createGuarded>;

/** Something that answers at a socket where hooks ask, as no Toolcrib would. */
interface Impostor {
  readonly says: string | null;
  /** Ends the connection; else it stays open without a further word. */
  readonly ends: boolean;
}

type Fault =
  | { readonly kind: "none" | "stale socket" | "broken policy" | "full disk" | "no log" | "no program" | "no tools" }
  | { readonly kind: "impostor"; readonly impostor: Impostor }
  | { readonly kind: "cut script" | "kill"; readonly at: number }
  /** Other bytes in the place of what was kept, or one that has changed. */
  | { readonly kind: "corrupt cache"; readonly bytes: string; readonly isWhole: boolean; readonly at: number };

const WHOLE = "HTTP/1.1 200 OK\r\nContent-Length: 25\r\nConnection: close\r\n\r\ntoolcrib 0\n\ntoolcrib end\n";

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc
    .constantFrom(
      ...(["none", "stale socket", "broken policy", "full disk", "no log", "no program", "no tools"] as const),
    )
    .map((kind) => ({ kind })),
  fc
    .record({
      says: fc.option(
        fc.oneof(
          fc.string(),
          // Less than the whole of an answer that would be a yes.
          fc.integer({ min: 0, max: WHOLE.length - 2 }).map((end) => WHOLE.slice(0, end)),
          fc.constant("HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"),
          fc.constant("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
          fc.constant("HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\ntoolcrib 0\n"),
        ),
      ),
      ends: fc.boolean(),
    })
    .map((impostor) => ({ kind: "impostor" as const, impostor })),
  fc.record({
    kind: fc.constantFrom("cut script" as const, "kill" as const),
    at: fc.double({ min: 0, max: 0.99, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant("corrupt cache" as const),
    bytes: fc.string(),
    isWhole: fc.boolean(),
    at: fc.double({ min: 0, max: 0.99, noNaN: true }),
  }),
);

/** The same command, as each client says it. */
function toEvent(client: HookClientName, command: string, cwd: string): string {
  const { event } = HOOK_CLIENTS[client];
  const forms = {
    claude: {
      hook_event_name: "PreToolUse",
      cwd,
      tool_name: client === "gemini-cli" || client === "qwen-code" ? "run_shell_command" : "Bash",
      tool_input: { command },
    },
    copilot: { sessionId: "s", cwd, toolName: "bash", toolArgs: { command } },
    opencode: { sessionID: "s", directory: cwd, tool: "bash", args: { command } },
    cursor: { hook_event_name: "beforeShellExecution", workspace_roots: [cwd], command, cwd: "" },
    windsurf: { agent_action_name: "pre_run_command", tool_info: { cwd, command_line: command } },
    cline: {
      hookName: "PreToolUse",
      workspaceRoots: [cwd],
      preToolUse: { toolName: "execute_command", parameters: { command } },
    },
  } as const;
  return JSON.stringify(forms[event]);
}

test("whatever fails, what the line leaves is a no to its client where a deny rule is about the call", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CLIENTS), faults, fc.string(), async (client, fault, more) => {
      const command = `rm -rf y; echo '${more.replaceAll("'", "").replaceAll("\0", "")}'`;
      const end = await runWith(fault, client, command);
      expect({ ...end, isNo: readsNo(client, end) }).toMatchObject({ isNo: true });
    }),
    { numRuns: 25, endOnFailure: true },
  );
}, 400_000);

async function runWith(fault: Fault, client: HookClientName, command: string) {
  const program = fault.kind === "no program" ? ["/nowhere/toolcrib"] : undefined;
  const machine = createGuarded(RULES, program);
  const before = await bring(fault, machine);
  const started = performance.now();
  const child = machine.start(client, toEvent(client, command, machine.cwd), { before });
  const ending = finish(child);
  if (fault.kind === "kill" && child.pid !== undefined) await killOne(child.pid, fault.at, machine.home);
  const { status, out } = await ending;
  return { status, out, seconds: (performance.now() - started) / 1_000 };
}

/** Makes it happen; returns what the shell does before the line. */
async function bring(fault: Fault, { script, folder, home, write, ask }: Guarded): Promise<string> {
  switch (fault.kind) {
    case "stale socket": {
      const server = await listen(join(folder, "one.sock"), () => {});
      renameSync(join(folder, "one.sock"), join(folder, `${process.pid}.sock`));
      await new Promise((resolve) => server.close(resolve));
      return "";
    }
    case "impostor": {
      const { says, ends } = fault.impostor;
      await listen(join(folder, `${process.pid}.sock`), (server) =>
        server.on("connection", (socket) => {
          socket.on("error", () => undefined);
          socket.resume();
          if (says !== null) socket.write(says);
          if (ends) socket.end();
        }),
      );
      return "";
    }
    case "broken policy":
      write("user", "permissions: [\n");
      return "";
    case "full disk":
      return "ulimit -f 0; ";
    case "no log":
      writeFileSync(join(home, ".local", "state", "toolcrib", "audit"), "");
      return "";
    case "no tools":
      return "PATH=; ";
    case "cut script": {
      const text = readFileSync(script, "utf8");
      writeFileSync(script, text.slice(0, Math.floor(text.length * fault.at)));
      return "";
    }
    case "corrupt cache": {
      // What one hook keeps, the next one reads: the policy, and what V8 has compiled of the commands; with the second, of its part.
      const kept = join(folder, "kept");
      const list = () => (existsSync(kept) ? readdirSync(kept) : []);
      // On a busy machine one may be out of time.
      for (let round = 0; round < 6 && list().length < 3; round++) await ask("make all");
      const names = list();
      expect(names).toHaveLength(3);
      for (const name of names) {
        const path = join(kept, name);
        const bytes = fault.isWhole ? Buffer.from(fault.bytes) : spoil(readFileSync(path), fault.at);
        writeFileSync(path, bytes);
      }
      return "";
    }
    default:
      return "";
  }
}

function spoil(bytes: Buffer, at: number): Buffer {
  const place = Math.floor(bytes.length * at);
  bytes[place] = (bytes[place] ?? 0) ^ 0xff;
  return bytes;
}

/** Any process but the client's own shell, at any moment. */
async function killOne(shell: number, at: number, home: string): Promise<void> {
  await letTimePass(at * 400);
  const others = leftBehind(home)
    .map(Number)
    .filter((pid) => pid !== shell);
  const victim = others[Math.floor(at * 1_000) % others.length];
  if (victim !== undefined) process.kill(victim, "SIGKILL");
}

async function listen(path: string, prepare: (server: Server) => void): Promise<Server> {
  const server = createServer();
  prepare(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return server;
}
