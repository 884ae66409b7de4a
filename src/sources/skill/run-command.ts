import { type ToolResult, toToolResult } from "../../core/call/tool-result.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { buildChildEnv } from "../../system/process/child-env.ts";
import { createOutputBuffer } from "../../system/process/output-buffer.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import { cleanOutput } from "../../system/text/clean-text.ts";
import type { Host } from "../host.ts";
import { CANCELLED, failure } from "../parts/results.ts";

/** The part of a host that a skill's tools need. */
export type SkillHost = Pick<Host, "env" | "workspace" | "wrapLaunch">;

export interface SkillCommand {
  readonly argv: readonly string[];
  /** The skill's own folder; the command starts there. */
  readonly folder: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly host: SkillHost;
  readonly signal: AbortSignal;
}

const OUTPUT = { head: 512 * 1024, tail: 512 * 1024 } as const;
const COMPLAINTS = { head: 0, tail: 4 * 1024 } as const;

/** Runs a command with its input as JSON on standard input. Resolves when it, and everything it started, has ended. */
export async function runCommand({ argv, folder, input, host, signal }: SkillCommand): Promise<ToolResult> {
  const output = createOutputBuffer(OUTPUT);
  const complaints = createOutputBuffer(COMPLAINTS);
  const place = { TOOLCRIB_SKILL: folder, ...(host.workspace === null ? {} : { TOOLCRIB_WORKSPACE: host.workspace }) };
  try {
    const launch = await host.wrapLaunch({ argv, cwd: folder, env: buildChildEnv(host.env, place) });
    const child = await spawnProcess({
      ...launch,
      stdin: "pipe",
      onStdout: output.push,
      onStderr: complaints.push,
      signal,
    });
    // A command that needs no input may end before it reads any.
    void child.write(`${JSON.stringify(input)}\n`).catch(() => {});
    child.end();
    const { code, signal: killedBy } = await child.exited;
    await child.ended;
    if (signal.aborted) return CANCELLED;
    const text = cleanOutput(output.take(true).text);
    if (code === 0) return toResult(text);
    const why = killedBy === null ? `ended with code ${code}` : `was ended by ${killedBy}`;
    const message = cleanOutput(complaints.take(true).text).trim() || text.trim();
    return failure(`The command ${why}.${message === "" ? "" : `\n${message}`}`, `${argv[0]} ${why}`);
  } catch (error) {
    if (signal.aborted) return CANCELLED;
    if (!isToolcribError(error)) throw error;
    return failure(`The command could not be run: ${error.message}`);
  }
}

/** Plain text, or a whole result as JSON for a command that returns more. */
function toResult(text: string): ToolResult {
  if (text.trim() === "") return toToolResult("The command ended without output.");
  if (!text.trimStart().startsWith("{")) return toToolResult(text);
  try {
    const value: unknown = JSON.parse(text);
    return toToolResult(isRecord(value) && typeof value.textResultForLlm === "string" ? value : text);
  } catch {
    return toToolResult(text);
  }
}
