import type { Config, ServerConfig } from "../../../config/config.ts";
import { createHostGate } from "../../../config/host-gate.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { loginFolder, toolListFolder } from "../../../config/layers/state-folder.ts";
import { isLaunchChanged } from "../../../config/lock/changes.ts";
import { serversOf } from "../../../config/servers-of.ts";
import { serverProgram } from "../../../config/trust/host-programs.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import type { Reason } from "../../../core/codes/reason.ts";
import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { McpServerSpec } from "../../../sources/mcp/server-spec.ts";
import type { ConnectionPlaces } from "../../../sources/parts/connection-places.ts";
import type { StoredList } from "../../../sources/parts/stored-list.ts";
import type { Source } from "../../../sources/source.ts";
import type { AskToken } from "../../../sources/token-port.ts";
import type { UpstreamIdentity } from "../../credentials/contract.ts";
import { ownIdentity } from "../../credentials/own-identity.ts";
import { isApi, wantedApi } from "./configured-api.ts";
import { openList } from "./known-list.ts";
import { prepareFor } from "./prepare-for-person.ts";
import type { SessionPlace } from "./session-place.ts";
import { createUnusableSource } from "./unusable-source.ts";
import { derive } from "./with-client.ts";

/** A source that configuration asks for, under a key that changes when it has to be restarted. */
export interface WantedSource {
  readonly key: string;
  /** Whether several sessions may use one that runs; each has its own if absent. */
  readonly sharable?: boolean;
  /** The server that it is. */
  readonly server?: string;
  /** Who the session's caller is there. */
  readonly identity?: UpstreamIdentity;
  /** The person whose own it is, by their key; absent for one that is everybody's. */
  readonly person?: string;
  open(): Promise<Source>;
}

/** What servers need of the session that starts them. */
export interface SourceSetting extends SessionPlace {
  /** Asks somebody for a token that a server wants; nobody if absent. */
  readonly askToken?: AskToken;
  /** Who the caller of the session is at a server; as its entry says, for this machine, if absent. */
  readonly identityOf?: (server: ServerConfig) => UpstreamIdentity;
  /** Whether what servers list is kept, and shown while they start the next time; no if absent. */
  readonly keepsLists?: boolean;
  /** The person whose servers these are; absent where nobody is known, or it is the same person anyway. */
  readonly person?: SourcePerson | undefined;
}

/** One of the persons that a gateway serves, who have connections of their own (O10). */
interface SourcePerson {
  /** The same for the same person, whatever client they use. */
  readonly key: string;
  readonly places: ConnectionPlaces;
}

/**
 * Servers that may be started: those with all variables set, of the configuration and of the selected agent. `judge` says
 * what policy has against one, also at an address that only its document names.
 */
export function wantedServers(
  config: Config,
  judge: (server: string, url?: string) => readonly Reason[],
  setting: SourceSetting,
): readonly WantedSource[] {
  const { cwd, home, env } = setting;
  const gate = createHostGate(config, { workspace: cwd, home: homeFolder(env) });
  const lists = setting.keepsLists === true ? toolListFolder({ home, env }, setting.workspace ?? cwd) : null;
  return [...serversOf(config).values()]
    .filter((server) => server.unset.length === 0 && judge(server.name).length === 0)
    .map((server) => {
      if (isLaunchChanged(server, config.lock?.lock ?? null)) return holdBack(server, config);
      const identity = (setting.identityOf ?? ownIdentity)(server);
      const own = identity.key === "" ? [] : [identity.key];
      if (isApi(server)) {
        const wanted = wantedApi(server, config, { judge: (url) => judge(server.name, url), lists, identity });
        return { ...wanted, open: async () => withLogin(await wanted.open(), identity) };
      }
      const [program] = serverProgram(server, { workspace: cwd });
      const standing = program === undefined ? [] : gate.standing(program);
      const refuses = (): string | null => (program === undefined ? null : gate.refuses(program));
      const person = ownerOf(server, identity, setting);
      return {
        key: JSON.stringify(["mcp", server.name, toSpec(server), standing, ...own, ...(person ? [person.key] : [])]),
        sharable: server.isolation?.value !== "client",
        server: server.name,
        identity,
        ...(person === null ? {} : { person: person.key }),
        async open() {
          const stored = await openList(server, config, { lists, identity, isOnes: person !== null });
          const publicUrl = config.gateway.publicUrl?.value ?? null;
          return withLogin(
            await openServer(server, setting, { stored, identity, person, publicUrl, refuses }),
            identity,
          );
        },
      };
    });
}

