import type { Clock, Timer } from "../../system/time/clock.ts";
import type { BackEnd } from "./back-end.ts";
import type { FeedMessage, Store } from "./store.ts";

/** Those who follow what other processes tell. */
export interface FollowedFeeds {
  readonly follow: Store["follow"];
  /** Looks whether any of these feeds has something new; null: any that somebody follows. */
  look(feeds: readonly string[] | null): void;
  close(): void;
}

interface Follower {
  after: number;
  readonly heard: (message: FeedMessage) => void;
}

export function createFollowedFeeds(backEnd: BackEnd, clock: Clock): FollowedFeeds {
  const followed = new Map<string, Set<Follower>>();
  const { pollEvery } = backEnd;
  let timer: Timer = null;
  const check = async (feeds: Iterable<string>): Promise<void> => {
    const wanted = new Map(
      [...feeds].flatMap((feed) => {
        const followers = [...(followed.get(feed) ?? [])];
        return followers.length === 0 ? [] : [[feed, Math.min(...followers.map(({ after }) => after))] as const];
      }),
    );
    if (wanted.size === 0) return;
    for (const { feed, seq, body } of await backEnd.messages(wanted)) {
      // Two looks at a time may find the same.
      for (const follower of [...(followed.get(feed) ?? [])].filter(({ after }) => after < seq)) {
        follower.after = seq;
        follower.heard({ seq, message: JSON.parse(body) });
      }
    }
  };
  // A store that is away says nothing: the next look tries again.
  const look = (feeds: Iterable<string>): void => {
    if (followed.size > 0) void check(feeds).catch(() => {});
  };
  const poll = (): void => {
    if (timer !== null || followed.size === 0 || pollEvery === null) return;
    timer = clock.setTimeout(() => {
      timer = null;
      void check(followed.keys())
        .catch(() => {})
        .then(poll);
    }, pollEvery);
  };
  return {
    follow(feed, after, heard) {
      const follower: Follower = { after, heard };
      followed.set(feed, (followed.get(feed) ?? new Set()).add(follower));
      look([feed]);
      poll();
      return () => {
        const followers = followed.get(feed);
        followers?.delete(follower);
        if (followers?.size === 0) followed.delete(feed);
      };
    },
    look: (feeds) => look(feeds ?? followed.keys()),
    close() {
      clock.clearTimeout(timer);
      followed.clear();
    },
  };
}
