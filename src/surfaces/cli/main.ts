import { isClientStart } from "../copilot/wire/flags.ts";
import { loadInspector } from "./clients/load-inspector.ts";
import { isPlainQuestion } from "./running/questions.ts";
import { createProcessIo, type Io } from "./terminal/io.ts";

/** Runs one command line in this process; resolves to the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  if (isClientStart(argv)) {
    // Clients start it as they start another program, and wait for its first answer.
    const { serveCopilot } = await import("../copilot/copilot-server.ts");
    return serveCopilot(argv, loadInspector);
  }
  const io = createProcessIo();
  const status = isPlainQuestion(argv, io.env) ? await askFirst(argv, io) : await askJudge(argv, io);
  if (status !== null) return status;
  if (argv.some((arg) => arg === "--world" || arg.startsWith("--world="))) {
    const { runWorld } = await import("./run-world.ts");
    return runWorld(argv, io);
  }
  const { run } = await import("./run.ts");
  return run(argv, io);
}

/** A running Toolcrib answers before the commands are even loaded. Where it cannot, the command itself says why. */
async function askFirst(argv: readonly string[], io: Io): Promise<number | null> {
  try {
    const { askRunning } = await import("./running/ask-running.ts");
    return await askRunning(argv, io, { say: () => {}, debug: () => {} });
  } catch (error) {
    const { printFailure } = await import("./run.ts");
    return printFailure(error, argv, io);
  }
}

/** Clients wait for a hook before each call, so one that runs answers before anything else is loaded. */
async function askJudge(argv: readonly string[], io: Io): Promise<number | null> {
  if (argv[0] !== "hook") return null;
  const { askJudges } = await import("./guard/ask-judges.ts");
  const status = await askJudges(argv, io);
  if (status !== null) return status;
  const { judgeAlone } = await import("./guard/judge-alone.ts");
  return judgeAlone(argv, io);
}
