import { resolve } from "node:path";
import { guessShownName } from "../../../core/catalog/shown-name.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { listAuditFiles } from "../../../runtime/audit/audit-file.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import { type AuditRow, isCall } from "../../../runtime/audit/audit-row.ts";
import { openAuditTail } from "../../../runtime/audit/audit-tail.ts";
import { readAudit, toAuditFilter } from "../../../runtime/audit/read-audit.ts";
import { verifyAudit } from "../../../runtime/audit/verify-audit.ts";
import { errnoOf } from "../../../system/paths/path-refusal.ts";
import { toReadProblem } from "../../../system/paths/read-problem.ts";
import { escapeText, toJson, writeLines } from "../../../system/text/escape-text.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { parseCount } from "../command-line/number-options.ts";
import { AUDIT_DECISIONS } from "../command-line/options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { watchFiles } from "../configuration/watch-files.ts";
import { findWorkspace } from "../running/find-running.ts";
import { settingPlaces } from "../running/work-place.ts";
import { countText } from "../terminal/name-list.ts";
import { createQuietRows } from "./quiet-rows.ts";

const NEVER = new AbortController().signal;
const DEFAULT_LIMIT = 50;
const MOST_ROWS = 1_000_000;

/** The log of one machine: what was called, by whom, and what was decided. */
export async function runFileAudit(input: CommandInput): Promise<number> {
  const path = await findLog(input);
  try {
    return await (input.args.has("verify") ? verify(path, input) : show(path, input));
  } catch (error) {
    if (isToolcribError(error) || errnoOf(error) === null) throw error;
    throw noLog(path, toReadProblem(error));
  }
}

async function show(path: string, input: CommandInput): Promise<number> {
  const { args } = input;
  const filter = filterOf(input);
  const limit = limitOf(input);
  const isQuiet = !args.has("json");
  const { rows: own, seen, lines } = await readNewest(path, { filter, limit, isQuiet });
  let newest = own;
  // What the file has too little of stands in those that were full and put aside.
  for (const { path: older } of [...(await listAuditFiles(path))].reverse()) {
    if (newest.length >= limit) break;
    newest = [...(await readNewest(older, { filter, limit: limit - newest.length, isQuiet })).rows, ...newest];
  }
  for (const row of newest) printRow(row, input);
  if (!args.has("follow")) {
    if (seen === 0 && lines > 0) throw noLog(path, "it holds no row of one");
    if (seen === 0 && args.operands.length > 0) throw absent(path);
    if (newest.length === 0) input.io.err(seen === 0 ? `${escapeText(absent(path).message)}\n` : "no row matches\n");
    return 0;
  }
  return follow(path, seen, filter, input);
}

/** What the options of the command line ask for. */
export function filterOf(
  input: CommandInput,
  person: string | null = input.args.value("person"),
): (row: AuditRow) => boolean {
  const { args } = input;
  return toAuditFilter({
    ...given("tool", args.value("tool")),
    ...given("client", args.value("client")),
    ...given("person", person),
    ...given("session", args.value("session")),
    ...given("decision", decisionOf(input)),
    ...given("since", sinceOf(input)),
  });
}

export function limitOf({ args }: CommandInput): number {
  return parseCount("--limit", args.value("limit"), MOST_ROWS) ?? DEFAULT_LIMIT;
}

/** The last rows of one file that fit, where its last row ends, and how many lines it has. */
async function readNewest(path: string, { filter, limit, isQuiet }: Wanted) {
  const rows: AuditRow[] = [];
  const quiet = createQuietRows();
  let seen = 0;
  let lines = 0;
  for await (const { row, end, number } of readAudit(path, NEVER)) {
    lines = number;
    if (row !== null) seen = end;
    if (row === null || !filter(row)) continue;
    rows.push(...(isQuiet ? quiet.next(row) : [row]));
    while (rows.length > limit) rows.shift();
  }
  return { rows: [...rows, ...quiet.rest()].slice(-limit), seen, lines };
}

interface Wanted {
  readonly filter: (row: AuditRow) => boolean;
  readonly limit: number;
  /** For people. */
  readonly isQuiet: boolean;
}

function given<Key extends string, T>(key: Key, value: T | null): { readonly [K in Key]?: T } {
  return value === null ? {} : ({ [key]: value } as { readonly [K in Key]?: T }); // One key, and its own value.
}

async function findLog(input: CommandInput): Promise<string> {
  const { io, args } = input;
  const [file] = args.operands;
  if (file !== undefined) return resolve(io.cwd, file);
  return auditPath(settingPlaces(io), await findWorkspace(input));
}

