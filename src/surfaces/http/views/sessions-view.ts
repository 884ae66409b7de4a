import { isToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { foldJournal } from "../../../core/events/fold-journal.ts";
import type { Placement, Standing } from "../../../core/toolset/toolset.ts";
import { EXPORT_FORMATS, exportSession } from "../../../runtime/report/session-export.ts";
import { summarizeAll, summarizeEvents } from "../../../runtime/report/session-summary.ts";
import { toTimeline } from "../../../runtime/report/session-timeline.ts";
import { type PastRequest, readWorldAt } from "../../../runtime/report/stored-world.ts";
import { tellPast, tellStanding, tenseOf } from "../../../runtime/report/tell-standing.ts";
import { findHolders } from "../../../runtime/session/stored/session-end.ts";
import type { Store, StoredSession } from "../../../runtime/store/store.ts";
import { PLAN_FILE } from "../../../sources/host.ts";
import { decodePart, HttpRefusal } from "../api/answers.ts";
import type { PastToolset, SessionDetails, SessionFile, SessionView } from "../api/api.ts";
import { type InspectorPorts, ownOf } from "../api/ports.ts";
import { toToolsetView } from "./toolset-view.ts";

type Ports = Pick<InspectorPorts, "own" | "redactor">;

/** `sessions`, `sessions/ID`, `sessions/ID/toolset?at=SEQ` and `sessions/ID/export?format=…`; journals are only read. */
export async function answerSessions(path: string, params: URLSearchParams, ports: Ports): Promise<unknown> {
  const [, id, what] = path.split("/");
  try {
    return await ownOf(ports).sessions<unknown>((store) =>
      id === undefined ? list(store, ports) : answerOne(store, decodePart(id), what ?? "", params, ports),
    );
  } catch (error) {
    if (!isToolcribError(error) || !error.code.startsWith("store.")) throw error;
    const isMissing = error.code === "store.unknown-session" || error.code === "store.no-world";
    throw new HttpRefusal(isMissing ? 404 : 503, error.code, error.message);
  }
}

const LISTED = 100;

async function list(store: Store, { redactor }: Ports): Promise<readonly SessionView[]> {
  const { text } = redactor();
  const found = await store.sessions({ limit: LISTED });
  const isLive = await findHolders(store);
  const live = new Set(found.filter(isLive).map(({ id }) => id));
  const summaries = await summarizeAll(store, found);
  return summaries.map((summary) => ({ ...summary, prompt: text(summary.prompt), isLive: live.has(summary.id) }));
}

async function answerOne(store: Store, id: string, what: string, params: URLSearchParams, { redactor }: Ports) {
  const [session] = await store.sessions({ id });
  if (session === undefined) throw new HttpRefusal(404, "store.unknown-session", `there is no session ${id}`);
  const { value: mask } = redactor();
  if (what === "") return toDetails(store, session, mask);
  if (what === "toolset") return toToolsetThen(store, session, params.get("at"));
  if (what === "export") return toFile(store, session, params.get("format"), mask);
  throw new HttpRefusal(404, "http.not-found", "there is nothing here");
}

/** Entries that a page shows, and characters of each. */
const SHOWN = 1_000;
const LONGEST = 20_000;

async function toDetails(
  store: Store,
  session: StoredSession,
  mask: (value: unknown) => unknown,
): Promise<SessionDetails> {
  const events = (await store.read(session.id)).map((event) => ({ ...event, data: mask(event.data) }));
  const plan = foldJournal(events).files.get(PLAN_FILE) ?? null;
  const all = toTimeline(events);
  const timeline = all.slice(-SHOWN).map((entry) => ({ ...entry, text: entry.text.slice(0, LONGEST) }));
  const isLive = (await findHolders(store))(session);
  const isCut = all.length > timeline.length;
  return { session: { ...summarizeEvents(session, events), isLive }, plan, timeline, isCut };
}

async function toToolsetThen(store: Store, session: StoredSession, at: string | null): Promise<PastToolset> {
  if (at !== null && !/^\d{1,15}$/.test(at))
    throw new HttpRefusal(400, "http.invalid-request", "at is the number of an event");
  const then = await readWorldAt(store, session, at === null ? null : { seq: Number(at) });
  const { toolset, ...past } = then;
  const view = toToolsetView({ toolset, notices: toolset.notices });
  const told = toolset.placements.map(({ standing, trace }) => tellThen(standing, trace, past));
  const tools = view.tools.map((tool, at) => ({ ...tool, told: told[at] ?? "" }));
  return { seq: past.seq, at: past.at, told: `${tellPast(past)}.`, toolset: { ...view, tools } };
}

function tellThen(standing: Standing, trace: Placement["trace"], past: PastRequest): string {
  const tense = tenseOf(past);
  const means = tellStanding(standing, trace, tense);
  return `${tense.is} ${standing}${means === null ? "" : `: ${means}`}`;
}

const TYPES = { jsonl: "application/jsonl", md: "text/markdown", html: "text/html" } as const;

async function toFile(
  store: Store,
  { id }: StoredSession,
  wanted: string | null,
  mask: (value: unknown) => unknown,
): Promise<SessionFile> {
  const format = EXPORT_FORMATS.find((one) => one === wanted);
  if (format === undefined)
    throw new HttpRefusal(400, "http.invalid-request", `format is one of ${EXPORT_FORMATS.join(", ")}`);
  const text = exportSession(format, id, await store.read(id), mask);
  return { name: `session-${id.replace(/[^\w-]/g, "_")}.${format}`, type: TYPES[format], text };
}
