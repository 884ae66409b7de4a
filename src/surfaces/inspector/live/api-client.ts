import type { ApiError } from "../../http/api/api.ts";

/** An answer other than 2xx, or none at all. */
export class ApiFailure extends Error {
  /** 0 if nothing answered. */
  readonly status: number;
  readonly code: string;
  readonly names: readonly string[];

  constructor(status: number, code: string, text: string, names: readonly string[] = []) {
    super(text);
    this.status = status;
    this.code = code;
    this.names = names;
  }
}

export interface Api {
  get<T>(path: string, signal: AbortSignal): Promise<T>;
  /** The parsed answer; undefined if there is no content. */
  post<T = void>(path: string, body?: unknown): Promise<T>;
  /** The raw answer, for downloads and streams. */
  open(path: string, signal?: AbortSignal): Promise<Response>;
}

/**
 * Asks `/api` of the page's own origin with the token, or where there is none as the person who has logged in with this
 * browser. `refused` is called when that is not accepted, or no longer.
 */
export function createApi(token: string | null, refused: () => void): Api {
  const way: RequestInit & { readonly headers: object } =
    token === null
      ? { credentials: "same-origin", headers: {} }
      : { credentials: "omit", headers: { Authorization: `Bearer ${token}` } };
  async function ask(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(`api/${path}`, {
      ...init,
      ...way,
      cache: "no-store",
      redirect: "error",
      headers: { ...way.headers, ...init.headers },
    }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new ApiFailure(0, "page.unreachable", "Toolcrib does not answer; is it still running?");
    });
    if (response.ok) return response;
    const failure = await toFailure(response);
    // A client's token is known, but opens nothing that the page needs.
    if (failure.status === 401 || failure.code === "http.forbidden") refused();
    throw failure;
  }
  return {
    // The server shares these types and is ours, so the answer is not checked here.
    get: async <T>(path: string, signal: AbortSignal) => (await (await ask(path, { signal })).json()) as T,
    async post<T>(path: string, body?: unknown) {
      const headers = { "Content-Type": "application/json" };
      const answer = await ask(path, { method: "POST", headers, body: JSON.stringify(body ?? {}) });
      return (answer.status === 204 ? undefined : await answer.json()) as T;
    },
    open: (path, signal) => ask(path, signal === undefined ? {} : { signal }),
  };
}

async function toFailure(response: Response): Promise<ApiFailure> {
  try {
    // Anything else throws right here and is shown as a bare status.
    const { error } = (await response.json()) as ApiError;
    return new ApiFailure(response.status, error.code, error.text, error.names ?? []);
  } catch {
    return new ApiFailure(response.status, "page.status", `Toolcrib answered with status ${response.status}`);
  }
}
