import { defaultOrigin } from "../../core/codes/origin.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { keepNobodyAwake } from "../../system/time/keep-nobody-awake.ts";
import type { PeoplePlace, PeopleRows } from "../people/contract.ts";
import { settleSealingKeys, usedSealingKeys } from "../people/sealing-keys.ts";
import type { Upstream, UpstreamOptions } from "./open-upstream.ts";
import { resealLogins } from "./reseal-logins.ts";

interface UpkeepOptions extends Pick<UpstreamOptions, "place" | "auth" | "onError"> {
  readonly upstream: Upstream;
  readonly people: Pick<PeopleRows, "list">;
  readonly clock?: Clock;
}

export interface Upkeep {
  /** Does it now, such as after the configuration changed. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds. */
const HOUR = 3_600_000;
const SOON = 2_000;

/** Where machines tell each other that there is another sealing key. */
function sealingFeed(scope: string): string {
  return `sealing:${scope}`;
}

/** Tells every machine to take its sealing keys over again. */
export async function announceSealing({ store, scope }: PeoplePlace): Promise<void> {
  await store.post(sealingFeed(scope), {});
}

/**
 * Seals what is stored with the key that seals now, and forgets what belongs to people whose access has ended: soon, every
 * hour, and when another key is announced.
 */
export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { place, onError, clock = SYSTEM_CLOCK } = options;
  let timer: Timer = null;
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const run = (): Promise<void> => {
    running = running
      .then(async () => {
        if (!isStopped) await keepUp(options, () => isStopped);
      })
      .catch((error: unknown) => onError("stored logins could not be looked after", error));
    return running;
  };
  const later = (delay: number): void => {
    timer = clock.setTimeout(() => void run().then(() => isStopped || later(HOUR)), delay);
    keepNobodyAwake(timer);
  };
  const stopFollowing = place.store.follow(sealingFeed(place.scope), 0, () => void run());
  later(SOON);
  return {
    look: run,
    async close() {
      isStopped = true;
      stopFollowing();
      clock.clearTimeout(timer);
      await running;
    },
  };
}

async function keepUp({ upstream, people, place, auth }: UpkeepOptions, isStopped: () => boolean): Promise<void> {
  const { sealer, credentials, signing, login } = upstream;
  const { keys, origin } = auth() ?? { keys: null, origin: defaultOrigin };
  await sealer.renew({ keys: keys ?? [], origin });
  const isAlone = (await usedSealingKeys(place, true)).every((key) => key === sealer.keys[0]);
  let isWhole = true;
  for (const { caller, ended } of await people.list()) {
    if (isStopped()) return;
    if (ended !== null) await credentials.end(caller);
    if (isAlone) continue;
    const isDone = await resealLogins({ place, sealer }, caller);
    isWhole = (await (login?.sessions.reseal(caller) ?? true)) && isDone && isWhole;
  }
  if (!isAlone && (await signing.reseal()) && isWhole)
    await settleSealingKeys(place, sealer, upstream.sealsElsewhere());
}
