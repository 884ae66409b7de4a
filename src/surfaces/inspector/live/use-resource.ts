import { useEffect, useState } from "preact/hooks";
import { ApiFailure } from "./api-client.ts";
import { useConnection } from "./connection.ts";
import type { Topic } from "./event-stream.ts";

export interface Resource<T> {
  /** The newest answer; kept while the next one is loading, so that nothing flickers. */
  readonly value: T | null;
  readonly failure: ApiFailure | null;
  readonly isLoading: boolean;
}

/** The shortest time between two requests, however often something changes. */
const LEAST_PAUSE_MS = 200;

/** The answer of `path` of the API, requested again whenever one of `topics` changes. Null requests nothing. */
export function useResource<T>(path: string | null, topics: readonly Topic[], isPaused = false): Resource<T> {
  const { api, events } = useConnection();
  const [resource, setResource] = useState<Resource<T>>({ value: null, failure: null, isLoading: path !== null });
  const wanted = topics.join();

  useEffect(() => {
    if (path === null) {
      setResource({ value: null, failure: null, isLoading: false });
      return;
    }
    if (isPaused) return;
    const ended = new AbortController();
    let isRunning = false;
    let isStale = false;
    async function load(target: string): Promise<void> {
      if (isRunning) {
        isStale = true;
        return;
      }
      isRunning = true;
      do {
        isStale = false;
        const next = await api.get<T>(target, ended.signal).then(
          (value) => ({ value, failure: null }),
          (error: unknown) => ({ failure: toFailure(error) }),
        );
        if (ended.signal.aborted) return;
        setResource((last) => ({ value: last.value, ...next, isLoading: false }));
        await new Promise((resolve) => setTimeout(resolve, LEAST_PAUSE_MS));
      } while (isStale && !ended.signal.aborted);
      isRunning = false;
    }
    setResource((last) => ({ ...last, isLoading: true }));
    void load(path);
    const stop = events.onTopic((topic) => {
      if (topic === null || wanted.split(",").includes(topic)) void load(path);
    });
    return () => {
      stop();
      ended.abort();
    };
  }, [api, events, path, wanted, isPaused]);
  return resource;
}

function toFailure(error: unknown): ApiFailure {
  return error instanceof ApiFailure ? error : new ApiFailure(0, "page.unreadable", String(error));
}
