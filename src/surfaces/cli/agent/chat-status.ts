import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import { countText } from "../terminal/name-list.ts";
import type { Screen } from "../terminal/typed-lines.ts";

/** The line that says what a conversation waits for. */
interface ChatStatus {
  /** Every server is there, or is not waited for any longer. */
  started(): void;
  /** The model works, until null comes. */
  working(turn: AbortSignal | null): void;
  close(): void;
}

interface Watched {
  readonly session: OpenSession;
  /** How many messages wait. */
  readonly early: () => number;
}

const BETWEEN = 200;

export function createChatStatus(screen: Pick<Screen, "showStatus"> | null, { session, early }: Watched): ChatStatus {
  let isStarting = true;
  let turn: AbortSignal | null = null;
  let since = performance.now();
  const describe = (): string | null => {
    const seconds = `(${Math.floor((performance.now() - since) / 1000)} s)`;
    const waiting = early() === 0 ? "" : ` · ${countText(early(), "message waits", "messages wait")}`;
    const servers = session.sources.filter(({ status }) => isStarting && status.state === "starting");
    if (servers.length > 0) return `starting ${servers.map(({ name }) => name).join(", ")} ${seconds}${waiting}`;
    if (turn === null) return null;
    return turn.aborted ? `stopping ${seconds}` : `working ${seconds} · Ctrl-C stops${waiting}`;
  };
  const show = (): void => screen?.showStatus(describe());
  const timer = screen === null ? null : setInterval(show, BETWEEN);
  show();
  return {
    started() {
      isStarting = false;
      if (turn !== null) since = performance.now();
      show();
    },
    working(next) {
      turn = next;
      if (!isStarting) since = performance.now();
      show();
    },
    close() {
      if (timer !== null) clearInterval(timer);
      screen?.showStatus(null);
    },
  };
}
