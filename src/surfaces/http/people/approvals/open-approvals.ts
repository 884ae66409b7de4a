import { startTelling } from "../../../../runtime/approvals/teller.ts";
import type { PeoplePlace } from "../../../../runtime/people/contract.ts";
import type { PeopleRoute } from "../../door/people-port.ts";
import type { ApprovalPorts, ApprovalsRoom } from "./approvals-room.ts";
import { approvalRoutes } from "./approvals-routes.ts";

interface OpenApprovals {
  readonly routes: ReadonlyMap<string, PeopleRoute>;
  /** Whether people answer in Slack now. */
  readonly hasSlack: () => boolean;
  close(): Promise<void>;
}

/** Asks people about calls that wait, and takes their answers; nothing where there is no queue. */
export function openApprovals(
  ports: ApprovalPorts | null,
  room: Omit<ApprovalsRoom, keyof ApprovalPorts> & { readonly place: PeoplePlace },
): OpenApprovals {
  if (ports === null) return { routes: new Map(), hasSlack: () => false, close: async () => {} };
  const { queue, settings, redactor } = ports;
  const { publicUrl, place, note, onError, now } = room;
  const teller = startTelling({ approvals: queue, settings, redactor, publicUrl, place, note, onError, now });
  return {
    routes: approvalRoutes({ ...ports, ...room }),
    hasSlack: () => settings().slack !== null,
    close: teller.close,
  };
}
