import { escapeText, writeLines } from "../../../system/text/escape-text.ts";
import { readVersion } from "../../../system/version.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { OptionName } from "../command-line/options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { findWorkspace, keyOfHere, type Reached, reach } from "../running/find-running.ts";
import { type DetachedStart, reachOrStart } from "../running/start-detached.ts";
import { formatSpan } from "../terminal/format-span.ts";
import type { Io } from "../terminal/io.ts";
import { canRewrite, showProgress } from "../terminal/progress-line.ts";
import { shownFolder } from "../terminal/shown-file.ts";
import type { RunningStatus } from "./local-ports.ts";

const PASSED: readonly OptionName[] = [
  ...["config", "agent", "model", "mode", "include", "exclude", "port", "host", "audit", "idle", "log-level"],
] as readonly OptionName[]; // All of them are options of `up`.
const SWITCHES: readonly OptionName[] = ["allow-remote", "no-audit"];

/**
 * `toolcrib up --detach`: in the background, and done when it answers. One that runs already is as good; if a client
 * started it, it stays from now on.
 */
export async function runDetached(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const workspace = await findWorkspace(input);
  const { places, key } = await keyOfHere(input);
  const argv = [
    ...PASSED.flatMap((name) => args.values(name).map((value) => `--${name}=${value}`)),
    ...SWITCHES.filter((name) => args.has(name)).map((name) => `--${name}`),
  ];
  const before = await findBefore(input, places, key);
  const start = { places, key, cwd: io.cwd, argv, env: io.env };
  const { answer, socket } = before ?? (await startInSight(start, workspace, io));
  socket.destroy();
  const isNew = before === null;
  const { pid, version, address, token, idle } = answer;
  const endpoint = address === null ? null : `${address}/mcp`;
  const lines = [
    isNew
      ? `Toolcrib ${version} runs for ${shownFolder(workspace, io)} in the background (process ${pid}).`
      : `Toolcrib ${version} runs for ${shownFolder(workspace, io)} already (process ${pid}).`,
    ...(address === null
      ? []
      : [`  Inspector  ${address}/#token=${encodeURIComponent(token)}`, `  Endpoint   ${endpoint}`]),
    `"toolcrib status" shows it. It runs until "toolcrib down"${idle === null ? "" : `, or until it had no clients for ${formatSpan(idle)}`}.`,
  ];
  printAnswer(input, { version, pid, workspace, isNew, address, endpoint }, () => writeLines(lines));
  return 0;
}

async function findBefore(
  { args }: CommandInput,
  places: DetachedStart["places"],
  key: string,
): Promise<Reached<RunningStatus> | null> {
  const before = await reach<RunningStatus>(places, key, { ask: "status" });
  // One of another version may not know what it is asked.
  if (before === null || before.answer.idle === null || args.has("idle") || before.answer.version !== readVersion())
    return before;
  before.socket.destroy();
  return reach<RunningStatus>(places, key, { ask: "keep" });
}

/** Reading a configuration and opening the store may take seconds on a busy machine, and silence looks like a fault. */
async function startInSight(start: DetachedStart, workspace: string, io: Io): Promise<Reached<RunningStatus>> {
  const text = `starting Toolcrib for ${shownFolder(workspace, io)} in the background`;
  if (!canRewrite(io)) io.err(`toolcrib: ${escapeText(text)}\n`);
  const endProgress = showProgress(io, () => text);
  try {
    return await reachOrStart<RunningStatus>(start, { ask: "status" });
  } finally {
    endProgress();
  }
}
