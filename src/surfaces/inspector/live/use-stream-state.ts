import { useEffect, useState } from "preact/hooks";
import { useConnection } from "./connection.ts";
import type { StreamState } from "./event-stream.ts";

/** Whether the page shows the current state. */
export function useStreamState(): StreamState {
  const { events } = useConnection();
  const [state, setState] = useState(events.state);
  useEffect(() => {
    setState(events.state);
    return events.onState(setState);
  }, [events]);
  return state;
}
