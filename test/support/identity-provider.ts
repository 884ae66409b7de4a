import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

/** A real, certified OpenID provider on a port of this machine. */
export interface IdentityProvider {
  readonly issuer: string;
  /** A new account, or what it is from now on. `idTokenOnly` are claims that userinfo does not have. */
  setUser(subject: string, user?: ProviderUser): Promise<void>;
  /** Registers a client, or what it is from now on. */
  setClient(client: ProviderClient): Promise<void>;
  /** Who logs in without being asked; null: the page of the provider asks for the name. */
  signIn(subject: string | null): Promise<void>;
  /** Its clock, by so many milliseconds. */
  setOffset(milliseconds: number): Promise<void>;
  /** Milliseconds before it looks at a request. */
  setDelay(milliseconds: number): Promise<void>;
  /** Whether it cuts every connection. */
  setAway(isAway: boolean): Promise<void>;
  /** New keys; by default the old ones are gone. */
  rotateKeys(keepOld?: boolean): Promise<void>;
  /** Every code and token that it has given out and keeps as it is. */
  issued(): Promise<readonly string[]>;
  /** How often a path was asked for. */
  requests(path: string): Promise<number>;
  /** Ends every session of a person, and sends each client its logout token; returns the ids of the sessions. */
  endSessions(subject: string): Promise<readonly string[]>;
}

interface ProviderUser {
  readonly disabled?: boolean;
  readonly idTokenOnly?: Readonly<Record<string, unknown>>;
  readonly [claim: string]: unknown;
}

/** In the words of dynamic registration. */
interface ProviderClient {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly redirect_uris: readonly string[];
  readonly [name: string]: unknown;
}

/** Claims besides those of the standard that an account may have. */
const CLAIMS = ["groups", "roles", "oid", "tid", "hd", "department", "_claim_names", "_claim_sources"];

interface ProviderOptions {
  /** 0: any free port. */
  readonly port?: number;
  /** When it ends: with the test, unless this is `afterAll`. */
  readonly when?: (end: () => Promise<void>) => void;
}

/** Starts in about a second. It runs in a thread of its own, and only so can its clock be off. */
export async function startIdentityProvider({
  port = 0,
  when = onTestFinished,
}: ProviderOptions = {}): Promise<IdentityProvider> {
  const worker = new Worker(new URL("./identity-provider-worker.mjs", import.meta.url), {
    workerData: { port, claims: CLAIMS },
  });
  when(async () => void (await worker.terminate()));
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let last = 0;
  const issuer = await new Promise<string>((resolve, reject) => {
    worker.on("error", reject);
    worker.on("message", ({ id, issuer: started, result, error }) => {
      if (started !== undefined) return resolve(started);
      const { resolve: done, reject: refuse } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error === undefined) done?.(result as never);
      else refuse?.(new Error(error));
    });
  });
  const ask = <T>(act: string, ...given: unknown[]): Promise<T> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      worker.postMessage({ id: last, act, given });
    });
  return {
    issuer,
    setUser: (subject, user = {}) => ask("setUser", subject, user),
    setClient: (client) => ask("setClient", client),
    signIn: (subject) => ask("signIn", subject),
    setOffset: (milliseconds) => ask("setOffset", milliseconds),
    setDelay: (milliseconds) => ask("setDelay", milliseconds),
    setAway: (isAway) => ask("setAway", isAway),
    rotateKeys: (keepOld = false) => ask("rotateKeys", keepOld),
    issued: () => ask("issued"),
    requests: (path) => ask("requests", path),
    endSessions: (subject) => ask("endSessions", subject),
  };
}
