import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Reach } from "../../../system/addresses/resolve-public.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import { type AuthSettings, beginServerLogin } from "./begin-server-login.ts";
import { finishServerLogin } from "./finish-server-login.ts";
import type { Login, LoginStore } from "./login-store.ts";
import { openRedirect } from "./redirect.ts";

export interface LogInOptions {
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly settings: AuthSettings & {
    /** Null: any free port. */
    readonly callbackPort: number | null;
  };
  readonly store: LoginStore;
  readonly signal: AbortSignal;
  /** How long a person may take, in milliseconds. */
  readonly patience: number;
  /** Shows a person where to go. `paste` takes the address they end up at, and returns whether it is the right one. */
  readonly show: (url: URL, paste: (text: string) => boolean) => void;
  readonly now?: () => number;
  readonly reach?: Reach;
}

/** One login in a browser: authorization code with PKCE, with a redirect to this machine. The tokens are stored. */
export async function logIn(options: LogInOptions): Promise<Login> {
  const { settings, store, signal } = options;
  const redirect = await openRedirect(settings.callbackPort ?? 0);
  try {
    const { address, pending } = await beginServerLogin({ ...options, redirect: redirect.url, state: redirect.state });
    options.show(address, redirect.paste);
    const login = await finishServerLogin(pending, await within(redirect.returned, options), options);
    await store.alone(signal, () => store.write(login));
    return login;
  } finally {
    await redirect.close();
  }
}

function within<T>(work: Promise<T>, { signal, patience }: LogInOptions): Promise<T> {
  const time = AbortSignal.timeout(patience);
  return untilAborted(work, AbortSignal.any([signal, time]), () => {
    const text = time.aborted ? "Nobody came back from the browser in time." : "The login was given up.";
    throw new ToolcribError("login.failed", text);
  });
}