/** Whose login its calls are made with, for the log. */
function withLogin(source: Source, { person, login }: UpstreamIdentity): Source {
  return person === null ? source : derive(source, { login });
}

/** A server keeps what it is told, so that each person has one of their own; null for one that all have together. */
function ownerOf(
  { isolation }: ServerConfig,
  { key }: UpstreamIdentity,
  { person }: SourceSetting,
): SourcePerson | null {
  return isolation?.value === "shared" && key === "" ? null : (person ?? null);
}

/** Approval is bound to how a server was started then: one that would be started otherwise is not started (G13). */
function holdBack(server: ServerConfig, { lock }: Config): WantedSource {
  const { name, launch } = server;
  const line = lock?.lines.get(`servers ${name}`);
  const place = `${lock?.file ?? "toolcrib.lock"}${line === undefined ? "" : `:${line}`}`;
  const isGone = lock?.lock?.servers.has(name) === false;
  const reason = isGone
    ? `is not started, because the lock has tools of it and not how it was started when they were pinned (${place})`
    : `is not started, because its entry starts it in another way than when it was pinned (${place})`;
  const next = `Review it with \`toolcrib pin --approve ${name}\`, or undo the change of its entry${isGone ? " in the lock" : ""}.`;
  return {
    key: JSON.stringify(["mcp", name, "held back", launch]),
    open: async () => createUnusableSource(isApi(server) ? "openapi" : "mcp", name, reason, next),
  };
}

interface OpenOptions {
  readonly stored: StoredList | null;
  readonly identity: UpstreamIdentity;
  readonly person: SourcePerson | null;
  readonly publicUrl: string | null;
  readonly refuses: () => string | null;
}

/** An entry that cannot be used is told like a server that does not start; the others are not its business (C4). */
async function openServer(
  server: ServerConfig,
  { cwd, home, env, version, logger, askToken }: SourceSetting,
  { stored, identity, person, publicUrl, refuses }: OpenOptions,
): Promise<Source> {
  const { createMcpSource } = await import("../../../sources/mcp/mcp-source.ts");
  const { proof } = identity;
  const own = proof.kind === "tokens" ? { tokens: proof.open() } : {};
  const login = proof.kind === "entry" ? { askToken, logins: loginFolder({ home, env }) } : own;
  const around = { cwd, env, version, wire: logger.wire, ...login };
  const known = stored === null ? {} : { stored };
  // What is listed for one login alone is known only once the server has been asked with it.
  const resting = person === null ? {} : { places: person.places, startsAtRest: identity.key === "" };
  const prepare = identity.person === null ? undefined : () => prepareFor(identity, publicUrl);
  try {
    return createMcpSource({
      name: server.name,
      server: toSpec(server),
      refuses,
      prepare,
      ...around,
      ...known,
      ...resting,
    });
  } catch (error) {
    if (!isToolcribError(error) || error.code !== "mcp.invalid-server") throw error;
    return createUnusableSource("mcp", server.name, error.parts[0]?.what ?? error.message);
  }
}

function toSpec(server: ServerConfig): McpServerSpec {
  const { transport, inheritEnv, timeout, startTimeout, defer, group, trustAnnotations, enabled, disabledBy } = server;
  const rest = {
    ...(timeout === null ? {} : { timeout: timeout.value }),
    ...(startTimeout === null ? {} : { startTimeout: startTimeout.value }),
    defer: defer.value,
    group: group?.value ?? null,
    trustAnnotations: trustAnnotations.value,
    enabled: enabled.value,
    ...(disabledBy === null ? {} : { disabledBy: formatOrigin(disabledBy) }),
  };
  if (transport.type === "openapi") throw new Error("an API is no MCP server");
  if (transport.type !== "stdio")
    return { type: transport.type, url: transport.url, headers: Object.fromEntries(transport.headers), ...rest };
  const { command, args, env, cwd } = transport;
  return {
    ...{ type: "stdio", command, args, env: Object.fromEntries(env) },
    ...(inheritEnv === null ? {} : { inheritEnv: inheritEnv.value }),
    ...(cwd === null ? {} : { cwd }),
    ...rest,
  };
}
