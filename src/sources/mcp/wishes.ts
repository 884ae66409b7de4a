import type { Connection } from "./connection.ts";

/** What clients have asked of a server that must still hold after it was started anew. */
export interface Wishes {
  readonly logLevel: string | null;
  readonly uris: readonly string[];
  setLogLevel(level: string): void;
  subscribe(uri: string, client: string): void;
  /** Answers whether nobody is left who wants to hear of that resource. */
  unsubscribe(uri: string, client: string): boolean;
  /** Asks a server that was just started for all of it. */
  renew(connection: Connection): void;
}

/** The most resources that are asked for again; what is beyond was no longer a wish but a leak. */
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
      // The newer protocol has no session to renew: each request says it, and so does the stream of changes.
      if (connection.era === "modern") return;
      const ask = (method: string, params: Readonly<Record<string, unknown>>) =>
        void connection.send(method, params, OWN).answered.catch(() => {});
      if (logLevel !== null) ask("logging/setLevel", { level: logLevel });
      for (const uri of holders.keys()) ask("resources/subscribe", { uri });
    },
  };
}
