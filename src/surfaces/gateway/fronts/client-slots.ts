import type { Profile } from "../../../runtime/crib/crib.ts";
import type { GatewayLimits } from "../wire/limits.ts";
import { createCensus, findLeaver, type Placed, slotOf } from "./make-room.ts";

/** A slot from the moment that a client is about to connect. */
interface TakenSlot {
  /** It has connected, or has failed to. */
  arrive(): void;
  leave(): void;
}

export interface ClientSlots {
  /** Throws if there is none. */
  take(profile: Profile): TakenSlot;
  readonly areSomeComing: boolean;
}

export interface SlotPorts<C> {
  readonly limits: GatewayLimits;
  /** All that are connected. */
  readonly here: () => readonly (Placed & { readonly client: C })[];
  readonly putOut: (client: C) => void;
}

/** The slots of all clients. */
export function createClientSlots<C>({ limits, here, putOut }: SlotPorts<C>): ClientSlots {
  const census = createCensus();
  const coming = new Set<ReturnType<typeof slotOf>>();
  return {
    // Nothing is awaited between choosing and taking a slot, or many newcomers would all choose the same one.
    take(profile) {
      const slot = slotOf(profile);
      if (!census.hasRoom(slot, limits)) {
        const others = [...coming].map((each) => ({ ...each, client: null, silence: null }));
        const leaver = findLeaver([...here(), ...others], slot, limits);
        if (leaver !== null && leaver.client !== null) putOut(leaver.client);
      }
      coming.add(slot);
      return { arrive: () => void coming.delete(slot), leave: census.add(slot) };
    },
    get areSomeComing() {
      return coming.size > 0;
    },
  };
}
