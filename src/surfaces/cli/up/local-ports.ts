import type { Socket } from "node:net";
import type { Config } from "../../../config/config.ts";
import { toScene } from "../../../config/to-scene.ts";
import { defaultOrigin, formatOrigin } from "../../../core/codes/origin.ts";
import { isToolcribError, ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Client } from "../../../core/scene/client.ts";
import type { Crib, Profile } from "../../../runtime/crib/crib.ts";
import { clientProfile, mainProfile, narrowProfile, toViewConfig } from "../../../runtime/crib/profile.ts";
import type { SharedPlace } from "../../../runtime/crib/shared-approvals.ts";
import { reportSources } from "../../../runtime/report/source-report.ts";
import type { StoreMachine } from "../../../runtime/store/store.ts";
import { isServer } from "../../../sources/source.ts";
import { readVersion } from "../../../system/version.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Arguments } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { createRemoteIo, type Reply } from "../running/answer-command.ts";
import { checkConnect } from "../running/check-connect.ts";
import { describeDifferences, readEnvironment } from "../running/environment.ts";
import type { Environment, LocalRequest } from "../running/local-call.ts";
import type { LocalPorts } from "../running/local-door.ts";
import type { LockedWorkspace, WorkspaceAddress } from "../running/locked-workspace.ts";
import { toRemarks } from "../servers/servers-text.ts";
import { adviseName } from "../terminal/name-list.ts";
import type { LaterVariables } from "./later-variables.ts";

/** What `toolcrib status` says about one. */
export interface RunningStatus {
  readonly workspace: string;
  /** False: it runs with the person's configuration alone. */
  readonly isProject: boolean;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly version: string;
  /** Where it answers over HTTP; null where it does not. */
  readonly address: string | null;
  /** Opens its page; for this person's eyes alone. */
  readonly token: string;
  readonly environment: Environment;
  /** Seconds without clients after which it ends; null where it does not. */
  readonly idle: number | null;
  readonly clients: readonly Pick<Gateway["clients"][number], "label" | "principal" | "agent" | "since" | "calls">[];
  /** All that serve the same clients, this one first; null where nobody could know, and none where only one can. */
  readonly machines:
    | readonly (Pick<StoreMachine, "name" | "pid" | "version" | "silent"> & { readonly isSelf: boolean })[]
    | null;
  readonly servers: readonly { readonly name: string; readonly state: string; readonly tools: number }[];
  /** What is wrong with which server, and what to do; missing where an older version runs. */
  readonly remarks?: readonly string[];
  /** What is wrong with the configuration as it is written now; null or missing while it is in use. */
  readonly refused?: string | null;
}

export interface LocalSetting {
  readonly held: LockedWorkspace;
  readonly crib: Crib;
  /** Variables that came later than this process, and how they come. */
  readonly later: LaterVariables;
  readonly gateway: Gateway;
  readonly address: WorkspaceAddress | null;
  readonly token: () => string;
  readonly idle: number | null;
  readonly shared: SharedPlace | null;
  /** Ends it no more for want of clients. */
  readonly keep: () => void;
  readonly end: () => void;
  readonly onError: (text: string, error: unknown) => void;
}

