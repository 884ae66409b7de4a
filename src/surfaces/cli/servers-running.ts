import { setTimeout as pass } from "node:timers/promises";
import type { Config } from "../../config/config.ts";
import { homeFolder } from "../../config/home-folder.ts";
import { defaultOrigin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { SourceReport } from "../../runtime/session/source-report.ts";
import type { ServerView } from "../http/api.ts";
import type { CommandInput } from "./command.ts";
import { keptToken } from "./gateway-token.ts";
import { readTimeout, workFolder } from "./live-session.ts";
import { realPath } from "./running-crib.ts";
import { findServer } from "./servers-start.ts";
import { findRunning, type RunningUp } from "./up-running.ts";

/** The servers of a `toolcrib up` that runs for this workspace. */
export interface RunningServers {
  readonly up: RunningUp;
  /** How that server is doing there; null when it has none of that name. */
  report(name: string): Promise<SourceReport | null>;
  /** Starts it anew, and waits until that has succeeded or failed. */
  restart(name: string): Promise<SourceReport | null>;
}

const BETWEEN = 100;

/** Null when none runs. */
export async function findRunningServers(input: CommandInput, config: Config): Promise<RunningServers | null> {
  const { io } = input;
  const places = { home: homeFolder(io.env), env: io.env };
  const found = await findRunning(places, realPath(workFolder(config) ?? io.cwd));
  if (found === null) return null;
  const { up } = found;
  if (!found.answers) throw notTold(up, "does not answer; end it and start it anew");
  const token = config.gateway.token?.value ?? (await keptToken(places));
  const ask = (path: string, method: "GET" | "POST") => askApi(up, token, path, method);
  const report = async (name: string): Promise<SourceReport | null> => {
    const views = (await (await ask("servers", "GET")).json()) as readonly ServerView[]; // Its own API, same version.
    const view = views.find((each) => each.kind === "mcp" && each.name === name);
    return view === undefined ? null : toReport(view, config);
  };
  return {
    up,
    report,
    async restart(name) {
      if ((await report(name)) === null) return null;
      await ask(`servers/${encodeURIComponent(name)}/restart`, "POST");
      const deadline = performance.now() + readTimeout(input);
      for (;;) {
        const now = await report(name);
        const isUnderWay = now?.state === "starting" || now?.reason === "is being started anew";
        if (!isUnderWay || performance.now() >= deadline) return now;
        await pass(BETWEEN);
      }
    },
  };
}

function notTold({ pid, origin }: RunningUp, why: string): ToolcribError {
  return new ToolcribError("server.not-told", `The running toolcrib (process ${pid}, ${origin}) ${why}.`);
}

async function askApi(up: RunningUp, token: string, path: string, method: string): Promise<Response> {
  const failed = (why: string) => notTold(up, why);
  const answer = await fetch(`${up.origin}/api/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(method === "POST" ? { "content-type": "application/json" } : {}) },
    ...(method === "POST" ? { body: "{}" } : {}),
    redirect: "error",
    signal: AbortSignal.timeout(10_000),
  }).catch(() => {
    throw failed("does not answer; end it and start it anew");
  });
  if (answer.status === 401 || answer.status === 403)
    throw failed("has another token than this configuration says; it may have been started with other settings");
  if (!answer.ok) throw failed(`answered with HTTP ${answer.status}`);
  return answer;
}

function toReport({ name, state, reason, next, era, tools, stderr }: ServerView, config: Config): SourceReport {
  const server = findServer(config, name);
  return {
    kind: "mcp",
    name,
    state: state as SourceReport["state"], // What its API sends is a state.
    reason,
    next,
    stderr,
    tools,
    // Its next step names them already.
    heldBack: [],
    transport: server?.transport.type ?? null,
    era,
    origin: server?.origin ?? defaultOrigin,
  };
}
