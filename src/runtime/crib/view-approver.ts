import type { Config } from "../../config/config.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Caller } from "../../core/people/person.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import type { ClassifierStage } from "../permissions/classifier.ts";
import { isMerelyUncovered } from "../permissions/leave-to-people.ts";
import {
  type PermissionAnswer,
  type PermissionHandler,
  type PermissionRequest,
  serverOfRequest,
} from "../permissions/permission-request.ts";
import { ENDING, refusal } from "./approvals.ts";
import type { Approvals, AskedFor, StoredAsking, ViewOptions } from "./crib.ts";
import { whoApproves } from "./who-approves.ts";

export interface ApproverPorts {
  readonly config: () => Config;
  readonly approvals: Approvals;
  /** Whether anybody watches the queue; a question that nobody would answer is refused at once. */
  readonly isWatched: () => boolean;
  /** Aborted when this Toolcrib ends: calls that another machine can make are left to it. */
  readonly leaving: AbortSignal;
}

type AskedView = Pick<ViewOptions, "label" | "approve" | "onLeft" | "whenHere" | "keeps" | "onUnstored"> & {
  /** The person whose view it is; null where none is known. */
  readonly caller: Caller | null;
};

/** Asks somebody about a call, which may outlive this machine. */
type Ask = (request: PermissionRequest, stored: StoredAsking | null) => Promise<PermissionAnswer>;

/** Who decides about a view's calls, according to `gateway.approvals`. */
export interface ViewApprover {
  readonly onPermissionRequest: () => PermissionHandler | null;
  readonly approvers: (server: string | null) => readonly string[];
  readonly standsIn: () => ClassifierStage | null;
}

/** See docs/decisions/approvals-behind-a-gateway.md. */
export function createViewApprover(
  { config, approvals, isWatched, leaving }: ApproverPorts,
  { label, caller, approve, onLeft, whenHere, keeps, onUnstored }: AskedView,
): ViewApprover {
  /** A call whose result nobody would get is not made, even if somebody agrees to it by then. */
  const unlessLeft =
    (ask: Ask): PermissionHandler =>
    async (request) => {
      const left = new AbortController();
      const stop = onLeft?.(request, () => left.abort()) ?? (() => {});
      let stored: StoredAsking | null = null;
      try {
        stored = (await keeps?.(request)) ?? null;
        const signal = AbortSignal.any([request.signal, left.signal, ...(stored === null ? [] : [leaving])]);
        const answer = await ask({ ...request, signal }, stored);
        if (answer.decision !== "allow") return answer;
        // A call that is allowed while the client is away runs when it is back.
        await untilAborted(Promise.resolve(whenHere?.(request)), signal);
        return stored === null || (await stored.start()) ? answer : TAKEN;
      } catch (error) {
        if (left.signal.aborted) return LEFT;
        if (stored !== null && leaving.aborted) return leave(stored);
        if (!isToolcribError(error)) throw error;
        onUnstored?.(request, error);
        return UNSTORED;
      } finally {
        stop();
      }
    };
  const setting = () => config().gateway.approvals;
  const byPeople: Ask = (request, stored) =>
    approvals.ask(
      request,
      askedFor(request, { client: label, caller }, setting()),
      request.signal,
      stored ?? undefined,
    );
  const orNobody = (): Ask | null => (isWatched() ? byPeople : null);
  const byClient: Ask = async (request, stored) => {
    const under = whoApproves(serverOfRequest(request), config().gateway, "client");
    const answer = (await approve?.(request, request.signal)) ?? null;
    // It is the caller's own word: of four eyes, two are still missing.
    const isEnough = answer?.decision === "deny" || !needsFourEyes(request, setting());
    if (answer !== null && isEnough) return { by: `the user of ${label}`, ...answer, under };
    return (await orNobody()?.(request, stored)) ?? toUnanswered(request);
  };
  const whoIsAsked = (): Ask | null => {
    switch (setting().value) {
      case "client":
        return approve === null ? orNobody() : byClient;
      case "inspector":
      case "approvers":
        return orNobody();
      case "deny":
        return null;
    }
  };
  return {
    onPermissionRequest() {
      const ask = whoIsAsked();
      return ask === null ? null : unlessLeft(ask);
    },
    approvers: (server) => whoApproves(server, config().gateway),
    standsIn: () => (ASKS_CLIENT.has(setting().value) ? clientAsked : null),
  };
}

/** The client's own question is enough there where no rule asks. */
const ASKS_CLIENT: ReadonlySet<string> = new Set(["client", "approvers"]);

/** How a question about a call may be answered, as it is configured now. */
export function askedFor(
  request: PermissionRequest,
  who: Pick<AskedFor, "client" | "caller">,
  approvals: Config["gateway"]["approvals"],
): AskedFor {
  return { ...who, fourEyes: needsFourEyes(request, approvals), expires: approvals.expires };
}

export function needsFourEyes(request: PermissionRequest, { fourEyes }: Config["gateway"]["approvals"]): boolean {
  if (fourEyes === "all") return true;
  const server = serverOfRequest(request);
  return server !== null && fourEyes.includes(server);
}

function toUnanswered({ reason }: PermissionRequest): PermissionAnswer {
  return { decision: "deny", reason: `${reason}, and the client cannot ask its user`, by: "Toolcrib" };
}

async function leave(stored: StoredAsking): Promise<PermissionAnswer> {
  return stored.leave().then(
    () => TAKEN,
    () => ENDING, // The store is unreachable: nobody else would find it.
  );
}

/** The store's address and problems are not shown to clients and models. */
const UNSTORED = refusal("nobody can be asked now, because the store cannot be used");
const LEFT = refusal("the client has gone, so nobody would get the result");
const TAKEN = refusal("another machine has taken the call over");

/** The client asks its user before it calls; that answers calls that no rule covers, and nothing else. */
const clientAsked: ClassifierStage = (request) =>
  isMerelyUncovered(request)
    ? {
        verdict: "safe",
        reason: "no rule covers it, and the client asks its user before it calls",
        code: "permission.client",
      }
    : { verdict: "unsure" };
