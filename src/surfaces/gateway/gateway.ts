import type { IncomingMessage, ServerResponse } from "node:http";
import type { Notice } from "../../core/codes/reason.ts";
import type { Crib, Profile } from "../../runtime/crib/crib.ts";
import { createValidator } from "../../runtime/executor/validator.ts";
import { createPassingMap } from "../../system/passing.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { createFronts, type Fronts } from "./fronts/fronts.ts";
import { answerRound } from "./fronts/modern-front.ts";
import { createSuspendedCalls } from "./fronts/suspended-calls.ts";
import { MOVED } from "./fronts/tasks.ts";
import type { JudgeCall } from "./methods/judge-call.ts";
import { type ClientElsewhere, listElsewhere } from "./shared/list-elsewhere.ts";
import type { Passed } from "./shared/relay.ts";
import { createShared, type SharedOptions } from "./shared/shared.ts";
import { createHttpFront } from "./transports/http-front.ts";
import { type StdioStreams, serveStdio } from "./transports/stdio-front.ts";
import type { RunningCalls } from "./views/front.ts";
import { createUnknownNames } from "./views/unknown-names.ts";
import type { Clash } from "./views/view.ts";
import type { ServerInfo } from "./wire/finish.ts";
import { CAPABILITIES } from "./wire/initialize.ts";
import { type ProtocolAnswer, refuseRequest } from "./wire/json-rpc.ts";
import { followLimits, type GatewayLimits } from "./wire/limits.ts";
import type { Outlet } from "./wire/outlet.ts";
import { ERROR, META } from "./wire/protocol.ts";

/** A client, for people. */
interface FrontView {
  readonly id: string;
  readonly label: string;
  readonly principal: string;
  readonly era: "legacy" | "modern";
  readonly agent: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly calls: number;
  /** The id of its session. */
  readonly sessionId: string;
  /** False: it seems to have left silently, and may come back to its session. */
  readonly isHere: boolean;
}

/** Something about a client that an operator should know. */
export interface Incident {
  readonly code: "session.principal_mismatch";
  readonly text: string;
  readonly principal: string;
}

export interface GatewayOptions {
  readonly version: string;
  readonly clock?: Clock;
  /** Where clients' sessions outlive this process, and other machines find them; nowhere if absent. */
  readonly shared?: Pick<SharedOptions, "store" | "scope">;
  readonly limits?: Partial<GatewayLimits>;
  readonly onIncident?: (incident: Incident) => void;
  readonly onNotice?: (text: string) => void;
  /** Answers hooks of clients about calls that those run themselves; absent where none may ask. */
  readonly judge?: JudgeCall;
  /** Reports names in a client's address that match no tool. */
  readonly onUnknownNames?: (notices: readonly Notice[]) => void;
  readonly onError?: (text: string, error: unknown) => void;
}

/** The MCP surface: translates only, decides nothing. */
export interface Gateway {
  /** One request to `/mcp`, authenticated as `profile.principal`. Host, Origin and token have been checked. */
  handleHttp(request: IncomingMessage, response: ServerResponse, access: { readonly profile: Profile }): Promise<void>;
  /** One client on a pair of streams, until its input ends. */
  serveStdio(streams: StdioStreams, profile: Profile): Promise<void>;
  readonly clients: readonly FrontView[];
  /** Clients that other machines with the same store have seen lately; empty if the store is unreachable. */
  elsewhere(): Promise<readonly ClientElsewhere[]>;
  /** Calls back when clients come and go. */
  changes(listener: () => void): () => void;
  /** Ends what is open here for these profiles: sessions, streams, running calls, questions. */
  endOf(isTheirs: (profile: Profile) => boolean): Promise<void>;
  /** Ends every client's session and leaves no timer or handle behind. Twice is fine. */
  close(): Promise<void>;
}

