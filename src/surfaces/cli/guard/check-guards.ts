import type { DoctorFinding } from "../../../runtime/doctor/finding.ts";
import type { CommandInput } from "../command-line/command.ts";
import { findWorkspace } from "../running/find-running.ts";
import { settingPlaces } from "../running/work-place.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { GUARD_CLIENTS } from "./find-clients.ts";
import { type ClientReport, type GuardReport, reportGuards } from "./guard-report.ts";
import { readGuards } from "./read-guards.ts";

/** A line for each guard that is installed: whether it holds. */
export async function checkGuards(input: CommandInput): Promise<readonly DoctorFinding[]> {
  const { io } = input;
  const places = { ...settingPlaces(io), platform: process.platform, workspace: await findWorkspace(input), root: "/" };
  const guarded = await Promise.all(
    GUARD_CLIENTS.map(async (client) => ((await readGuards(client, places)).length > 0 ? [client] : [])),
  );
  const reports = await reportGuards(guarded.flat(), { places, cwd: io.cwd });
  return reports.flatMap((report) => report.guards.map((guard) => toFinding(report, guard, input)));
}

function toFinding(
  { client, title }: ClientReport,
  { file, state, why }: GuardReport,
  { io }: CommandInput,
): DoctorFinding {
  const origin = { kind: "file", file: shownFile(file, io), line: null } as const;
  const about = { names: [client], origin };
  if (state === "holds")
    return { ...about, level: "info", code: "guard.holds", text: `the guard of ${title} holds`, fix: null };
  const text = `the guard of ${title} does not hold: ${why ?? state}`;
  const fix = 'see "toolcrib guard status"; "toolcrib guard install" writes it again';
  return { ...about, level: state === "refuses" ? "warning" : "error", code: "guard.broken", text, fix };
}
