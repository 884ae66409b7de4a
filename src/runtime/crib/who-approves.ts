import type { Config } from "../../config/config.ts";
import type { PersonRule } from "../../core/people/map-person.ts";

type ApprovalSetting = Pick<Config["gateway"], "approvals" | "auth">;
/** Who says yes: the caller's client, or those who answer what waits in the queue. */
type Way = "client" | "queue";

const WAYS = {
  client: ["client", "queue"],
  approvers: ["queue"],
  inspector: ["queue"],
  deny: [],
} as const satisfies Record<Config["gateway"]["approvals"]["value"], readonly Way[]>;

/**
 * What makes somebody one who may say yes to calls of a server now (O9), each as a text. A yes counts while all of it is
 * still there. `way`: only what counts for an answer that comes that way.
 */
export function whoApproves(server: string | null, { approvals, auth }: ApprovalSetting, way?: Way): readonly string[] {
  const { value, fourEyes } = approvals;
  const needsTwo = fourEyes === "all" || (server !== null && fourEyes.includes(server));
  const ways: readonly Way[] = WAYS[value];
  return [
    ...ways.filter((one) => way === undefined || one === way),
    ...(needsTwo ? [] : ["without a second person"]),
    ...(way === "client" ? [] : (auth?.people ?? []).filter((rule) => isAbout(rule, server)).map(toText)),
  ];
}

function isAbout({ roles, servers }: PersonRule, server: string | null): boolean {
  return roles.includes("approver") && (servers === null || (server !== null && servers.includes(server)));
}

function toText({ issuer, subject, groups, clients, claims, everybody }: PersonRule): string {
  return JSON.stringify([issuer, subject, groups, clients, [...claims], everybody]);
}
