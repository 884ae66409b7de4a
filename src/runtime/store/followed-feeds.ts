import type { Clock, Timer } from "../../system/time/clock.ts";
import type { BackEnd } from "./back-end.ts";
import type { FeedMessage, Store } from "./store.ts";

/** Subscribers to messages of other processes. */
export interface FollowedFeeds {
  readonly follow: Store["follow"];
  /** Checks these feeds for new messages; null: every feed that has a subscriber. */
  look(feeds: readonly string[] | null): void;
  close(): void;
}

interface Follower {
  after: number;
  readonly listener: (message: FeedMessage) => void;
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
      // Two concurrent checks may find the same message.
      for (const follower of [...(followed.get(feed) ?? [])].filter(({ after }) => after < seq)) {
        follower.after = seq;
        follower.listener({ seq, message: JSON.parse(body) });
      }
    }
  };
  // An unreachable store is ignored: the next check tries again.
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
    follow(feed, after, listener) {
      const follower: Follower = { after, listener };
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
