import { formatOrigin } from "../../../core/codes/origin.ts";
import type { Crib } from "../../../runtime/crib/crib.ts";
import { mainProfile } from "../../../runtime/crib/profile.ts";
import { isServer } from "../../../sources/source.ts";
import { GIVES_IN_STEPS, giveMemoryBackInSteps } from "../../../system/give-memory-back.ts";
import { writeLines } from "../../../system/text/escape-text.ts";
import { readVersion } from "../../../system/version.ts";
import { formatSummary } from "../ask/toolset-text.ts";
import { describeClients, findConnectCommand } from "../clients/client-entry.ts";
import type { Written } from "../clients/up-clients.ts";
import type { CommandInput } from "../command-line/command.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { untilInterrupted } from "../command-line/until-interrupted.ts";
import { describeTrouble } from "../servers/servers-text.ts";
import { shownFile, shownFolder } from "../terminal/shown-file.ts";
import { type FrontDoor, openFrontDoor } from "./front-door.ts";
import { followReloads } from "./running-crib.ts";
import { askOnTerminal } from "./up-approvals.ts";
import type { FoundConfig } from "./up-config.ts";

/** Milliseconds as until what V8 has compiled is kept, which is counted from earlier on: that leaves most behind. */
const STARTED = 5_000;

interface Start {
  /** What `--write` wrote before. */
  readonly written: Written | null;
  readonly idle: number | null;
}

/** Opens the gateway and the inspector in this process, and keeps them until Ctrl-C. */
export function runInForeground(input: CommandInput, { written, idle }: Start): Promise<number> {
  const { io, args, log } = input;
  return untilInterrupted(input, async () => {
    const door = await openFrontDoor(input, { isWatched: () => true, isUp: true, idle });
    try {
      const { running } = door;
      if (door.remark !== null) io.err(writeLines([`toolcrib: ${door.remark}`]));
      printAnswer(input, toDocument(door, written), () => formatStart(door, written !== null, input));
      log.notices(running.found.config.notices);
      followReloads(door.running, input);
      if (io.canAsk) askOnTerminal(running.crib.approvals, io);
      giveBackOnceStarted();
      if (!args.has("json")) void tellWhenSettled(running.crib, input);
      if (running.crib.config.features.get("schedule")?.value !== true) return door;
      const { startSchedules } = await import("./up-schedules.ts");
      const schedules = await startSchedules(input, running.workspace, {
        watch: door.watch,
        beforeRun: running.crib.beforeRun,
        limitModel: (model) => running.crib.limits.limitModel(model, mainProfile()),
      });
      return {
        ...door,
        async close() {
          await schedules.close();
          await door.close();
        },
      };
    } catch (error) {
      await door.close();
      throw error;
    }
  });
}

/** Twice as much as stays: texts and code that were read, and what was made of them on the way. */
function giveBackOnceStarted(): void {
  if (GIVES_IN_STEPS) setTimeout(giveMemoryBackInSteps, STARTED).unref();
}

/** The token stands behind `#`, which browsers never send anywhere. */
function inspectorUrl({ origin, token }: FrontDoor): string {
  return `${origin}/#token=${encodeURIComponent(token)}`;
}

function formatStart(door: FrontDoor, isWritten: boolean, { io }: CommandInput): string {
  const { endpoint, token, running, isRemote } = door;
  const lines = [
    `Toolcrib ${readVersion()} is up for ${shownFolder(running.workspace, io)}`,
    "",
    ...(endpoint === null
      ? ["  No address; clients of this machine reach it by toolcrib connect."]
      : [
          `  Inspector  ${inspectorUrl(door)}`,
          `  Endpoint   ${endpoint}   (MCP, Streamable HTTP)`,
          `  Token      ${token}`,
        ]),
    `  Log        ${running.audit.path === null ? "in memory alone" : shownFile(running.audit.path, io)}`,
    "",
    ...describeFound(running.found),
    ...(isRemote
      ? [
          "",
          "Other machines can reach it at the address of this one, and nothing between is encrypted: use a proxy with TLS.",
        ]
      : []),
    "",
    ...(isWritten
      ? []
      : [
          "Add it to a client (or let --write claude,vscode,cursor do it):",
          ...describeClients(findConnectCommand(io.env.PATH ?? "", running.workspace)).map(
            ({ title, how }) => `  ${title.padEnd(11)}  ${how}`,
          ),
          "",
        ]),
    "Ctrl-C ends it.",
    "",
  ];
  return writeLines(lines);
}

function describeFound({ from, config, foreignFiles, notStarted }: FoundConfig): readonly string[] {
  const servers = [...config.servers.keys()];
  const listed = servers.length === 0 ? "no servers" : `servers: ${servers.join(", ")}`;
  const files = config.files.map(({ file }) => file).join(", ");
  const source = {
    own: `Configuration: ${files} (${listed})`,
    foreign: `No toolcrib.yaml here, so it uses the servers of ${foreignFiles.join(", ")}: ${servers.join(", ")}. "toolcrib init" writes one.`,
    default: `No toolcrib.yaml here, so it offers read-only tools and a sample server. "toolcrib init" or "toolcrib add" creates one.`,
  }[from];
  return [
    source,
    ...notStarted.map(
      ({ name, origin }) =>
        `Not started: ${name} (${formatOrigin(origin)}), because this project defines it; run "toolcrib init", then "toolcrib trust"`,
    ),
  ];
}

/** Nobody waits for servers, but once they have answered it is worth a word. */
async function tellWhenSettled({ main }: Crib, { io }: CommandInput): Promise<void> {
  await main.settled(AbortSignal.timeout(30_000));
  // It was ended meanwhile.
  if (main.sources.length === 0) return;
  const lines = [
    `Tools: ${formatSummary(main.toolset.placements)}; the inspector shows them and why`,
    ...main.sources
      .filter((source) => isServer(source) && source.status.state !== "connected")
      .map((source) => `  ${describeTrouble(source)}`),
  ];
  io.out(writeLines(lines));
}

function toDocument(door: FrontDoor, written: Written | null): object {
  const { running, endpoint, token, origin } = door;
  const { config, from, foreignFiles, notStarted } = running.found;
  return {
    version: readVersion(),
    pid: process.pid,
    workspace: running.workspace,
    endpoint,
    inspector: origin === null ? null : `${origin}/`,
    token,
    configuration: { from, files: from === "foreign" ? foreignFiles : config.files.map(({ file }) => file) },
    servers: [...config.servers.keys()],
    notStarted: notStarted.map(({ name, origin }) => ({ name, from: formatOrigin(origin) })),
    audit: running.audit.path,
    written: written?.clients ?? [],
  };
}
