import { setFlagsFromString } from "node:v8";
import { compileLate } from "../../copilot/late-compiler.ts";
import { loadKept } from "../guard/kept-code.ts";

type Runtime = Pick<typeof import("../../copilot/copilot-server.ts"), "serveCopilot" | "hasHadTurn">;

/** Milliseconds until a look at whether there was a turn, and so between two of them. */
const LOOK_AFTER = 2_000;

/**
 * Loads what serves clients of the Copilot SDK with what V8 has compiled of it in an earlier process: a first session mostly
 * waited for that. A process that finds nothing keeps it once it has had a turn.
 */
export function requireRuntime(file: string): Pick<Runtime, "serveCopilot"> {
  // What is kept counts for processes whose V8 has the same options.
  compileLate();
  const { exports, keep } = loadKept(file);
  const runtime = exports as Runtime; // The build makes it of that file.
  if (keep === null) return runtime;
  // What ran only at the start is to be kept too, by a V8 that has the options of others again.
  setFlagsFromString("--no-flush-bytecode");
  let isKept = false;
  const look = (): void => {
    if (isKept || !runtime.hasHadTurn()) return;
    isKept = true;
    clearInterval(timer);
    setFlagsFromString("--flush-bytecode");
    keep();
  };
  const timer = setInterval(look, LOOK_AFTER).unref();
  return {
    async serveCopilot(argv, inspect) {
      const status = await runtime.serveCopilot(argv, inspect);
      look();
      return status;
    },
  };
}
