import type { GatewayConfig } from "../../config/config.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { ConnectionPlaces, PlaceHolder } from "../../sources/parts/connection-places.ts";

/** The places of all persons' own connections on this machine (O10). */
export interface PersonPlaces {
  /** How many are taken now. */
  readonly taken: number;
  /** Those of one person. */
  of(person: string): ConnectionPlaces;
}

/** Where there are too many, the one that was used longest ago rests; only if all are in use, a start is refused. */
export function createPersonPlaces(limits: () => GatewayConfig["upstreams"]): PersonPlaces {
  const all = new Map<PlaceHolder, string>();

  /** Whether there is room among them now. */
  const makeRoom = (most: number, among: (person: string) => boolean): boolean => {
    const held = [...all].filter(([, person]) => among(person)).map(([holder]) => holder);
    const idle = held.filter(({ isIdle }) => isIdle).sort((one, other) => one.usedAt - other.usedAt);
    const toEnd = idle.slice(0, Math.max(0, held.length - most + 1));
    for (const holder of toEnd) holder.rest();
    return held.length - toEnd.length < most;
  };

  return {
    get taken() {
      return all.size;
    },
    of: (person) => ({
      get idle() {
        return limits().idle.value;
      },
      take(holder) {
        const { most, perPerson } = limits();
        if (!makeRoom(perPerson.value, (one) => one === person))
          return `all ${perPerson.value} connections that one person may have are in use (gateway.upstreams.perPerson, ${formatOrigin(perPerson.origin)})`;
        if (!makeRoom(most.value, () => true))
          return `all ${most.value} connections that persons may have here are in use (gateway.upstreams.most, ${formatOrigin(most.origin)})`;
        all.set(holder, person);
        return () => void all.delete(holder);
      },
    }),
  };
}
