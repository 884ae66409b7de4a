import { type Actor, requireRole } from "../api/actor.ts";
import { HttpRefusal, sendJson, sendNothing } from "../api/answers.ts";
import { createEventStream } from "../api/event-stream.ts";
import type { InspectorPorts } from "../api/ports.ts";
import { readJsonBody } from "../api/read-json.ts";
import type { ApiPort } from "../door/http-server.ts";
import { HTTP_LIMITS, type HttpLimits } from "../door/limits.ts";
import { createRunAnswers } from "../runs/run-answers.ts";
import { createRunLog } from "../runs/run-log.ts";
import { createCallHistory } from "../views/call-history.ts";
import { createSearchView } from "../views/search-view.ts";
import { createUsage } from "../views/usage.ts";
import { followChanges } from "./follow-changes.ts";
import { act } from "./inspector-actions.ts";
import { answerQuestion } from "./inspector-questions.ts";

/** What the inspector's page asks for; see `api.ts`. */
export interface InspectorApi extends ApiPort {
  /** Pages that are listening for events: somebody may be looking. */
  readonly listeners: number;
}

/** Translates only: everything it shows comes from the crib or another owner, at the time of the request. */
export function createInspectorApi(ports: InspectorPorts, limits: Partial<HttpLimits> = {}): InspectorApi {
  const { apiBytes, listeners } = { ...HTTP_LIMITS, ...limits };
  const stream = createEventStream(listeners);
  const [calls, log] = [createCallHistory(), createRunLog()];
  const runs = createRunAnswers(ports, log);
  const kept = { ports, calls, runs, search: createSearchView(ports.written), usage: createUsage() };
  const stops = [
    followChanges(ports, { calls, runs: log }, stream.tell),
    ports.feed.listen((_, event) => kept.usage.record(event)),
  ];
  return {
    get listeners() {
      return stream.size;
    },
    async answer(request, response, path, actor) {
      checkMethod(request.method, path);
      checkRole(actor, { method: request.method ?? "", path }, ports.note);
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      if (request.method === "POST") {
        const body = await readJsonBody(request, response, apiBytes);
        const said = await act(path, body, { ports, runs, actor, signal: gone.signal });
        if (path.startsWith("requests/")) stream.tell("toolset");
        return said === undefined ? sendNothing(response) : sendJson(response, 200, said);
      }
      if (path === "events" && request.method === "GET") return stream.open(response);
      const { url = "" } = request;
      const end = url.indexOf("?");
      const params = new URLSearchParams(end === -1 ? "" : url.slice(end + 1));
      const said = await answerQuestion(path, { ...kept, actor, params, signal: gone.signal });
      sendJson(response, 200, said, path === "world" ? AS_FILE : {});
    },
    close() {
      for (const stop of stops) stop();
      stream.close();
    },
  };
}

/** Somebody who asks for more than their roles allow is in the log with it. */
function checkRole(
  actor: Actor,
  { method, path }: { readonly method: string; readonly path: string },
  note: InspectorPorts["note"],
): void {
  try {
    requireRole(actor, method, path);
  } catch (error) {
    const { by, principal } = actor;
    const [what = ""] = path.split("/");
    const tried = `${method} /api/${what.slice(0, 40)}`;
    if (principal !== null && error instanceof HttpRefusal)
      note?.({ type: "inspector.refused", text: `${by} was refused ${tried}: ${error.message}`, principal });
    throw error;
  }
}

const AS_FILE = { "content-disposition": 'attachment; filename="toolcrib-world.json"' };

function checkMethod(method: string | undefined, path: string): void {
  if (path === BOTH && (method === "POST" || method === "GET" || method === "HEAD")) return;
  const isPost = POSTED.test(path);
  if (method === "POST" ? isPost : !isPost && (method === "GET" || method === "HEAD")) return;
  const isKnown = method === "GET" || method === "HEAD" || method === "POST";
  const text = isKnown ? "the other method is for this" : "only GET, HEAD and POST are answered here";
  const allow = !isKnown ? "GET, HEAD, POST" : isPost ? "POST" : "GET, HEAD";
  throw new HttpRefusal(405, "http.method", text, { allow });
}

const POSTED =
  /^(?:approvals\/|changes\/|questions\/|requests\/|servers\/|tools\/|try\/|pins$|rehearsals$|runs\/[^/]+\/)/;
/** Read and added to at the same address. */
const BOTH = "runs";
