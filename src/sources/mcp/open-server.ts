import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { SpawnProcess } from "../../system/process/spawn-process.ts";
import type { Loss } from "../../system/rpc/framed-process.ts";
import { heldBack, StartFailure, toFault } from "../parts/start-failure.ts";
import type { Era } from "../peer.ts";
import type { SourceFault } from "../source.ts";
import type { Tokens } from "../token-port.ts";
import type { ChannelPorts } from "./channel.ts";
import { type ClientPackage, loadClientPackage } from "./client-package.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionOptions } from "./open-connection.ts";
import { openServerConnection } from "./open-connection.ts";
import type { Endpoint, McpServerSpec } from "./server-spec.ts";
import { createStdioTransport } from "./stdio-transport.ts";
import type { McpTransport } from "./transport.ts";

type ConnectionPorts = Pick<
  ConnectionOptions,
  "server" | "version" | "limits" | "clock" | "background" | "onNotification" | "subscribed" | "attached"
>;

export interface OpenServerOptions extends ConnectionPorts, ChannelPorts {
  readonly endpoint: Endpoint;
  readonly spec: McpServerSpec;
  /** Where a process starts if its entry names no folder. */
  readonly cwd: string;
  /** The whole environment of a process. */
  readonly env: Readonly<Record<string, string>>;
  readonly spawn: SpawnProcess;
  /** Called before every start of a process. */
  readonly refuses: () => string | null;
  readonly redact: (text: string) => string;
  readonly tokens: Tokens | null;
}

/**
 * Returns how to open one connection after another to a server; a process gets these variables besides its own. The next
 * connection uses what the previous one learned about the protocol.
 */
export function createOpener(
  given: OpenServerOptions,
): (
  signal: AbortSignal,
  onFault: (fault: SourceFault) => void,
  variables: ReadonlyMap<string, string>,
) => Promise<Connection> {
  let known: Era | null = null;
  return async (signal, onFault, variables) => {
    const env = variables.size === 0 ? given.env : { ...given.env, ...Object.fromEntries(variables) };
    const options = { ...given, env, onFault };
    const client = await loadClientPackage();
    const era = known === "legacy" || options.endpoint.kind === "sse" ? "legacy" : "auto";
    known = null;
    try {
      const connection = await openOnce(options, client, era, signal);
      known = connection.era;
      return connection;
    } catch (error) {
      // Some older servers exit when they receive anything before `initialize`.
      const ended = error instanceof StartFailure && error.details.diedWhileProbed === true && era === "auto";
      if (!ended || signal.aborted) throw error;
      const connection = await openOnce(options, client, "legacy", signal);
      known = connection.era;
      return connection;
    }
  };
}

interface Opening extends OpenServerOptions {
  readonly onFault: (fault: SourceFault) => void;
}

async function openOnce(
  options: Opening,
  client: ClientPackage,
  era: "auto" | "legacy",
  signal: AbortSignal,
): Promise<Connection> {
  const { limits, redact } = options;
  const refusal = options.endpoint.kind === "stdio" ? options.refuses() : null;
  if (refusal !== null) throw heldBack(refusal);
  const transport = await createTransport(options, client);
  let loss: Loss | null = null;
  void transport.lost.then((known) => {
    loss = known;
  });
  try {
    return await openServerConnection({
      ...{ ...options, transport, client, era, signal },
      // Over HTTP an old server answers that it does not know the method, so there is time for a slow one.
      probeTimeout: options.endpoint.kind === "stdio" ? limits.probeTimeout : limits.startTimeout,
    });
  } catch (error) {
    // The exit of the process is often reported a moment after its consequences.
    await transport.close();
    const stderr = transport.readStderr();
    const reason = explain(error, loss, transport, client);
    throw new StartFailure(redact(reason), {
      stderr: stderr === null ? null : redact(stderr),
      needsAuth: transport.refusal !== null,
      diedWhileProbed: options.endpoint.kind === "stdio" && isEraFailure(error, client),
      fault: toFault(loss, { seen: transport.fault, stderr }),
    });
  }
}

async function createTransport(options: Opening, client: ClientPackage): Promise<McpTransport> {
  const { endpoint, spec } = options;
  if (endpoint.kind === "stdio")
    return createStdioTransport({ ...options, argv: endpoint.argv, cwd: spec.cwd ?? options.cwd });
  const { createHttpTransport } = await import("./http-transport.ts");
  return createHttpTransport({ ...options, ...endpoint, client });
}

function isEraFailure(error: unknown, sdk: ClientPackage): boolean {
  return error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.EraNegotiationFailed;
}

function explain(error: unknown, loss: Loss | null, transport: McpTransport, sdk: ClientPackage): string {
  if (transport.refusal !== null) return `needs a login (HTTP ${transport.refusal})`;
  if (loss?.reason) return loss.reason;
  if (transport.fault?.kind === "web-page") {
    const status = error instanceof sdk.SdkHttpError ? ` (HTTP ${error.status})` : "";
    return `answered with a web page${status}, not with MCP`;
  }
  if (error instanceof sdk.SdkHttpError) {
    const older =
      error.status === 404 || error.status === 405 ? '; if it is an older server, set its type to "sse"' : "";
    return `answered with HTTP ${error.status}${older}`;
  }
  if (isToolcribError(error)) return `could not be used: ${error.message}`;
  const code = findSystemCode(error);
  if (code !== null) return `could not be reached (${code})`;
  if (isEraFailure(error, sdk)) return "closed the connection before it said which protocol it speaks";
  return "answered the handshake with something that breaks the protocol";
}

/** `ECONNREFUSED` and the like, somewhere in the chain of causes. */
function findSystemCode(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string" && /^E[A-Z0-9_]+$/.test(at.code) && !at.code.startsWith("ERA_"))
      return at.code;
  }
  return null;
}
