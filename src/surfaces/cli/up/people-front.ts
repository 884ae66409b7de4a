import type { Config } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { PeoplePort } from "../../http/door/people-port.ts";
import type { RunningCrib } from "./running-crib.ts";

/** Refuses, before anything is started, a configuration in which people could not come in. */
export function checkPeople({ gateway: { auth, publicUrl } }: Config): void {
  if (auth === null || publicUrl !== null) return;
  const text = `${formatOrigin(auth.origin)}: gateway.auth needs gateway.publicUrl, the address under which people and their clients reach the gateway`;
  throw new ToolcribError("config.invalid", text, { origin: auth.origin });
}

/** What machines of one company's gateway have in common: they are behind one address. Null without people. */
export function sharedName({ gateway: { auth, publicUrl } }: Config): string | null {
  return auth === null || publicUrl === null ? null : publicUrl.value;
}

/** Null where nobody has a login of their own; then nothing of it is loaded. */
export async function openPeopleOf(
  { crib, shared, audit }: RunningCrib,
  onError: (text: string, error: unknown) => void,
): Promise<PeoplePort | null> {
  const { gateway } = crib.config;
  const { auth, publicUrl } = gateway;
  if (auth === null || publicUrl === null) return null;
  if (shared === null) {
    const text = `${formatOrigin(auth.origin)}: gateway.auth needs a store that works, where authorizations of people are kept; see the warning above, or set store.url`;
    throw new ToolcribError("up.refused", text, { origin: auth.origin });
  }
  const { openPeople } = await import("../../http/people/open-people.ts");
  return openPeople({ gateway, publicUrl: publicUrl.value, place: shared, note: audit.note, onError });
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
