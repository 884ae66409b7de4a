import { setFlagsFromString } from "node:v8";
import { compileLate } from "../../copilot/late-compiler.ts";
import { loadKept } from "../guard/kept-code.ts";

type Runtime = Pick<typeof import("../../copilot/copilot-server.ts"), "serveCopilot" | "hasHadTurn">;

/** Milliseconds until a look at whether there was a turn, and so between two of them. */
const LOOK_AFTER = 2_000;
/** Milliseconds after which most of Node's own modules are loaded, and long before V8 throws away what it has compiled. */
const LOADED_AFTER = 500;

/** Those that a first session needs. */
const OF_NODE = [
  "async_hooks",
  "child_process",
  "crypto",
  "events",
  "fs",
  "fs/promises",
  "net",
  "os",
  "perf_hooks",
  "stream",
  "stream/promises",
  "string_decoder",
  "timers/promises",
  "url",
  "util",
  "v8",
  "vm",
  "zlib",
];

/**
 * Loads what serves clients of the Copilot SDK with what V8 has compiled of it in an earlier process: a first session mostly
 * waited for that. A process that finds nothing keeps it once it has had a turn.
 */
export function requireRuntime(file: string): Pick<Runtime, "serveCopilot"> {
  // V8 takes what came compiled with Node only while it has the options of others.
  for (const name of OF_NODE) process.getBuiltinModule(name);
  compileLate();
  const { exports, keep } = loadKept(file);
  const runtime = exports as Runtime; // The build makes it of that file.
  if (keep === null) return runtime;
  // What ran only at the start is to be kept too, by a V8 that has the same options as those for whom it is.
  const keepAll = setTimeout(() => setFlagsFromString("--no-flush-bytecode"), LOADED_AFTER).unref();
  let isKept = false;
  const look = (): void => {
    if (isKept || !runtime.hasHadTurn()) return;
    isKept = true;
    clearInterval(timer);
    clearTimeout(keepAll);
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
