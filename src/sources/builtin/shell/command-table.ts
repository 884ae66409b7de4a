import { type CommandLaunch, type RunningCommand, startCommand } from "./running-command.ts";

/** The commands of one source, by id, from their start until their end has been reported. */
export interface CommandTable {
  /** Null if too many are running to start another. */
  start(spec: Omit<CommandLaunch, "id">): Promise<RunningCommand | null>;
  get(id: string): RunningCommand | null;
  list(): readonly RunningCommand[];
  /** Forgets a command whose end has been reported. */
  forget(id: string): void;
  close(): Promise<void>;
}

export interface TableLimits {
  readonly running: number;
  /** Number of commands that ended and have not been read. */
  readonly ended: number;
}

export function createCommandTable(limits: TableLimits): CommandTable {
  const commands = new Map<string, RunningCommand>();
  const starting = new Set<Promise<RunningCommand>>();
  let next = 1;
  let closed = false;

  const running = () => [...commands.values()].filter(({ state }) => state !== "ended").length;
  const dropOldest = () => {
    const ended = [...commands.values()].filter(({ state }) => state === "ended");
    for (const { id } of ended.slice(0, Math.max(0, ended.length - limits.ended))) commands.delete(id);
  };

  return {
    start: async (spec) => {
      if (closed) throw new Error("the shell is closed");
      dropOldest();
      if (running() + starting.size >= limits.running) return null;
      const start = startCommand({ ...spec, id: String(next++) });
      starting.add(start);
      try {
        const command = await start;
        commands.set(command.id, command);
        return command;
      } finally {
        starting.delete(start);
      }
    },
    get: (id) => commands.get(id) ?? null,
    list: () => [...commands.values()],
    forget: (id) => {
      if (commands.get(id)?.state === "ended") commands.delete(id);
    },
    close: async () => {
      closed = true;
      const started = await Promise.allSettled(starting);
      const late = started.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      await Promise.all([...commands.values(), ...late].map((command) => command.stop()));
      commands.clear();
    },
  };
}
