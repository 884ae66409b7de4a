import type { Config } from "../../../config/config.ts";
import { isCall } from "../../../runtime/audit/audit-row.ts";
import { readLastCalls } from "../../../runtime/audit/last-calls.ts";
import { serversWithLogins } from "../../../runtime/credentials/own-servers.ts";
import { serversOfPerson, toolsOfPerson } from "../../../runtime/crib/person-tools.ts";
import { personProfile } from "../../../runtime/crib/profile.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { PeoplePort } from "../../http/door/people-port.ts";
import { createKnownRedactor } from "../../http/inspector/known-redactor.ts";
import type { RunningCrib } from "./running-crib.ts";

/** Null where nobody has a login of their own; then nothing of it is loaded. */
export async function openPeopleOf(
  { crib, shared, audit, upstream }: RunningCrib,
  front: Pick<Gateway, "endOf">,
  folder: string,
  onError: (text: string, error: unknown) => void,
): Promise<PeoplePort | null> {
  const { gateway } = crib.config;
  const { auth, publicUrl } = gateway;
  // Without a store nothing would have been started.
  if (auth === null || publicUrl === null || shared === null || upstream === null) return null;
  const { openPeople } = await import("../../http/people/open-people.ts");
  return openPeople({
    ...{ gateway, publicUrl: publicUrl.value, place: shared, folder, note: audit.note, onError, front, upstream },
    approvals: {
      queue: crib.approvals,
      settings: () => crib.config.gateway.approvals,
      redactor: createKnownRedactor(() => [crib.config]),
    },
    connect: {
      ...{ ...upstream.logins, credentials: upstream.credentials },
      servers: () => serversWithLogins(crib.config),
      givenTo: (caller) => serversOfPerson(crib, caller),
    },
    person: {
      tools: (caller) => toolsOfPerson(crib, caller),
      calls: (principal) => lastCalls(audit, principal),
      limits: (caller) => crib.limits.usage(personProfile(crib.config, caller)),
    },
  });
}

/** Whether somebody may come who answers calls that wait, though nobody watches here. */
export function hasApprovers({ gateway: { auth } }: Config): boolean {
  return auth?.people.some(({ roles }) => roles.includes("approver")) === true;
}

const SHOWN_CALLS = 50;

async function lastCalls({ path, recent, flush }: RunningCrib["audit"], principal: string) {
  if (path === null) {
    const own = recent.filter((row) => row.principal === principal).filter(isCall);
    return own.slice(-SHOWN_CALLS).reverse();
  }
  await flush();
  return readLastCalls(path, principal, { most: SHOWN_CALLS, signal: AbortSignal.timeout(5_000) });
}

/** What of a changed configuration counts after a restart, because rows in the store belong to the address. */
export function describePeople(
  now: { readonly publicUrl: string | null; readonly people: PeoplePort | null },
  { gateway: { auth, publicUrl } }: Config,
): readonly string[] {
  return [
    ...((publicUrl?.value ?? null) === now.publicUrl ? [] : ["gateway.publicUrl counts after a restart"]),
    ...(auth !== null && now.people === null ? ["gateway.auth counts after a restart"] : []),
  ];
}
