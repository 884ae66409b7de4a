import type { Config } from "../../config/config.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import type { Classifier } from "../permissions/classifier.ts";
import { isMerelyUncovered } from "../permissions/leave-to-people.ts";
import type { PermissionAnswer, PermissionHandler, PermissionRequest } from "../permissions/permission-request.ts";
import type { Approvals, ViewOptions } from "./crib.ts";

export interface ApproverPorts {
  readonly config: () => Config;
  readonly approvals: Approvals;
  /** Whether anybody looks at the queue; what nobody would answer is refused at once. */
  readonly isWatched: () => boolean;
}

/** Who decides about a view's calls, as `gateway.approvals` says. */
export interface ViewApprover {
  readonly onPermissionRequest: () => PermissionHandler | null;
  readonly classifier: () => Classifier | null;
}

/** See docs/decisions/approvals-behind-a-gateway.md. */
export function createViewApprover(
  { config, approvals, isWatched }: ApproverPorts,
  { label, approve, onLeft, whenHere }: Pick<ViewOptions, "label" | "approve" | "onLeft" | "whenHere">,
): ViewApprover {
  /** What nobody would get the result of is not done, whoever would agree to it by then. */
  const unlessLeft =
    (ask: PermissionHandler): PermissionHandler =>
    async (request) => {
      const left = new AbortController();
      const stop = onLeft?.(request, () => left.abort()) ?? (() => {});
      try {
        const signal = AbortSignal.any([request.signal, left.signal]);
        const answer = await ask({ ...request, signal });
        // What is allowed while the client is away runs when it is back.
        const isBack = answer.decision === "allow" ? whenHere?.(request) : undefined;
        return isBack === undefined
          ? answer
          : await untilAborted(
              isBack.then(() => answer),
              signal,
              () => LEFT,
            );
      } catch (error) {
        if (left.signal.aborted) return LEFT;
        throw error;
      } finally {
        stop();
      }
    };
  const byPeople: PermissionHandler = (request) => approvals.ask(request, label, request.signal);
  const orNobody = (): PermissionHandler | null => (isWatched() ? byPeople : null);
  const byClient: PermissionHandler = async (request) => {
    const answer = (await approve?.(request, request.signal)) ?? null;
    if (answer !== null) return { by: `the user of ${label}`, ...answer };
    return (await orNobody()?.(request)) ?? toUnanswered(request);
  };
  const whoIsAsked = (): PermissionHandler | null => {
    switch (config().gateway.approvals.value) {
      case "client":
        return approve === null ? orNobody() : byClient;
      case "inspector":
        return orNobody();
      case "deny":
        return null;
    }
  };
  return {
    onPermissionRequest() {
      const ask = whoIsAsked();
      return ask === null || onLeft === undefined ? ask : unlessLeft(ask);
    },
    classifier: () => (config().gateway.approvals.value === "client" ? STANDS_IN : null),
  };
}

function toUnanswered({ reason }: PermissionRequest): PermissionAnswer {
  return { decision: "deny", reason: `${reason}, and the client cannot ask its user`, by: "Toolcrib" };
}

const LEFT = {
  decision: "deny",
  reason: "the client has gone, so nobody would get the result",
  by: "Toolcrib",
} as const;

/** The client asks its user before it calls; that answers what no rule speaks about, and nothing else. */
const STANDS_IN: Classifier = {
  filter: (request) =>
    isMerelyUncovered(request)
      ? {
          verdict: "safe",
          reason: "no rule speaks about it, and the client asks its user before it calls",
          code: "permission.client",
        }
      : { verdict: "unsure" },
};
