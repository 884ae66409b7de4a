import type { Crib, Profile } from "../../../runtime/crib/crib.ts";
import type { PermissionRequest } from "../../../runtime/permissions/permission-request.ts";
import type { Clock } from "../../../system/time/clock.ts";
import { createPeerStates } from "../servers/peer-states.ts";
import type { GatewayLimits } from "../wire/limits.ts";
import { askForApproval } from "./approval-form.ts";
import type { RunningCalls } from "./front.ts";
import type { UnknownNames } from "./unknown-names.ts";
import { type Clash, createView, type View } from "./view.ts";

/** The client, its profile, and whether others may share it. */
export interface ViewWish {
  readonly id: string;
  readonly profile: Profile;
  readonly label: string;
  readonly isShared: boolean;
  readonly clientName: string | null;
  /** Its id for other machines; null if it is known to none. */
  readonly storedAs: string | null;
  /** That of its session, which goes on after a rest; a new one if absent. */
  readonly sessionId?: string | null;
  /** Whether it was shown a list that lacked tools, and will not ask again. */
  readonly lateness?: { isLate: boolean };
}

export interface ViewOpenerOptions {
  readonly crib: Crib;
  readonly clock: Clock;
  readonly limits: GatewayLimits;
  readonly running: RunningCalls;
  readonly onClash: (clash: Clash) => void;
  readonly unknownNames: UnknownNames;
  readonly onError: (text: string, error: unknown) => void;
}

/** Opens sessions for clients, who are asked about their own calls. Knowledge about servers is shared. */
export function createViewOpener(options: ViewOpenerOptions): (wish: ViewWish) => Promise<View> {
  const { crib, clock, limits, running, onClash, unknownNames, onError } = options;
  const peers = createPeerStates(clock);
  for (const source of crib.sources) peers.since(source);
  const isRefused = () => crib.refused !== null;
  const exchangeOf = ({ toolCallId }: PermissionRequest) => running.byId.get(toolCallId);
  return async ({ profile, label, isShared, clientName, storedAs, sessionId = null, lateness = { isLate: false } }) => {
    const session = await crib.openView({
      ...{ profile, label, isShared, clientName, storedAs, client: null, sessionId },
      isLate: () => lateness.isLate,
      async approve(request, signal) {
        const exchange = exchangeOf(request);
        return exchange === undefined ? null : askForApproval(exchange.client, request, signal);
      },
      onLeft(request, listener) {
        const outlet = exchangeOf(request)?.outlet;
        outlet?.linger?.();
        return outlet?.onGone?.(listener) ?? (() => {});
      },
      whenHere: async (request) => exchangeOf(request)?.outlet?.whenHere?.(),
      onUnstored({ toolCallId }) {
        const exchange = running.byId.get(toolCallId);
        // For a call inside another one, the outer call decides what happens.
        if (exchange !== undefined && exchange.isInner !== true) running.unstored.add(toolCallId);
      },
      async keeps(request) {
        const { outlet, isInner = false } = exchangeOf(request) ?? {};
        return (await (isInner ? null : outlet?.waiting?.()))?.ask(request) ?? null;
      },
    });
    // A call inside another one belongs to the same client.
    session.on("tool.execution_start", ({ toolCallId, parentToolCallId }) => {
      const outer = parentToolCallId === null ? undefined : running.byId.get(parentToolCallId);
      if (outer !== undefined) running.byId.set(toolCallId, { ...outer, isInner: true });
    });
    session.on("tool.execution_complete", ({ toolCallId }) => void running.byId.delete(toolCallId));
    const view = await createView(session, { peers, clock, limits, onClash, lateness, isRefused });
    unknownNames
      .watch(session, profile, () => view.isClosed)
      .catch((error: unknown) => onError(`the names that ${label} asked for could not be checked`, error));
    return view;
  };
}
