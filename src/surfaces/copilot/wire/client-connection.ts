/** One client that is connected. */
export interface ClientConnection {
  readonly id: string;
  /** It has said `connect`, as clients do since 1.0. */
  hasConnected: boolean;
  /** Resolves with its answer; rejects where it refuses, is gone, or the signal is aborted. */
  request(method: string, params: object, signal?: AbortSignal): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Ends it; null where nothing is wrong with it. */
  cut(reason: string | null): void;
  /** Ends it once it has had the answer to what it asked last; nothing that it sends meanwhile is read. */
  dismiss(reason: string): void;
  readonly closed: Promise<void>;
}
