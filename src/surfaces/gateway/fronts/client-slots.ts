import type { Profile } from "../../../runtime/crib/crib.ts";
import type { GatewayLimits } from "../wire/limits.ts";
import { type ClientSlot, createCensus, findLeaver, type Placed, slotOf } from "./make-room.ts";

/** A slot from the moment that a client is about to connect. */
interface TakenSlot {
  /** It has connected, or has failed to. */
  arrive(): void;
  leave(): void;
}

export interface ClientSlots {
  /** Throws if there is none. */
  take(profile: Profile): TakenSlot;
  /** One for a stream without a session: it is never put out for others. Returns how to leave; throws if there is none. */
  listen(profile: Profile): () => void;
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
  const coming = new Set<ClientSlot>();
  const listening = new Set<ClientSlot>();
  // Nothing is awaited between choosing and taking a slot, or many newcomers would all choose the same one.
  const makeRoom = (slot: ClientSlot): void => {
    if (census.hasRoom(slot, limits)) return;
    const others = [...coming, ...listening].map((each) => ({ ...each, client: null, silence: null }));
    const leaver = findLeaver([...here(), ...others], slot, limits);
    if (leaver !== null && leaver.client !== null) putOut(leaver.client);
  };
  return {
    take(profile) {
      const slot = slotOf(profile);
      makeRoom(slot);
      coming.add(slot);
      return { arrive: () => void coming.delete(slot), leave: census.add(slot) };
    },
    listen(profile) {
      const slot = slotOf(profile);
      makeRoom(slot);
      listening.add(slot);
      const leave = census.add(slot);
      return () => {
        listening.delete(slot);
        leave();
      };
    },
    get areSomeComing() {
      return coming.size > 0;
    },
  };
}
