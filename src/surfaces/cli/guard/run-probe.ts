import { pathToFileURL } from "node:url";
import { valueAt } from "../../../config/edit/edit-json.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import { createOutputBuffer } from "../../../system/process/output-buffer.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import { readVersion } from "../../../system/version.ts";
import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { fieldsOf } from "../../guard/hook-event.ts";
import { CLIENT_SECONDS } from "../../guard/hook-line.ts";
import { isProbed, readNo, sampleEvent } from "../../guard/probe.ts";
import { BIN } from "../running/own-program.ts";

/** What came of asking an installed guard. */
export interface ProbeOutcome {
  /** `refuses`: it says no to everything, for the reason it gives. `open`: the client takes its answer for a yes. */
  readonly state: "answers" | "refuses" | "open";
  /** Milliseconds. */
  readonly took: number;
  readonly said: string;
}

interface ProbePlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a client starts: a line for the shell, or a file of its own kind. */
export type AskedGuard =
  | { readonly line: string }
  | { readonly file: string }
  /** A server that the client is connected to, by the name in its files. */
  | { readonly server: string };

/** Gives an installed guard a call of its client, exactly as the client would, and reads the answer as it would. */
export async function runProbe(client: HookClientName, asked: AskedGuard, place: ProbePlace): Promise<ProbeOutcome> {
  const started = performance.now();
  const asking = "server" in asked ? askByTool(client, place) : start(client, asked, place);
  const answer = await asking.catch((error: unknown) => ({
    ...{ out: "", status: -1 },
    err: error instanceof Error ? error.message : String(errnoOf(error)),
  }));
  const took = Math.round(performance.now() - started);
  const no = answer === null ? null : readNo(client, answer);
  if (answer === null) return { state: "open", took, said: `it did not answer within ${CLIENT_SECONDS} s` };
  if (no !== null) return { state: isProbed(no) ? "answers" : "refuses", took, said: no };
  const said =
    answer.err.trim() === "" ? `its answer was ${JSON.stringify(answer.out.slice(0, 80))}` : answer.err.trim();
  return { state: "open", took, said: `status ${answer.status}: ${said}` };
}

/** Null: it took so long that the client would have gone on. */
async function start(
  client: HookClientName,
  asked: Exclude<AskedGuard, { readonly server: string }>,
  { cwd, env }: ProbePlace,
): Promise<ClientAnswer | null> {
  const out = createOutputBuffer({ head: LONGEST, tail: 0 });
  const err = createOutputBuffer({ head: LONGEST, tail: 0 });
  const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const late = AbortSignal.timeout(CLIENT_SECONDS * 1_000);
  const child = await spawnProcess({
    argv: toArgv(client, asked),
    cwd,
    // As a client does.
    env: Object.fromEntries(known),
    stdin: "pipe",
    onStdout: out.push,
    onStderr: err.push,
    signal: late,
  });
  // One that ends without reading has answered all the same.
  await child.write(JSON.stringify(sampleEvent(client, cwd))).catch(() => undefined);
  child.end();
  const { code } = await child.exited;
  await child.ended;
  if (late.aborted) return null;
  return { out: out.take(true).text, err: err.take(true).text, status: code ?? -1 };
}

const LONGEST = 64 * 1024;

/** As the client would: over a connection of its own to the Toolcrib of this folder, which starts where none runs. */
async function askByTool(client: HookClientName, { cwd, env }: ProbePlace): Promise<ClientAnswer | null> {
  const known = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const late = AbortSignal.timeout(CLIENT_SECONDS * 1_000);
  let rest = "";
  let said: ClientAnswer | null = null;
  const child = await spawnProcess({
    argv: [process.execPath, BIN, "connect"],
    cwd,
    env: Object.fromEntries(known),
    stdin: "pipe",
    onStdout: (chunk) => {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) said ??= readToolAnswer(line);
      if (said !== null) child.end();
    },
    onStderr: () => {},
    signal: late,
  });
  const { session_id, tool_name, tool_input } = fieldsOf(sampleEvent(client, cwd)) ?? {};
  const input = { client, tool: tool_name, input: tool_input, cwd, session: session_id, call: "" };
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: client, version: readVersion() },
  };
  for (const message of [
    { id: 1, method: "initialize", params: hello },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name: "judge", arguments: input } },
  ])
    await child.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  await child.exited;
  return said;
}

/** Null: it is no answer to the call. */
function readToolAnswer(line: string): ClientAnswer | null {
  const message = parseJson(line);
  if (valueAt(message, ["id"]) !== 2) return null;
  const text = valueAt(message, ["result", "content", 0, "text"]);
  if (typeof text === "string") return { out: text, err: "", status: 0 };
  return { out: "", err: `the server has no such tool: ${line.slice(0, 200)}`, status: 1 };
}

function toArgv(client: HookClientName, asked: Exclude<AskedGuard, { readonly server: string }>): readonly string[] {
  if ("line" in asked) return ["/bin/sh", "-c", asked.line];
  if (HOOK_CLIENTS[client].event !== "opencode") return [asked.file];
  return [process.execPath, "--input-type=module", "-e", RUN_PLUGIN, pathToFileURL(asked.file).href];
}

/** Does what opencode does with a plugin, and answers in the form of our own plain answers. */
const RUN_PLUGIN = `
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { directory, args, ...input } = JSON.parse(text);
for (const plugin of Object.values(await import(process.argv[1]))) {
  const hooks = await plugin({ directory });
  try {
    await hooks["tool.execute.before"]?.(input, { args });
  } catch (error) {
    console.log(JSON.stringify({ answer: "deny", reason: error.message }));
    break;
  }
}
`;
