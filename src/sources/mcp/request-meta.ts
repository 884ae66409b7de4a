import { isRecord } from "../../core/shape/is-record.ts";
import type { MessageId } from "../../system/rpc/message-id.ts";

const PREFIX = "io.modelcontextprotocol/";
export const LOG_LEVEL_KEY = `${PREFIX}logLevel`;
/** These concern a single connection, so the caller's values mean nothing on ours. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  "progressToken",
  ...["protocolVersion", "clientInfo", "clientCapabilities", "subscriptionId"].map((key) => PREFIX + key),
]);

/** What the newer protocol sends with every request instead of once. */
export interface RequestEnvelope {
  readonly protocolVersion: string;
  readonly clientInfo: Readonly<Record<string, unknown>>;
}

interface MetaOptions {
  readonly id: MessageId;
  readonly wantsProgress: boolean;
  /** Null for the older protocol. */
  readonly envelope: RequestEnvelope | null;
  /** Called if the protocol sends them with every request. */
  readonly capabilities: () => Readonly<Record<string, unknown>>;
}

/** The `_meta` of a request of ours, with what the caller's own `_meta` has for the server; undefined when empty. */
export function buildMeta(given: unknown, options: MetaOptions): Readonly<Record<string, unknown>> | undefined {
  const { id, wantsProgress, envelope, capabilities } = options;
  if (given === undefined && envelope === null) return wantsProgress ? { progressToken: id } : undefined;
  const meta: Record<string, unknown> = {};
  if (envelope !== null) {
    meta[`${PREFIX}protocolVersion`] = envelope.protocolVersion;
    meta[`${PREFIX}clientInfo`] = envelope.clientInfo;
    meta[`${PREFIX}clientCapabilities`] = capabilities();
  }
  if (isRecord(given)) {
    for (const [key, value] of Object.entries(given)) {
      const foreign = OF_ONE_CONNECTION.has(key) || (envelope === null && key === LOG_LEVEL_KEY) || key === "__proto__";
      if (!foreign) meta[key] = value;
    }
  }
  if (wantsProgress) meta.progressToken = id;
  return meta;
}
