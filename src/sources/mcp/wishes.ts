import type { Connection } from "./connection.ts";

/** What clients asked of a server that must be repeated after a restart. */
export interface Wishes {
  readonly logLevel: string | null;
  readonly uris: readonly string[];
  setLogLevel(level: string): void;
  subscribe(uri: string, client: string): void;
  /** Returns whether no client is left that follows that resource. */
  unsubscribe(uri: string, client: string): boolean;
  /** Sends all of it to a server that has just started. */
  renew(connection: Connection): void;
}

/** The most resources that are subscribed to again; beyond that it is a leak. */
const MOST_URIS = 10_000;
const OWN = { client: null, own: true, onProgress: null, onWaiting: null } as const;

export function createWishes(): Wishes {
  const holders = new Map<string, Set<string>>();
  let logLevel: string | null = null;
  return {
    get logLevel() {
      return logLevel;
    },
    get uris() {
      return [...holders.keys()];
    },
    setLogLevel(level) {
      logLevel = level;
    },
    subscribe(uri, client) {
      const known = holders.get(uri);
      if (known !== undefined) known.add(client);
      else if (holders.size < MOST_URIS) holders.set(uri, new Set([client]));
    },
    unsubscribe(uri, client) {
      const known = holders.get(uri);
      known?.delete(client);
      if (known !== undefined && known.size > 0) return false;
      holders.delete(uri);
      return true;
    },
    renew(connection) {
      // The newer protocol has no session to renew: each request and the stream of changes carry it.
      if (connection.era === "modern") return;
      const ask = (method: string, params: Readonly<Record<string, unknown>>) =>
        void connection.send(method, params, OWN).answered.catch(() => {});
      if (logLevel !== null) ask("logging/setLevel", { level: logLevel });
      for (const uri of holders.keys()) ask("resources/subscribe", { uri });
    },
  };
}
