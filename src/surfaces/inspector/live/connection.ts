import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api } from "./api-client.ts";
import type { PageEvents } from "./event-stream.ts";

/** What every panel needs: the API, news, and announcements for people who do not see the page. */
export interface PageConnection {
  /** Null for a person who has logged in. */
  readonly token: string | null;
  readonly api: Api;
  readonly events: PageEvents;
  announce(text: string): void;
}

const Current = createContext<PageConnection | null>(null);

export const ConnectionProvider = Current.Provider;

export function useConnection(): PageConnection {
  const connection = useContext(Current);
  if (connection === null) throw new Error("no connection around this component");
  return connection;
}
