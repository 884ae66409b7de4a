import { mainProfile } from "../../../runtime/crib/profile.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { readVersion } from "../../../system/version.ts";
import { createGateway } from "../../gateway/gateway.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { untilInterrupted } from "../command-line/until-interrupted.ts";
import { checkConnect } from "../running/check-connect.ts";
import { openFrontDoor } from "./front-door.ts";
import { followReloads, startCrib } from "./running-crib.ts";
import { askOnTerminal } from "./up-approvals.ts";

/** `toolcrib serve --stdio` or `--http`: the gateway alone. */
export async function runServe(input: CommandInput): Promise<number> {
  const { args } = input;
  if (args.has("stdio") === args.has("http")) throw usage("serve needs either --stdio or --http");
  return args.has("stdio") ? serveStdio(input) : serveHttp(input);
}

/** Nothing but the protocol goes to standard output. */
function serveStdio(input: CommandInput): Promise<number> {
  const { args, log } = input;
  const listening = ["port", "host", "allow-remote"] as const;
  const misfit = [...listening, "json" as const].find((name) => args.has(name));
  if (misfit !== undefined) throw usage(`--${misfit} has no effect with --stdio`);
  return untilInterrupted(input, async () => {
    const running = await startCrib(input, { isWatched: () => false, check: async (config) => checkConnect(config) });
    const gateway = createGateway(running.crib, {
      version: readVersion(),
      onNotice: log.debug,
      onError: log.failed,
    });
    log.notices(running.found.config.notices);
    followReloads(running, input);
    const ended = gateway.serveStdio({ input: process.stdin, output: process.stdout }, mainProfile("stdio"));
    return {
      ended,
      async close() {
        await running.close();
        await gateway.close();
      },
    };
  });
}

function serveHttp(input: CommandInput): Promise<number> {
  const { io, log } = input;
  return untilInterrupted(input, async () => {
    const door = await openFrontDoor(input, { isWatched: () => io.canAsk, isUp: false, idle: null });
    const { running, endpoint, token, isRemote } = door;
    printAnswer(input, { version: readVersion(), pid: process.pid, endpoint, token }, () =>
      writeLines([`Endpoint  ${endpoint}`, `Token     ${token}`]),
    );
    if (isRemote) io.err("Other machines can reach it at the address of this one, and nothing between is encrypted.\n");
    log.notices(running.found.config.notices);
    followReloads(running, input);
    if (io.canAsk) askOnTerminal(running.crib.approvals, io);
    return door;
  });
}
