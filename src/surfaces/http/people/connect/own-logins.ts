import type { Caller } from "../../../../core/people/person.ts";
import { revealText } from "../../../../system/text/reveal-text.ts";
import type { PersonLogin } from "../person/person-page.ts";
import type { ConnectPorts } from "./connect-room.ts";

/** What a person sees of their logins: servers that they are given, and those where something of theirs is still kept. */
export async function ownLogins(
  { credentials, servers, givenTo }: Pick<ConnectPorts, "credentials" | "servers" | "givenTo">,
  caller: Caller,
): Promise<readonly PersonLogin[]> {
  const kept = new Map((await credentials.list(caller)).map((each) => [each.server, each]));
  const isGiven = givenTo(caller);
  const given = servers().filter(({ name }) => isGiven(name));
  const here = given.map((server): PersonLogin => {
    const { name, credentials: configured } = server;
    const own = kept.get(name);
    const kind = configured?.kind === "key" ? "key" : "person";
    return { server: name, kind, state: describe(own), isMade: own !== undefined, isHere: true };
  });
  const left = [...kept.values()]
    .filter(({ server }) => !given.some(({ name }) => name === server))
    .map(
      (own): PersonLogin => ({
        ...{ server: own.server, kind: own.kind, isMade: true, isHere: false },
        state: `${describe(own)}; the server is not given to you any more`,
      }),
    );
  return [...here, ...left];
}

function describe(own: { readonly since: number; readonly trouble: string | null } | undefined): string {
  if (own === undefined) return "none yet";
  const since = `since ${new Date(own.since).toISOString().slice(0, 10)}`;
  return own.trouble === null ? since : `${since}; no longer used: ${revealText(own.trouble)}`;
}
