import { writeLines } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { wrapText } from "../terminal/text-width.ts";
import { countRules, describeNoRules } from "./count-rules.ts";
import { GUARD_CLIENTS, readClients } from "./find-clients.ts";
import { reportGuards } from "./guard-report.ts";
import { findGuardPlaces } from "./guard-target.ts";
import { formatGuards } from "./status-text.ts";

/** `toolcrib guard status`: asks each guard, and says what it cannot hold. Status 1 where one does not hold. */
export async function runGuardStatus(input: CommandInput): Promise<number> {
  const { io, args } = input;
  for (const name of ["project", "managed", "root", "through-gateway"] as const)
    if (args.has(name)) throw usage(`guard status looks at all files; leave --${name} out`);
  const named = readClients(input);
  const places = await findGuardPlaces(input);
  const clients = await reportGuards(named.length > 0 ? named : GUARD_CLIENTS, { places, cwd: io.cwd });
  const missing = named.filter((name) => !clients.some(({ client, guards }) => client === name && guards.length > 0));
  const isFine = missing.length === 0 && clients.every(({ guards }) => guards.every(({ state }) => state === "holds"));
  const isGuarded = clients.some(({ guards }) => guards.length > 0);
  const rules = isGuarded ? await countRules(input) : null;
  printAnswer(input, { ok: isFine, clients, rules }, () => {
    const lines = describeNoRules(rules, input).flatMap((line) => wrapText(line, Math.max(40, io.columns ?? 80)));
    return formatGuards(clients, io) + (lines.length === 0 ? "" : `\n${writeLines(lines)}`);
  });
  return isFine ? 0 : 1;
}
