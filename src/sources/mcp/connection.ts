import type { Client } from "@modelcontextprotocol/client";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Progress } from "../source.ts";
import type { ClientPackage } from "./client-package.ts";
import type { Clock } from "./clock.ts";
import { createDeferred } from "./deferred.ts";
import { areHeadersValid } from "./header-parameters.ts";
import type { McpLimits } from "./limits.ts";
import { listAllTools } from "./list-tools.ts";
import { localFaultOf } from "./local-fault.ts";
import { isRecord } from "./message.ts";
import { ANY_RESULT, markRequest, unwrapRaw } from "./request-marks.ts";
import { keepSubscribed, NEVER } from "./subscription.ts";
import type { Loss, McpTransport } from "./transport.ts";

export type Era = "legacy" | "modern";

interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Needed where parameters must be repeated in HTTP headers (2026-07-28). */
  readonly inputSchema: unknown;
}

/** What a server made of a call: a result, or an error in the protocol's sense. */
type CallAnswer =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly message: string };

/** An open conversation with one server. Its methods throw a ToolcribError when the server cannot be talked to. */
export interface Connection {
  readonly era: Era;
  readonly instructions: string | null;
  readonly lost: Promise<Loss>;
  /** HTTP status of a refusal to go on without proof of who asks. */
  readonly refusal: number | null;
  listTools(signal: AbortSignal): Promise<readonly unknown[]>;
  call(name: string, args: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallAnswer>;
  readStderr(): string | null;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly transport: McpTransport;
  readonly client: ClientPackage;
  readonly limits: McpLimits;
  readonly clock: Clock;
  /** `auto` asks for the newer protocol first. */
  readonly era: "auto" | "legacy";
  readonly version: string;
  readonly onListChanged: () => void;
  readonly signal: AbortSignal;
}

/** The session is unknown: a new one has to be opened. */
const GONE_STATUS = 404;
const LOGIN_STATUS = 401;

/** Shakes hands. When that fails, or the signal is aborted, the transport is closed and the promise rejects. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { transport, client: sdk, limits, signal } = options;
  const client = new sdk.Client(
    { name: "toolcrib", version: options.version },
    {
      versionNegotiation: { mode: options.era, probe: { timeoutMs: limits.probeTimeout } },
      inputRequired: { autoFulfill: false },
    },
  );
  const onAbort = () => void transport.close();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await client.connect(transport, { timeout: NEVER, signal });
    signal.throwIfAborted();
  } catch (error) {
    await transport.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
  return toConnection(client, options);
}

function toConnection(client: Client, options: ConnectionOptions): Connection {
  const { transport, client: sdk, limits } = options;
  const era = client.getProtocolEra() ?? "legacy";
  const found = createDeferred<Loss>();
  const capabilities = client.getServerCapabilities()?.tools;
  const stopListening =
    era === "modern" && capabilities?.listChanged === true ? keepSubscribed(client, options) : () => {};

  /** Every failure of a request, as something a person can act on. */
  const toFault = (error: unknown): unknown => {
    const fault = localFaultOf(error);
    if (fault !== null) {
      if (fault.code === "mcp.disconnected") found.resolve({ reason: "closed the connection" });
      return new ToolcribError(fault.code, fault.text);
    }
    if (error instanceof sdk.SdkHttpError && error.status !== GONE_STATUS) {
      if (error.status === LOGIN_STATUS) found.resolve({ reason: `wants proof of who asks (HTTP ${LOGIN_STATUS})` });
      return new ToolcribError("mcp.unavailable", `The server answered with HTTP ${error.status}.`);
    }
    if (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.UnsupportedResultType) {
      return new ToolcribError(
        "mcp.invalid-answer",
        "The tool asks for input in the middle of a call; nobody can give it here.",
      );
    }
    if (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.InvalidResult) {
      return new ToolcribError("mcp.invalid-answer", "The server's answer does not fit the protocol.");
    }
    // Arguments that JSON cannot say are a bug on this side, and no reason to give the server up.
    if (error instanceof TypeError) return error;
    found.resolve({ reason: "closed the connection" });
    return new ToolcribError("mcp.disconnected", "The server ended, or closed the connection.");
  };

  return {
    era,
    instructions: client.getInstructions() ?? null,
    lost: Promise.race([transport.lost, found.promise]),
    get refusal() {
      return transport.refusal;
    },
    async listTools(signal) {
      if (capabilities === undefined) return [];
      const page = async (cursor: string | null) => {
        try {
          const params = markRequest(cursor === null ? {} : { cursor }, { raw: true, onProgress: null });
          return unwrapRaw(
            await client.request({ method: "tools/list", params }, ANY_RESULT, { timeout: NEVER, signal }),
          );
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof sdk.ProtocolError && localFaultOf(error) === null) {
            throw new ToolcribError("mcp.invalid-answer", `The server cannot list its tools: ${error.message}`);
          }
          throw toFault(error);
        }
      };
      const tools = await listAllTools(page, limits);
      return era === "modern" && transport.hasPerRequestStream ? tools.map(withValidHeaders) : tools;
    },
    async call(name, args, { signal, onProgress, inputSchema }) {
      const params = { name, arguments: { ...args } };
      // A callback is what makes the package send a progress token; the channel is who reports.
      const request = { signal, timeout: NEVER, ...(onProgress === undefined ? {} : { onprogress: () => {} }) };
      const mark = (raw: boolean) => markRequest(params, { raw, onProgress: onProgress ?? null });
      try {
        if (era === "modern" && JSON.stringify(inputSchema ?? null).includes('"x-mcp-header"')) {
          // Only the package knows how to write those headers; without an output schema it checks no result.
          const toolDefinition = { name, inputSchema: inputSchema as { type: "object" } }; // Read as JSON, only looked through.
          return { kind: "result", result: await client.callTool(mark(false), { ...request, toolDefinition }) };
        }
        const answer = await client.request({ method: "tools/call", params: mark(true) }, ANY_RESULT, request);
        return { kind: "result", result: unwrapRaw(answer) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof sdk.ProtocolError && localFaultOf(error) === null) {
          return { kind: "error", message: error.message };
        }
        throw toFault(error);
      }
    },
    readStderr: transport.readStderr,
    async close() {
      stopListening();
      await client.close();
      await transport.close();
    },
  };
}

/** What may not be used is no tool; it stays in the list as nothing, and is counted. */
function withValidHeaders(tool: unknown): unknown {
  return isRecord(tool) && areHeadersValid(tool.inputSchema) ? tool : null;
}
