import { takesAway } from "../../../runtime/rehearsal/rehearse.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { sinceOf } from "../stored/audit-command.ts";
import { formatRehearsal } from "./rehearsal-text.ts";
import { rehearseLog } from "./rehearse-log.ts";

/** `toolcrib rehearse --policy FILE`: calls of the log under a policy that nobody uses yet. Status 0: nobody loses anything. */
export async function runRehearse(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const path = args.value("policy");
  if (path === null) throw usage("rehearse needs --policy FILE: the configuration that is to be tried");
  const since = sinceOf(input) ?? 0;
  const stop = new AbortController();
  io.onInterrupt(async () => stop.abort());
  const [log] = args.operands;
  const { supposed, report } = await rehearseLog(input, { path, since, log, signal: stop.signal });
  const { replaces, next } = supposed;
  input.log.notices(next.notices);
  printAnswer(input, { policy: path, replaces, ...report }, () =>
    formatRehearsal(report, { policy: path, replaces, since: args.value("since") }, io),
  );
  return takesAway(report) ? 1 : 0;
}
