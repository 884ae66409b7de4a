import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { auditPath } from "../../src/runtime/audit/audit-path.ts";
import type { AuditNote } from "../../src/runtime/audit/audit-row.ts";
import { type CribOptions, openCrib } from "../../src/runtime/crib/open-crib.ts";
import { mainProfile } from "../../src/runtime/crib/profile.ts";
import type { PersonRow } from "../../src/runtime/people/contract.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import type { Store } from "../../src/runtime/store/store.ts";
import { followJudged } from "../../src/surfaces/cli/stored/follow-judged.ts";
import type { ChangeView } from "../../src/surfaces/http/api/api.ts";
import { createEventFeed } from "../../src/surfaces/http/api/event-feed.ts";
import type { FrontClients } from "../../src/surfaces/http/api/ports.ts";
import type { HttpServerOptions } from "../../src/surfaces/http/door/http-server.ts";
import { createInspectorApi } from "../../src/surfaces/http/inspector/inspector-api.ts";
import { createKnownRedactor } from "../../src/surfaces/http/inspector/known-redactor.ts";
import { createMetrics } from "../../src/surfaces/http/metrics/metrics.ts";
import { createWorkspace } from "../support/config-workspace.ts";
import { openDoor } from "./door.ts";

const SERVER = fileURLToPath(new URL("../fixtures/misbehaving-server.cjs", import.meta.url));

/** An entry for the server that does what it is told. */
export const entry = (more: object = {}) => ({ command: process.execPath, args: [SERVER], ...more });

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly policy?: string;
  readonly crib?: Partial<CribOptions>;
  readonly door?: Partial<HttpServerOptions>;
  readonly listeners?: number;
  /** Who has come in. */
  readonly people?: readonly PersonRow[];
  /** Where sessions are kept; nowhere if absent. */
  readonly store?: Store;
}

/** A running crib with the inspector's door in front of it; clients and changed definitions are whatever the test says. */
export async function openInspector(config: object, given: Given = {}) {
  const place = createWorkspace({
    user: JSON.stringify({ builtins: "all", ...config }),
    ...(given.policy === undefined ? {} : { policy: given.policy }),
  });
  const { cwd, home } = place;
  const env = { PATH: process.env.PATH, ...given.env };
  const feed = createEventFeed();
  const crib = await openCrib(await place.load({}, env), {
    ...{ version: "1.2.3", workspace: cwd, cwd, home, env, drain: 0 },
    watch: feed.watch,
    ...given.crib,
  });
  onTestFinished(() => crib.close());
  const clients: FrontClients["clients"][number][] = [];
  const definitions: ChangeView[] = [];
  const switched: string[] = [];
  const acted: AuditNote[] = [];
  const listeners = new Set<() => void>();
  const changes = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const api = createInspectorApi(
    {
      crib,
      feed,
      front: { clients, elsewhere: async () => [], changes },
      redactor: createKnownRedactor(() => [crib.config]),
      judged: followJudged(auditPath({ home, env: {} }, cwd), () => {}),
      own: {
        rehearse: async () => {
          throw new Error("there is no log here");
        },
        definitions: {
          changes,
          list: async () => definitions,
          pinAll: async () => false,
          approve: async (id) => {
            const at = definitions.findIndex((change) => change.id === id);
            if (at !== -1) definitions.splice(at, 1);
            return at !== -1;
          },
        },
        ...(given.people === undefined ? {} : { people: async () => given.people ?? [] }),
        waiting: { list: async () => [], start: async () => false },
        switches: {
          turn: async (kind, name, isOn) => {
            switched.push(`${kind} ${name} ${isOn ? "on" : "off"}`);
            return { isOn, file: "toolcrib.local.yaml", line: 2, text: `excludeTools: ${name}` };
          },
        },
        sessions: (work) => work(given.store ?? createStore(createMemoryBackEnd())),
        configWith: (flags) => place.load(flags, env),
        endpoint: () => `${door.origin}/mcp`,
        connect: () => null,
      },
      note: (note) => void acted.push(note),
      version: "1.2.3",
      workspace: cwd,
      onError: () => {},
    },
    given.listeners === undefined ? {} : { listeners: given.listeners },
  );
  onTestFinished(() => api.close());
  const metrics = createMetrics({
    servers: () => crib.sources,
    clients: () => clients.length,
    personConnections: () => 0,
    approvals: () => crib.approvals.pending.length,
    limits: crib.limits.figures,
    traces: () => null,
  });
  onTestFinished(feed.listen(metrics.record));
  const door = await openDoor({ api, metrics, ...given.door });
  await crib.main.settled(AbortSignal.timeout(30_000));
  return {
    ...{ switched, acted },
    ...{ crib, door, api, metrics, place, clients, definitions },
    told(): void {
      for (const listener of listeners) listener();
    },
    view: (label = "a client") => crib.openView({ profile: mainProfile(), label, client: null, approve: null }),
    async json<T>(path: string): Promise<T> {
      const answer = await door.ask(path);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      // What it really is, the expectations of the test find out.
      return (await answer.json()) as T;
    },
    post: (path: string, body?: unknown) =>
      door.ask(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}
