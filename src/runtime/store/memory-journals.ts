import type { BackEnd, Busy, IsGone, SilentMachine, Taken } from "./back-end.ts";
import type { MemorySession, MemoryTables } from "./memory-tables.ts";
import type { QuestionChanges, StoredSession } from "./store.ts";

type Steps = Exclude<
  keyof BackEnd,
  | "pollEvery"
  | "bell"
  | "keyValueRows"
  | "put"
  | "post"
  | "messages"
  | "expire"
  | "keep"
  | "parts"
  | "ask"
  | "answer"
  | "questions"
  | "answers"
  | "log"
  | "close"
>;

export function createMemoryJournals(tables: MemoryTables): Pick<BackEnd, Steps> {
  const { sessions, questions, machines } = tables;
  const { busyOf, silentOf, remove, sweep } = createUpkeep(tables);
  return {
    async beat(machine) {
      machines.set(machine.id, { machine, seen: Date.now(), hasLeft: false });
      return new Set([...sessions].flatMap(([id, session]) => (session.machine === machine.id ? [id] : [])));
    },
    async leave(id) {
      const found = machines.get(id);
      if (found !== undefined) machines.set(id, { ...found, seen: Date.now(), hasLeft: true });
    },
    machines: async () => [...machines.keys()].flatMap((id) => silentOf(id) ?? []),
    async create(about, machine) {
      if (sessions.has(about.id)) return false;
      const created = Date.now();
      const nothing = { events: [], uses: new Set<string>(), snapshot: null };
      sessions.set(about.id, { about, created, changed: created, epoch: 1, machine, ...nothing });
      return true;
    },
    async hold(id, machine, isGone) {
      const session = sessions.get(id);
      if (session === undefined) return null;
      const busy = busyOf(session, isGone);
      if (busy !== null) return busy;
      session.epoch += 1;
      session.machine = machine;
      return endOf(session);
    },
    async release(id, epoch) {
      const session = sessions.get(id);
      if (session?.epoch === epoch) session.machine = null;
    },
    async append({ sessionId, epoch, after, rows, asked = [], closed = [] }) {
      const session = sessions.get(sessionId);
      if (session === undefined || session.epoch !== epoch || session.events.length !== after) return false;
      session.events.push(...rows);
      session.changed = Date.now();
      changeStoredQuestions(questions, sessionId, { asked, closed });
      return true;
    },
    async endOf(id) {
      const session = sessions.get(id);
      return session === undefined ? null : endOf(session);
    },
    read: async (id, after, limit) => sessions.get(id)?.events.slice(after, after + limit) ?? [],
    sessions: async ({ id, idPrefix = "", person, project, limit }) =>
      [...sessions.values()]
        .map(toListed)
        .filter((row) => (id ?? row.id) === row.id && row.id.startsWith(idPrefix))
        .filter((row) => (person ?? row.person) === row.person && (project ?? row.project) === row.project)
        .sort((a, b) => b.changed - a.changed || (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    async delete(id, isGone) {
      const session = sessions.get(id);
      if (session === undefined) return false;
      const busy = busyOf(session, isGone);
      if (busy !== null) return busy;
      remove(id);
      sweep();
      return true;
    },
    async prune(unchangedFor, isGone, { project, limit }) {
      const asked = new Set([...questions.values()].flatMap(({ row, answer }) => (answer ? [] : [row.sessionId])));
      const old = [...sessions.values()]
        .filter((session) => Date.now() - session.changed >= unchangedFor && busyOf(session, isGone) === null)
        .filter(({ about }) => !asked.has(about.id) && (project ?? about.project) === about.project)
        .sort((one, other) => one.changed - other.changed)
        .slice(0, limit);
      for (const { about } of old) remove(about.id);
      sweep();
      return old.length;
    },
    async saveSnapshot(id, epoch, snapshot) {
      const session = sessions.get(id);
      if (session?.epoch === epoch) session.snapshot = snapshot;
    },
    loadSnapshot: async (id) => sessions.get(id)?.snapshot ?? null,
  };
}

export function changeStoredQuestions(
  questions: MemoryTables["questions"],
  sessionId: string,
  { asked = [], closed = [] }: QuestionChanges,
): void {
  for (const { id, kind, asked: what } of asked.filter((question) => !questions.has(question.id)))
    questions.set(id, { row: { id, kind, asked: JSON.stringify(what), sessionId, created: Date.now() } });
  for (const id of closed) {
    const question = questions.get(id);
    if (question && question.answer === undefined) question.answer = null;
  }
}

/** Which processes are alive, and removal of what nobody uses any longer. */
function createUpkeep({ sessions, questions, parts, machines }: MemoryTables) {
  const silentOf = (id: string | null): SilentMachine | undefined => {
    const found = machines.get(id ?? "");
    return found && { ...found.machine, silent: Date.now() - found.seen, hasLeft: found.hasLeft };
  };
  return {
    silentOf,
    busyOf({ machine }: MemorySession, isGone: IsGone): Busy | null {
      const holder = silentOf(machine);
      return holder === undefined || isGone(holder) ? null : { busy: holder };
    },
    remove(id: string): void {
      sessions.delete(id);
      for (const [key, { row }] of questions) if (row.sessionId === id) questions.delete(key);
    },
    sweep(): void {
      const used = new Set([...sessions.values()].flatMap(({ uses }) => [...uses]));
      for (const hash of parts.keys()) if (!used.has(hash)) parts.delete(hash);
    },
  };
}

function endOf({ epoch, events }: MemorySession): Taken {
  return { epoch, seq: events.length, last: events.at(-1)?.id ?? null };
}

function toListed({ about, created, changed, events, machine }: MemorySession): StoredSession {
  return { ...about, created, changed, events: events.length, machine };
}
