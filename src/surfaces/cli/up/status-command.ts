import { writeLines } from "../../../system/text/escape-text.ts";
import { readVersion } from "../../../system/version.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { describeDifferences, readEnvironment } from "../running/environment.ts";
import { keyOfAsked, reach } from "../running/find-running.ts";
import { readNotes } from "../running/running-note.ts";
import { formatSpan } from "../terminal/format-span.ts";
import { countText } from "../terminal/name-list.ts";
import { shownFolder } from "../terminal/shown-file.ts";
import type { RunningStatus } from "./local-ports.ts";

/** `toolcrib status`: what runs, where, and whose environment it has. Status 1 when nothing does. */
export async function runStatus(input: CommandInput): Promise<number> {
  const found = await findAll(input);
  const running = found.map(({ status: { token: _, ...status }, differences }) => ({ ...status, differences }));
  printAnswer(input, { version: readVersion(), running }, () =>
    found.length === 0 ? `${describeNone(input)}\n` : found.map((each) => formatStatus(each, input.io)).join("\n"),
  );
  return found.length === 0 ? 1 : 0;
}

interface Found {
  readonly status: RunningStatus;
  readonly differences: readonly string[];
}

async function findAll(input: CommandInput): Promise<readonly Found[]> {
  const { io, args } = input;
  const here = await keyOfAsked(input);
  const keys = args.has("all") ? [...(await readNotes(here.places)).keys()] : [here.key];
  const own = readEnvironment(io.env);
  const found: Found[] = [];
  for (const key of keys) {
    const reached = await reach<RunningStatus>(here.places, key, { ask: "status" });
    if (reached === null) continue;
    reached.socket.destroy();
    const status = reached.answer;
    found.push({ status, differences: describeAll(status, own) });
  }
  return found;
}

function describeAll({ version, environment }: RunningStatus, own: RunningStatus["environment"]): readonly string[] {
  const mine = readVersion();
  const versions = version === mine ? [] : [`it is version ${version}, and this is ${mine}`];
  return [...versions, ...describeDifferences(environment, own)];
}

function describeNone({ args }: CommandInput): string {
  if (args.has("all")) return "No Toolcrib runs.";
  return 'No Toolcrib runs for this workspace. "toolcrib up --detach" starts one, and so does a client that has "toolcrib connect".';
}

function formatStatus({ status, differences }: Found, io: CommandInput["io"]): string {
  const { workspace, isProject, pid, since, version, address, token, environment, idle, clients, servers } = status;
  const states = servers.map(({ name, state, tools }) =>
    state === "connected" ? `${name} (${countText(tools, "tool")})` : `${name} (${state})`,
  );
  const lines = [
    `Toolcrib ${version} runs ${isProject ? `for ${shownFolder(workspace, io)}` : "with your own configuration, for no project"}`,
    `  Process      ${pid}, since ${new Date(since).toISOString()}${idle === null ? "" : `; ends after ${formatSpan(idle)} without clients`}`,
    `  Inspector    ${address === null ? "none, because it has no address" : `${address}/#token=${encodeURIComponent(token)}`}`,
    `  Environment  ${environment.user}, Node ${environment.node}`,
    `  PATH         ${environment.path}`,
    ...differences.map((text) => `  Different    ${text}`),
    `  Clients      ${clients.length === 0 ? "none" : clients.map(describeClient).join(", ")}`,
    ...describeMachines(status.machines),
    `  Servers      ${states.length === 0 ? "none" : states.join(", ")}`,
    ...(status.remarks ?? []).map((text) => `    ${text}`),
    ...describeRefused(status.refused ?? null),
  ];
  return writeLines(lines);
}

function describeRefused(text: string | null): readonly string[] {
  if (text === null) return [];
  const problems = text.split("\n").map((line) => `    ${line}`);
  return [
    "  Refused      the configuration as it is written now; the previous one stays until it is mended",
    ...problems,
  ];
}

/** One that is alone says nothing of machines. */
function describeMachines(machines: RunningStatus["machines"]): readonly string[] {
  if (machines === null) return ["  Machines     the store is away"];
  if (machines.length < 2) return [];
  return machines.map(({ name, pid, version, silent, isSelf }) => {
    const seen = isSelf ? "this one" : `last heard from ${Math.round(silent / 1000)} s ago`;
    return `  Machine      ${name}, process ${pid}, Toolcrib ${version}, ${seen}`;
  });
}

function describeClient({ label, principal, agent, calls }: RunningStatus["clients"][number]): string {
  const details = [
    ...(principal === "connect" || principal === "main" ? [] : [principal]),
    ...(agent === null ? [] : [`agent ${agent}`]),
    countText(calls, "call"),
  ];
  return `${label} (${details.join(", ")})`;
}
