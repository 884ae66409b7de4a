import type { Socket } from "node:net";
import type { Io } from "../terminal/io.ts";
import type { Terminal } from "./local-call.ts";

/** What a running Toolcrib sends to the command that asked it, a line each. */
export type Reply =
  | { readonly out: string }
  | { readonly err: string }
  | { readonly read: "end" | "line" }
  /** Variables whose values are wanted: those that the configuration of a server refers to. */
  | { readonly want: readonly string[] }
  /** From now on, or no longer, every typed line is wanted. */
  | { readonly listen: boolean }
  | { readonly status: number };

/** What stands for a line when no more can come. */
export const NO_MORE = "null";

/** An Io whose terminal is that of another process; `closed` is the end of the connection. */
export function createRemoteIo(socket: Socket, terminal: Terminal, env: Io["env"]): Io {
  const send = (reply: Reply): void => {
    if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
  };
  let input: Promise<string> | null = null;
  const lines = createLines(socket);
  return {
    out: (out) => send({ out }),
    err: (err) => send({ err }),
    readInput(until) {
      input ??= (async () => {
        send({ read: until });
        const line = await lines.next();
        return line === null ? "" : String(JSON.parse(line));
      })();
      return input;
    },
    onLine(listener, onEnd = () => {}) {
      let isOn = true;
      send({ listen: true });
      void (async () => {
        while (isOn) {
          const line = await lines.next();
          if (!isOn) return;
          if (line === null || line === NO_MORE) return onEnd();
          listener(String(JSON.parse(line)));
        }
      })();
      return () => {
        isOn = false;
        send({ listen: false });
      };
    },
    env: { ...env, ...terminal.env },
    async variables(names) {
      send({ want: names });
      const line = await lines.next();
      const given = line === null ? {} : (JSON.parse(line) as Readonly<Record<string, string>>); // From a process of the same version.
      return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
    },
    cwd: terminal.cwd,
    columns: terminal.columns,
    isTTY: terminal.isTTY,
    errIsTTY: terminal.errIsTTY,
    canAsk: terminal.canAsk,
    onInterrupt(stop) {
      const gone = (): void => void stop();
      socket.once("close", gone);
      return () => void socket.off("close", gone);
    },
  };
}

/** Lines of a socket, one after the other; null at its end. */
export function createLines(socket: Socket): { next(): Promise<string | null> } {
  const ready: string[] = [];
  const waiting: ((line: string | null) => void)[] = [];
  let parts: Buffer[] = [];
  let isOver = false;
  const give = (line: string): void => {
    const first = waiting.shift();
    if (first === undefined) ready.push(line);
    else first(line);
  };
  socket.on("data", (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      give(Buffer.concat([...parts, rest.subarray(0, end)]).toString("utf8"));
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
  });
  const over = (): void => {
    isOver = true;
    for (const resolve of waiting.splice(0)) resolve(null);
  };
  socket.once("end", over);
  socket.once("close", over);
  socket.resume();
  return {
    next() {
      const line = ready.shift();
      if (line !== undefined) return Promise.resolve(line);
      return isOver ? Promise.resolve(null) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
