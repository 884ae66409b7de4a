import { type PayloadOf, payloadFor } from "../../../core/dialects/dialects.ts";
import type { DialectName } from "../../../core/dialects/limits/limits.ts";
import type { AnthropicPayload } from "../../../core/dialects/providers/anthropic.ts";
import type { Advertised } from "../../../core/dialects/tools/advertise.ts";
import { findBehind } from "../../../core/toolset/loadable.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { Request } from "../../requests/request.ts";
import type { OpenSession } from "../tools/session.ts";
import type { SessionPayloadOptions } from "./conversation-types.ts";

/** A payload that was given out, and the request that it is for. */
export interface Sent {
  readonly dialect: DialectName;
  readonly payload: PayloadOf<DialectName>;
  readonly request: Request;
}

/** The payloads of one exchange. */
interface Payloads {
  make<Name extends DialectName>(dialect: Name, options?: SessionPayloadOptions): PayloadOf<Name>;
  /** The same object as long as it would say the same, for who changes nothing of it; with what the history loads. */
  again<Name extends DialectName>(dialect: Name, promoted: ReadonlySet<string>): PayloadOf<Name>;
  of(payload: PayloadOf<DialectName>): Sent | undefined;
  /** The last one, or that of a dialect. */
  last(dialect?: DialectName): Sent | null;
  /** What results have referred to: a provider that loads by reference wants it declared for good. */
  refer(tools: readonly Advertised[]): void;
}

/** What was made without any options but these loaded tools. */
interface Kept {
  readonly loads: string;
  /** How often a result had referred to a tool that none did before. */
  readonly refers: number;
  readonly sent: Sent;
}

export function createPayloads(session: Pick<OpenSession, "request" | "loadsInto">, emit: Emitter["emit"]): Payloads {
  const bySent = new WeakMap<object, Sent>();
  const newest = new Map<DialectName, Sent>();
  const kept = new Map<DialectName, Kept>();
  const told = new Set<string>();
  const referred = new Map<string, Advertised>();
  let refers = 0;
  let last: Sent | null = null;

  const note = (sent: Sent, options: SessionPayloadOptions): void => {
    last = sent;
    newest.set(sent.dialect, sent);
    session.loadsInto(isAllInHistory(sent, options) ? "history" : "request");
  };

  const make = <Name extends DialectName>(dialect: Name, given: SessionPayloadOptions = {}): PayloadOf<Name> => {
    const { toolChanges, ...options } = given;
    const request = session.request();
    const changes = toolChanges === true ? { toolChanges: declaredBy(newest.get(dialect)) } : {};
    const payload = payloadFor(dialect, request.toolset, { ...options, ...changes, keep: referred.values() });
    const sent = { dialect, payload, request };
    bySent.set(payload, sent);
    note(sent, options);
    for (const { level: _level, ...notice } of payload.notices) {
      if (!told.has(notice.text)) emit("session.warning", notice);
      told.add(notice.text);
    }
    return payload;
  };

  return {
    make,
    again<Name extends DialectName>(dialect: Name, promoted: ReadonlySet<string>) {
      const { toolset } = session.request();
      const loads = [...promoted].join();
      const known = kept.get(dialect);
      if (known?.sent.request.toolset === toolset && known.loads === loads && known.refers === refers) {
        note(known.sent, { promoted });
        return known.sent.payload as PayloadOf<Name>; // Kept by its dialect.
      }
      const payload = make(dialect, { promoted });
      const sent = bySent.get(payload);
      if (sent !== undefined) kept.set(dialect, { loads, refers, sent });
      return payload;
    },
    of: (payload) => bySent.get(payload),
    last: (dialect) => (dialect === undefined ? last : (newest.get(dialect) ?? null)),
    refer(tools) {
      for (const tool of tools) {
        if (referred.get(tool.wireName) !== tool) refers += 1;
        referred.set(tool.wireName, tool);
      }
    },
  };
}

/** Whether no loaded tool is sent in the request itself. */
function isAllInHistory({ request: { toolset }, payload }: Sent, { promoted }: SessionPayloadOptions): boolean {
  if (payload.deferral !== "native" || promoted === "inline") return false;
  return findBehind(toolset).loaded.every(({ entry }) => payload.loadable.has(entry.wireName));
}

function declaredBy(sent: Sent | undefined): Pick<AnthropicPayload, "declared"> | null {
  return sent !== undefined && "declared" in sent.payload ? sent.payload : null;
}
