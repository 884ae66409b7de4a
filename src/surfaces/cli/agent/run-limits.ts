import type { RunLimits } from "../../../runtime/loop/run-types.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { parseCount } from "../command-line/number-options.ts";

/** The limits of one run that were given. */
export function readLimits({ args }: CommandInput): Partial<RunLimits> {
  const turns = parseCount("--max-turns", args.value("max-turns"), 100_000);
  const tokens = parseCount("--max-tokens", args.value("max-tokens"), 999_999_999);
  const seconds = parseCount("--max-time", args.value("max-time"), 999_999);
  const dollars = args.value("max-cost");
  const cost = dollars === null ? null : Number(dollars);
  if (cost !== null && !(cost > 0))
    throw usage(`--max-cost takes US dollars above 0; found ${JSON.stringify(dollars)}`);
  return {
    ...(turns === null ? {} : { turns }),
    ...(tokens === null ? {} : { tokens }),
    ...(cost === null ? {} : { cost }),
    ...(seconds === null ? {} : { time: seconds * 1_000 }),
  };
}