export function createGateway(crib: Crib, options: GatewayOptions): Gateway {
  const { version, clock = SYSTEM_CLOCK, onIncident, onNotice, onError = () => {} } = options;
  const limits = followLimits(() => crib.config.gateway.capacity, options.limits ?? {});
  const server: ServerInfo = { name: "toolcrib", title: "Toolcrib", version };
  const running = createRunningCalls();
  const window = (): number => crib.config.gateway.resumeWindow.value;
  const shared =
    options.shared === undefined ? null : createShared({ ...options.shared, idle: limits.idle, window, onError });
  const suspended = createSuspendedCalls({
    ...{ clock, timeout: limits.questionTimeout, most: limits.suspendedCalls },
    prefix: shared?.relay.prefix ?? "",
  });
  const fronts = createFronts({
    shared,
    crib,
    clock,
    limits,
    server,
    capabilities: CAPABILITIES,
    suspended,
    running,
    judge: options.judge,
    modernTail: `"resultType":"complete","_meta":${JSON.stringify({ [META.server]: server })}`,
    onClash: createClashes(onNotice),
    unknownNames: createUnknownNames((notices) => options.onUnknownNames?.(notices)),
    onError,
  });
  const stopServing = shared?.relay.serve((passed, outlet, signal) =>
    passed.kind === "round" ? answerRound(passed, signal, suspended) : answerPassed(passed, outlet, fronts),
  );
  const { handleHttp } = createHttpFront({
    fronts,
    streams: shared?.streams ?? null,
    server,
    messageBytes: limits.messageBytes,
    onError,
    onMismatch({ principal }, client) {
      const owner = client === null ? "somebody else" : `${client.profile.principal} (${client.label})`;
      const text = `${principal} presented the session of ${owner}`;
      onIncident?.({ code: "session.principal_mismatch", text, principal });
    },
  });
  return {
    handleHttp,
    serveStdio: (streams, profile) => serveStdio(streams, profile, { fronts, server, limits, onError }),
    get clients() {
      return fronts.all.map((client) => ({
        id: client.shownAs,
        label: client.label,
        principal: client.profile.principal,
        era: client.front.era,
        agent: client.profile.agent,
        since: client.since,
        calls: client.front.calls,
        sessionId: client.front.era === "legacy" ? client.front.sessionId : client.front.view.session.id,
        isHere: fronts.isHere(client),
      }));
    },
    elsewhere: async () => {
      const here = fronts.all.filter((client) => fronts.isHere(client)).map(({ id }) => id);
      return shared === null ? [] : listElsewhere(shared, new Set(here));
    },
    changes: (listener) => fronts.changes(listener),
    endOf: (isTheirs) => fronts.endOf(isTheirs),
    async close() {
      stopServing?.();
      suspended.close();
      await fronts.close();
      await shared?.close();
    },
  };
}

/** A request about a task of this machine, whose client came to another one. */
async function answerPassed(
  { session, request }: Extract<Passed, { kind: "request" }>,
  outlet: Outlet,
  fronts: Fronts,
): Promise<ProtocolAnswer | null> {
  const answer = await fronts.findLegacy(session)?.front.answer(request, outlet);
  if (answer === MOVED) return null;
  return (
    answer ?? refuseRequest(ERROR.params, "Task not found: it never was, has expired, or belongs to another session")
  );
}

function createRunningCalls(): RunningCalls {
  let last = 0;
  return {
    byId: createPassingMap(),
    unstored: new Set(),
    validator: createValidator(),
    nextId() {
      last += 1;
      return `c${last}`;
    },
  };
}

const MOST_CLASHES = 1_000;

/** Each clash is reported once. */
function createClashes(onNotice: GatewayOptions["onNotice"]): (clash: Clash) => void {
  const told = new Set<string>();
  return ({ uri, answering, dropped }) => {
    const key = `${answering}\n${dropped}\n${uri}`;
    if (told.has(key) || told.size >= MOST_CLASHES) return;
    told.add(key);
    onNotice?.(
      `the servers ${answering} and ${dropped} both have ${uri}; ${answering} answers for it, being configured first`,
    );
  };
}
