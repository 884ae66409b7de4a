import { choice, flag, record } from "../shape/shape.ts";

/** A tool's effects as written in a configuration or a world. */
export const traitShape = record(
  {
    readOnly: flag({ about: "changes nothing" }),
    concurrencySafe: flag({ about: "may run at the same time as other calls; by default as `readOnly`" }),
    idempotent: flag({ about: "a second call with the same input changes nothing more" }),
    interrupt: choice(["cancel", "finish"], { about: "what an interrupt does to a running call" }),
    abortSiblings: flag({ about: "its failure cancels the calls that run at the same time" }),
    hostShell: flag({ about: "runs commands on the host" }),
    openWorld: flag({ about: "reaches beyond this machine" }),
  },
  { about: "what it promises about its effects" },
);
