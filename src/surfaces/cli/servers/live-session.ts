import { basename, dirname } from "node:path";
import type { Config } from "../../../config/config.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { type OpenSession, openSession } from "../../../runtime/session/tools/session.ts";
import { type GivenSetting, type SessionSetting, toSetting } from "../../../runtime/session/tools/setting.ts";
import type { Logger } from "../../../system/logger.ts";
import { readVersion } from "../../../system/version.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readTimeout } from "../command-line/number-options.ts";
import { openOwnAudit } from "../stored/own-audit.ts";
import { ownSearchStores } from "../stored/own-search-stores.ts";
import { showProgress } from "../terminal/progress-line.ts";

/** A session for one command. */
export interface LiveSession {
  readonly session: OpenSession;
  /** Waits until no source is starting any more, at most as long as `--timeout` says. */
  wait(): Promise<void>;
}

interface Opening {
  /** Who decides about its calls. */
  readonly calls?: Partial<SessionSetting>;
  /** With one, a running Toolcrib keeps and counts its calls like those of clients. */
  readonly label?: string | null;
  /** Whether the last list of a server stands in for it where it does not start in time. */
  readonly keepsLists?: boolean;
}

/** Opens a session, waits for its sources, and closes it whatever happens: no server outlives the command. */
export async function withSession<T>(
  input: CommandInput,
  config: Config,
  use: (live: LiveSession) => Promise<T>,
  { calls = {}, label = null, keepsLists = false }: Opening = {},
): Promise<T> {
  const timeout = readTimeout(input.args);
  let interrupted = false;
  const opening =
    input.running?.crib.openBeside(config, { calls, logger: toLogger(input), label }) ??
    openAlone(input, config, { calls, label, keepsLists });
  const release = input.io.onInterrupt(async () => {
    interrupted = true;
    await opening.then((session) => session.close()).catch(() => undefined);
  });
  try {
    const session = await opening;
    try {
      const wait = () => waitForSources(session, timeout, input);
      await wait();
      return await use({ session, wait });
    } finally {
      await session.close();
    }
  } finally {
    // The signal ends this process now; whatever the command would still say is of no use.
    if (interrupted) await new Promise<never>(() => {});
    release();
  }
}

/** With a label, its calls are in the log of calls. */
async function openAlone(
  input: CommandInput,
  config: Config,
  { calls, label, keepsLists }: Required<Opening>,
): Promise<OpenSession> {
  const audit = label === null ? undefined : await openOwnAudit(input, config, label);
  return openSession(config, toSetting({ ...toGivenSetting(input, config), ...calls, audit, keepsLists }));
}

/** What this process offers a session. A filter that leaves nothing is for the answer to judge, when all lists are there. */
export function toGivenSetting(input: CommandInput, config: Config): GivenSetting {
  const { io } = input;
  const cwd = workFolder(config) ?? io.cwd;
  return {
    version: readVersion(),
    cwd,
    home: homeFolder(io.env),
    env: io.env,
    workspace: cwd,
    facts: () => ({ allowNoTools: true }),
    searchStores: ownSearchStores(input, config),
    logger: toLogger(input),
  };
}

function toLogger({ log }: CommandInput): Logger {
  return { error: log.failed, debug: log.debug, wire: log.wire };
}

/** Servers start where the project's file lies, and without one where the command was given. */
function workFolder({ files }: Pick<Config, "files">): string | null {
  const own = files.find(
    ({ layer, path, named }) =>
      (layer === "project" || layer === "local") && !named && basename(path).startsWith("toolcrib."),
  );
  return own === undefined ? null : dirname(own.path);
}

const QUIET = 1_000;

/** After a second, a terminal is told who keeps it waiting. */
async function waitForSources(session: OpenSession, timeout: number, { io, log }: CommandInput): Promise<void> {
  const start = performance.now();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeout);
  const endProgress = showProgress(io, (waited) => {
    const names = session.sources.filter(({ status }) => status.state === "starting").map(({ name }) => name);
    return waited < QUIET || names.length === 0 ? null : `waiting for ${names.join(", ")}`;
  });
  try {
    await session.settled(stop.signal);
  } finally {
    clearTimeout(timer);
    endProgress();
  }
  log.debug(`waited ${(performance.now() - start).toFixed(1)} ms for servers`);
}