function decisionOf({ args }: CommandInput): (typeof AUDIT_DECISIONS)[number] | null {
  const text = args.value("decision");
  return text === null ? null : parseWord("--decision", text, AUDIT_DECISIONS);
}

const UNITS = new Map([
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

export function sinceOf({ args }: CommandInput): number | null {
  const text = args.value("since");
  if (text === null) return null;
  const [, count = "", unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const length = UNITS.get(unit);
  const moment = length === undefined ? Date.parse(text) : Date.now() - Number(count) * length;
  if (Number.isNaN(moment)) throw usage(`--since takes 90s, 15m, 2h, 3d or a date; found ${JSON.stringify(text)}`);
  return moment;
}

export function printRow(row: AuditRow, { io, args }: CommandInput): void {
  io.out(args.has("json") ? toJson(row, false) : `${escapeText(describe(row))}\n`);
}

function describe(row: AuditRow): string {
  const time = row.time.replace("T", " ").replace(/\.\d+Z$/, "Z");
  const who = whoOf(row);
  if (!isCall(row)) return [time, row.type, who, row.text].filter((part) => part !== "").join("  ");
  const { tool, result, duration, decision, cancelledBy, error } = row;
  const open = row.type === "call.judged" ? "judged" : "running";
  const outcome = cancelledBy === null ? (result ?? open) : `cancelled by ${cancelledBy}`;
  const by = row.type === "call.judged" ? decision?.origin : decision?.code;
  const because = [decision?.text, by === undefined || by === "" ? "" : `(${by})`].filter(Boolean).join(" ");
  const why = decision === null ? (error ?? "") : `${decision.decision}: ${because}`;
  const took = duration === null ? "" : `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`;
  return [time, who, guessShownName(tool), outcome, took, why].filter((part) => part !== "").join("  ");
}

/**
 * Clients name themselves; which token they came with is what counts, where it is not the main one. A client that runs its
 * calls itself has sessions of its own, in which people look for one.
 */
function whoOf(row: AuditRow): string {
  const { client = "", principal = "main", session = "" } = row;
  if (row.type === "call.judged" && session !== "") return `${client} session ${shortSession(session)}`;
  return client === "" || principal === "main" ? client : `${client} (${principal})`;
}

/** What tells it from others; the first letters of some are the time, and those of a minute have the same. */
function shortSession(session: string): string {
  return session.slice(0, /^[\da-f]{8}-[\da-f]{4}-7/.test(session) ? 13 : 8);
}

function absent(path: string): ToolcribError {
  const text = `there is no log yet at ${path}; Toolcrib begins one with the first session`;
  return new ToolcribError("audit.not-found", text, { names: [path] });
}

function noLog(path: string, why: string): ToolcribError {
  return new ToolcribError("audit.not-found", `${path} cannot be read as a log: ${why}`, { names: [path] });
}

async function verify(path: string, input: CommandInput): Promise<number> {
  const verdict = await verifyAudit(path, NEVER);
  const { rows, runs, open, hasHead, problems } = verdict;
  // An empty file is not what was written.
  if (rows === 0 && !hasHead && problems.length === 0) throw absent(path);
  const state = problems.length === 0 ? "as they were written" : countText(problems.length, "problem");
  printAnswer(input, { file: path, ...verdict }, () =>
    writeLines([
      ...problems.map(({ file = path, line, text }) => (line === null ? text : `${file}:${line} ${text}`)),
      `${countText(rows, "row")} of ${countText(runs, "run")}: ${state}`,
      ...(open > 0 ? [describeOpen(open)] : []),
    ]),
  );
  return problems.length === 0 ? 0 : 1;
}

function describeOpen(runs: number): string {
  return runs === 1
    ? "1 run has not ended: it is still going on, or was killed"
    : `${runs} runs have not ended: they are still going on, or were killed`;
}

/** Prints rows as they are written, also when the file is full and another one begins. */
async function follow(
  path: string,
  seen: number,
  filter: (row: AuditRow) => boolean,
  input: CommandInput,
): Promise<number> {
  const tail = await openAuditTail(path, seen);
  const quiet = createQuietRows();
  const look = async (): Promise<readonly string[]> => {
    for await (const row of tail.read(NEVER))
      if (filter(row)) for (const shown of input.args.has("json") ? [row] : quiet.next(row)) printRow(shown, input);
    return [path];
  };
  const stop = watchFiles([path], look, (text) => input.io.err(`toolcrib: ${escapeText(text)}\n`), true);
  await new Promise<void>((resolve) => {
    input.io.onInterrupt(async () => {
      stop();
      resolve();
      await new Promise<never>(() => {});
    });
  });
  return 0;
}
