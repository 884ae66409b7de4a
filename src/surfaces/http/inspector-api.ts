import type { IncomingMessage, ServerResponse } from "node:http";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { createRedactor, secretsOf } from "../../runtime/audit/redact-value.ts";
import { toWorldDocument } from "../../runtime/report/world-document.ts";
import { HttpRefusal, sendJson, sendNothing } from "./answers.ts";
import type { ChangeView } from "./api.ts";
import { createCallLog } from "./call-log.ts";
import { createEventStream } from "./event-stream.ts";
import { followChanges } from "./follow-changes.ts";
import type { ApiPort } from "./http-server.ts";
import { DEFAULT_LIMITS, type HttpLimits } from "./limits.ts";
import { findRestartable, toApprovalView, toChoices, toOverview, toServerViews } from "./live-views.ts";
import type { InspectorPorts } from "./ports.ts";
import { readApprovalAnswer } from "./read-approval.ts";
import { readJson } from "./read-json.ts";
import { answerScene, readSceneQuery } from "./scene-query.ts";
import { createSearchView } from "./search-view.ts";
import { toChangedStandings, toToolsetView, toWhyView } from "./toolset-view.ts";
import { tryCall } from "./try-call.ts";
import { createUsage } from "./usage.ts";

/** What the inspector's page asks for; see `api.ts`. */
export interface InspectorApi extends ApiPort {
  /** Pages that listen to events now: somebody may be looking. */
  readonly listeners: number;
}

/** Translates only: everything it shows is asked of the crib or of whoever owns it, at the time it is asked for. */
export function createInspectorApi(ports: InspectorPorts, limits: Partial<HttpLimits> = {}): InspectorApi {
  const { apiBytes, listeners } = { ...DEFAULT_LIMITS, ...limits };
  const { crib, definitions, switches, onError } = ports;
  const calls = createCallLog();
  const stream = createEventStream(listeners);
  const search = createSearchView();
  const usage = createUsage();
  const stops = [followChanges(ports, calls, stream.tell), ports.feed.listen((_, event) => usage.record(event))];

  const get = async (path: string, params: URLSearchParams, signal: AbortSignal): Promise<unknown> => {
    const scene = () => answerScene(ports, readSceneQuery(params));
    if (path.startsWith("why/")) return toWhyView(await scene(), decode(path.slice("why/".length)));
    switch (path) {
      case "overview":
        return toOverview(ports);
      case "choices":
        return toChoices(ports);
      case "toolset":
        return toToolsetView(await scene());
      case "what-if": {
        const answered = await scene();
        return { toolset: toToolsetView(answered), changes: toChangedStandings(answered.now, answered.toolset) };
      }
      case "search":
        return search(await scene(), params.get("q") ?? "", toLimit(params.get("limit")));
      case "servers":
        return toServerViews(ports);
      case "calls":
        return calls.list(createRedactor(secretsOf(crib.config)));
      case "approvals":
        return crib.approvals.pending.map(toApprovalView);
      case "usage":
        return usage.view(crib.main.toolset);
      case "changes":
        return withOff(await definitions.list(signal), crib);
      default:
        throw new HttpRefusal(404, "http.not-found", "there is nothing here");
    }
  };

  /** What changes something; the parts of the path that are names come decoded. Undefined: there is nothing to say. */
  const post = async (
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const body = await readJson(request, response, apiBytes);
    const [what = "", name = "", action = "", ...rest] = path.split("/").map(decode);
    const gone = new HttpRefusal(404, "http.not-found", "there is nothing of that name, or not any more");
    if (rest.length > 0 || (name === "" && what !== "pins")) throw gone;
    switch (`${what} ${action}`) {
      case "approvals ": {
        const answer = { ...readApprovalAnswer(body), by: "the inspector" };
        if (!crib.approvals.answer(name, answer)) throw gone;
        return;
      }
      case "changes approve":
        if (!(await definitions.approve(name, signal))) throw gone;
        return;
      case "pins ":
        if (!(await definitions.pinAll(signal))) throw gone;
        return;
      case "servers restart": {
        const server = findRestartable(crib, name);
        if (server === null) throw new ToolcribError("server.unknown", "no running server has that name");
        // Its state says what became of it, and events that there is a new one.
        await server.restart().catch((error: unknown) => onError(`${name} could not be restarted`, error));
        return;
      }
      case "servers on":
      case "servers off":
        if (!crib.config.servers.has(name)) throw new ToolcribError("server.unknown", "no server has that name");
        return switches.turn("server", name, action === "on");
      case "tools on":
      case "tools off":
        return switches.turn("tool", identityOf(crib, name), action === "on");
      case "try ":
        return tryCall(crib.main, name, body, signal);
      default:
        throw gone;
    }
  };

  return {
    get listeners() {
      return stream.size;
    },
    async answer(request, response, path) {
      const { method, url = "" } = request;
      if (method !== "GET" && method !== "HEAD" && method !== "POST")
        throw new HttpRefusal(405, "http.method", "only GET, HEAD and POST are answered here", {
          allow: "GET, HEAD, POST",
        });
      const isPost = POSTED.test(path);
      if (isPost !== (method === "POST"))
        throw new HttpRefusal(405, "http.method", "the other method is for this", {
          allow: isPost ? "POST" : "GET, HEAD",
        });
      const gone = new AbortController();
      response.once("close", () => gone.abort());
      if (isPost) {
        const said = await post(path, request, response, gone.signal);
        return said === undefined ? sendNothing(response) : sendJson(response, 200, said);
      }
      if (path === "events" && method === "GET") return stream.open(response);
      const end = url.indexOf("?");
      const params = new URLSearchParams(end === -1 ? "" : url.slice(end + 1));
      if (path === "world") {
        const { toolset, config } = await answerScene(ports, readSceneQuery(params));
        const { catalog, scene } = toolset;
        const tools = catalog.entries.map(({ tool }) => tool);
        return sendJson(response, 200, toWorldDocument(tools, scene, catalog.style, config), {
          "content-disposition": 'attachment; filename="toolcrib-world.json"',
        });
      }
      sendJson(response, 200, await get(path, params, gone.signal));
    },
    close() {
      for (const stop of stops) stop();
      stream.close();
    },
  };
}

const POSTED = /^(?:approvals\/|changes\/|servers\/|tools\/|try\/|pins$)/;

/** Lists name a tool by its identity, which stays whatever its wire name becomes. */
function identityOf({ main }: InspectorPorts["crib"], name: string): string {
  const found = main.toolset.catalog.entries.find(({ wireName, identity }) => wireName === name || identity === name);
  if (found === undefined)
    throw new ToolcribError("tool.not-found", "there is no tool of that name", { names: [name] });
  return found.identity;
}

function withOff(
  changes: readonly Omit<ChangeView, "isOff">[],
  { main, config }: InspectorPorts["crib"],
): readonly ChangeView[] {
  const excluded = new Set(
    main.toolset.placements
      .filter(({ trace }) => trace.some(({ gate, verdict }) => gate === "filter" && verdict === "hide"))
      .map(({ entry }) => entry.identity),
  );
  return changes.map((change) => ({
    ...change,
    isOff: excluded.has(change.tool) || config.servers.get(change.server)?.enabled.value === false,
  }));
}

/** A name as it was meant; one that is not properly written is none. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new HttpRefusal(400, "http.invalid-request", "the address is not properly encoded");
  }
}

function toLimit(text: string | null): number | null {
  return text !== null && /^\d{1,3}$/.test(text) ? Number(text) : null;
}
