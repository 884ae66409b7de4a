import { randomBytes } from "node:crypto";
import { buildCatalog } from "../../../core/catalog/catalog.ts";
import { buildToolset } from "../../../core/toolset/build-toolset.ts";
import { createApprovals } from "../../../runtime/crib/approvals.ts";
import type { CribView } from "../../../runtime/crib/crib.ts";
import { MAIN } from "../../../runtime/crib/profile.ts";
import { createQuestionDesk } from "../../../runtime/crib/question-desk.ts";
import { createSessionIn } from "../../../runtime/session/create-session.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import { readVersion } from "../../../system/version.ts";
import type { AppInspector } from "../../copilot/copilot-server.ts";
import type { Onlooker } from "../../copilot/state/onlooker.ts";
import { HttpRefusal } from "../../http/api/answers.ts";
import { createEventFeed } from "../../http/api/event-feed.ts";
import type { FrontClients, InspectorPorts } from "../../http/api/ports.ts";
import { createHttpServer } from "../../http/door/http-server.ts";
import { PAGE_FOLDER } from "../../http/door/page-files.ts";
import { createInspectorApi } from "../../http/inspector/inspector-api.ts";
import { createKnownRedactor } from "../../http/inspector/known-redactor.ts";

/** A session of the app. */
interface Watched extends CribView {
  readonly since: number;
  calls: number;
}

/** The inspector in front of an app that runs here: on this machine alone, on any free port, with a token of its own. */
export async function inspectApps(note: (text: string) => void): Promise<AppInspector> {
  const onError = (text: string, error: unknown): void => note(`${text}: ${String(error)}`);
  const { ports, onlooker } = await watchApps(onError);
  const token = randomBytes(32).toString("hex");
  const http = await createHttpServer({
    ...{ host: "127.0.0.1", port: 0, access: { token, clients: [] }, onError },
    api: createInspectorApi(ports),
    mcp: () => Promise.reject(new HttpRefusal(404, "http.not-found", "there is no gateway here")),
    metrics: null,
    page: PAGE_FOLDER,
    // The app has gone: nobody waits for a page that still reads.
    limits: { grace: 500 },
  });
  return { address: `${http.origin}/#token=${token}`, onlooker, close: http.close };
}

/** What an app does, in the terms of the inspector: its newest session stands for all, each is a client. */
async function watchApps(onError: InspectorPorts["onError"]): Promise<{ ports: InspectorPorts; onlooker: Onlooker }> {
  const watched = new Map<string, Watched>();
  const feed = createEventFeed();
  const approvals = createApprovals();
  const questions = createQuestionDesk();
  const listeners = createChangeListeners();
  const nobody = await openNothing();
  const views = (): readonly Watched[] => [...watched.values()];
  const main = (): OpenSession => views().at(-1)?.session ?? nobody;
  const redactor = createKnownRedactor(() => views().map(({ session }) => session.config));
  feed.listen(({ id }, { type }) => {
    const view = watched.get(id);
    if (view !== undefined && type === "tool.execution_complete") view.calls += 1;
    // Servers come with their secrets.
    if (type === "session.tools_updated") redactor();
  });
  const onlooker: Onlooker = {
    opened(session, label) {
      const view = { session, label, principal: MAIN, since: Date.now(), calls: 0 };
      watched.set(session.id, view);
      feed.watch(view);
      redactor();
      listeners.emit();
    },
    closed(id) {
      redactor();
      if (watched.delete(id)) listeners.emit();
    },
    asked(id, question, over) {
      const client = watched.get(id)?.label ?? id;
      // Shown alone: whatever the desks say, the app's own answer counts.
      const shown =
        question.kind === "permission"
          ? approvals.ask(question.request, { client }, over)
          : questions.ask({ session: id, client }, question, over);
      shown.catch(() => {});
    },
  };
  const ports: InspectorPorts = {
    crib: {
      get config() {
        return main().config;
      },
      get main() {
        return main();
      },
      get views() {
        return views();
      },
      get sources() {
        return views().flatMap(({ session }) => session.sources);
      },
      approvals: {
        get pending() {
          return approvals.pending;
        },
        ...{ ask: approvals.ask, find: approvals.find, changes: approvals.changes },
        answer: async () => false,
        settled: () => () => {},
      },
      changes: listeners.add,
      refused: null,
    },
    front: toClients(views, listeners.add),
    ...{ feed, redactor, questions, version: readVersion(), workspace: null, onError },
  };
  return { ports, onlooker };
}

function toClients(views: () => readonly Watched[], changes: FrontClients["changes"]): FrontClients {
  return {
    get clients() {
      return views().map(({ session, label, principal, since, calls }) => ({
        ...{ sessionId: session.id, label, principal, since, calls, era: null, isHere: true },
        agent: session.toolset.scene.agent?.name ?? null,
      }));
    },
    elsewhere: async () => [],
    changes,
  };
}

/** Stands in while the app has no session: what a closed one leaves, without a tool. */
async function openNothing(): Promise<OpenSession> {
  const opened: OpenSession[] = [];
  const session = await createSessionIn(
    ownSurroundings(),
    { builtins: [], allowNoTools: true, workspace: null },
    { opened: (session) => void opened.push(session) },
  );
  await session.close();
  const [nothing] = opened;
  if (nothing === undefined) throw new Error("a session was opened and nobody was told");
  return { ...nothing, sources: [], toolset: buildToolset(buildCatalog([]), session.toolset.scene) };
}