/** A running Toolcrib as other processes of the same person use it. */
export function createLocalPorts(input: CommandInput, setting: LocalSetting): Omit<LocalPorts, "secret" | "version"> {
  const { io, args } = input;
  const { held, crib, gateway, address, end, onError } = setting;
  const since = Date.now();
  const environment = readEnvironment(io.env);
  let { idle } = setting;
  return {
    end,
    onError,
    keep() {
      idle = null;
      setting.keep();
    },
    status: async (): Promise<RunningStatus> => {
      const reports = reportSources(crib.main).filter(isServer);
      return {
        workspace: held.workspace,
        isProject: held.isProject,
        pid: process.pid,
        since,
        version: readVersion(),
        address: address?.origin ?? null,
        token: setting.token(),
        environment,
        idle: idle === null ? null : idle / 1000,
        clients: gateway.clients.map(({ label, principal, agent, since: from, calls }) => ({
          ...{ label, principal, agent, since: from, calls },
        })),
        machines: await listMachines(setting.shared),
        servers: reports.map(({ name, state, tools }) => ({ name, state, tools })),
        remarks: toRemarks(reports),
        refused: crib.refused,
      };
    },
    mcp(request) {
      const profile = toProfile(request, crib.config);
      checkProfile(crib.config, profile);
      if (request.environment.policy !== environment.policy)
        throw new ToolcribError(
          "up.refused",
          `the running Toolcrib (process ${process.pid}) was started with another TOOLCRIB_POLICY; "toolcrib down" ends it, and the next start takes this one`,
        );
      return {
        remarks: describeDifferences(environment, request.environment),
        serve: (socket) => gateway.serveStdio({ input: socket, output: socket }, profile),
      };
    },
    async run({ argv, terminal }, socket) {
      const remote = createRemoteIo(socket, terminal, setting.later.env());
      const clients = () => connected(crib, gateway);
      const { take } = setting.later;
      const running = { crib, clients, take, pid: process.pid, origin: address?.origin ?? null };
      const status = await input.run([...argv, ...inherited(args, argv)], remote, running);
      send(socket, { status });
    },
  };
}

/** Null while the store is away. */
async function listMachines(shared: SharedPlace | null): Promise<RunningStatus["machines"]> {
  if (shared === null) return [];
  try {
    const all = await shared.store.machines();
    return all
      .map(({ id, name, pid, version, silent }) => ({
        name,
        pid,
        version,
        silent,
        isSelf: id === shared.store.machine,
      }))
      .sort((a, b) => Number(b.isSelf) - Number(a.isSelf));
  } catch (error) {
    if (isToolcribError(error)) return null;
    throw error;
  }
}

function connected({ views }: Crib, { clients }: Gateway): readonly Client[] {
  const here = new Set(clients.filter(({ isHere }) => isHere).map(({ sessionId }) => sessionId));
  return views.flatMap(({ session }) => (here.has(session.id) ? (session.toolset.scene.client ?? []) : []));
}

function send(socket: Socket, reply: Reply): void {
  if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
}

type McpRequest = Extract<LocalRequest, { ask: "mcp" }>;

/** The default profile, or that of a named entry, with what was asked for on top: it only narrows. */
function toProfile({ profile, agent, include, exclude }: McpRequest, config: Config): Profile {
  const { gateway } = config;
  checkConnect(config);
  return narrowProfile(profile === null ? mainProfile("connect") : named(profile, gateway), {
    agent,
    include,
    exclude,
  });
}

/** What the client may not become, or what does not exist, is refused before it is let in. */
function checkProfile(config: Config, profile: Profile): void {
  try {
    toScene(toViewConfig(config, profile));
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    throw new ToolcribError("up.refused", error.message.replace("?agent=", "--agent"));
  }
}

function named(name: string, { clients, profiles }: Config["gateway"]): Profile {
  const [entry, other] = clients.filter((client) => client.name === name);
  if (other !== undefined) {
    const places = [entry, other].map((client) => formatOrigin(client?.origin ?? defaultOrigin)).join(", ");
    throw new ToolcribError(
      "up.refused",
      `two entries of gateway.clients are named ${JSON.stringify(name)} (${places})`,
    );
  }
  if (entry !== undefined) return clientProfile(entry, name, profiles);
  const names = clients.flatMap((client) => client.name ?? []);
  const { text } = adviseName(name, names, "none has a name");
  throw new ToolcribError("up.refused", `no entry of gateway.clients is named ${JSON.stringify(name)}; ${text}`);
}

const SCENE = ["config", "agent", "model", "mode", "include"] as const;

/** What this Toolcrib was started with counts for questions about it too, where they do not say otherwise. */
function inherited({ value, list, has }: Arguments, argv: readonly string[]): readonly string[] {
  const isAsked = (name: string): boolean => argv.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  return [
    ...SCENE.filter((name) => has(name) && !isAsked(name)).map(
      (name) => `--${name}=${name === "include" ? (list(name) ?? []).join(",") : value(name)}`,
    ),
    ...(has("exclude") ? [`--exclude=${(list("exclude") ?? []).join(",")}`] : []),
  ];
}
