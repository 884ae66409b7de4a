import { nameList } from "../../../core/codes/origin.ts";
import type { Crib, Profile } from "../../../runtime/crib/crib.ts";
import { renewProfile } from "../../../runtime/crib/profile.ts";
import type { SessionRecord } from "../shared/session-record.ts";
import type { Params } from "../wire/json-rpc.ts";
import { clientOwner } from "./client-owner.ts";

/** A client that wants a session. */
export interface LegacyWish {
  readonly profile: Profile;
  readonly label: string;
  readonly version: string;
  readonly capabilities: Params;
}

/** The row of a new session. */
export function toRecord({ profile, label, version, capabilities }: LegacyWish, machine: string): SessionRecord {
  return {
    ...{ owner: clientOwner(profile), principal: profile.principal, label, version, capabilities, machine },
    ...{ asked: profile.asked, since: Date.now(), seen: Date.now(), calls: 0 },
    ...{ isInitialized: false, level: null, watched: [], shown: null, listens: null },
    promotions: { catalogHash: null, names: [], signatures: {} },
  };
}

const NOTHING = { include: nameList([]), exclude: nameList([]) };

/** As the configuration has it now; one that it knows no more sees nothing. */
export function profileNow(profile: Profile, { config }: Pick<Crib, "config">): Profile {
  return renewProfile(profile, config) ?? { ...profile, limits: [NOTHING] };
}
