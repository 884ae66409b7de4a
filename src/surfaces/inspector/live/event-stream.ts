import type { PageEvent } from "../../http/api/api.ts";
import { type Api, ApiFailure } from "./api-client.ts";

export type Topic = PageEvent["changed"];
export type StreamState = "connecting" | "live" | "lost";

export interface PageEvents {
  readonly state: StreamState;
  /** Called with each topic that changed, or with null after a new connection: then anything may have changed. */
  onTopic(listener: (topic: Topic | null) => void): () => void;
  onState(listener: (state: StreamState) => void): () => void;
  /** Reconnects at once instead of after the pause. */
  retry(): void;
  close(): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** Follows `/api/events` with `fetch`, which can send the token where `EventSource` cannot, for as long as it is open. */
export function followEventStream(api: Api): PageEvents {
  const ended = new AbortController();
  const topics = new Set<(topic: Topic | null) => void>();
  const states = new Set<(state: StreamState) => void>();
  let state: StreamState = "connecting";
  let wake = () => {};

  function become(next: StreamState): void {
    if (state === next) return;
    state = next;
    for (const listener of states) listener(next);
  }
  const tell = (topic: Topic | null) => {
    for (const listener of topics) listener(topic);
  };
  async function follow(): Promise<void> {
    const response = await api.open("events", ended.signal);
    become("live");
    tell(null);
    for await (const text of readEventData(response)) {
      const topic = toTopic(text);
      if (topic !== null) tell(topic);
    }
  }
  async function run(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!ended.signal.aborted) {
      try {
        await follow();
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        if (error instanceof ApiFailure && (error.status === 401 || error.status === 403)) return;
      }
      if (ended.signal.aborted) return;
      become("lost");
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, pause * (0.75 + Math.random() / 2));
      });
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
  void run();
  return {
    get state() {
      return state;
    },
    onTopic: (listener) => listen(topics, listener),
    onState: (listener) => listen(states, listener),
    retry: () => wake(),
    close: () => ended.abort(),
  };
}

/** The `data` of each event of a `text/event-stream`, in the order they came. */
export async function* readEventData(response: Response): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replace(/\r\n?/g, "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data:"));
      if (data.length > 0) yield data.map((line) => line.slice(5).trimStart()).join("\n");
    }
  }
}

function toTopic(text: string): Topic | null {
  try {
    // A topic that this page does not know finds no listener.
    return (JSON.parse(text) as PageEvent).changed;
  } catch {
    return null;
  }
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
