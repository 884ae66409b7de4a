import { pathToFileURL } from "node:url";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import { createOutputBuffer } from "../../../system/process/output-buffer.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { CLIENT_SECONDS } from "../../guard/hook-line.ts";
import { isProbed, readNo, sampleEvent } from "../../guard/probe.ts";

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
export type AskedGuard = { readonly line: string } | { readonly file: string };

/** Gives an installed guard a call of its client, exactly as the client would, and reads the answer as it would. */
export async function runProbe(client: HookClientName, asked: AskedGuard, place: ProbePlace): Promise<ProbeOutcome> {
  const started = performance.now();
  const answer = await start(client, asked, place).catch((error: unknown) => ({
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
  asked: AskedGuard,
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

function toArgv(client: HookClientName, asked: AskedGuard): readonly string[] {
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
