import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { ChangedStanding, RunSetup, ToolView, WhatIf } from "../../src/surfaces/http/api/api.ts";
import { loadPageFiles, sendPageFile } from "../../src/surfaces/http/door/page-files.ts";
import { restand, type Script, toToolset, toWhy } from "./scripted-data.ts";

/** The page with an API that answers from a script: for states that a real Toolcrib is rarely in. */
export interface ScriptedApi {
  readonly url: string;
  readonly token: string;
  readonly script: Script;
  /** What the page changed: `POST path body`. */
  readonly posted: readonly string[];
  /** Tells every page that something changed. */
  emit(topic: string): void;
  /** Ends the streams, and refuses new ones while down. */
  setDown(isDown: boolean): void;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

/** What something that is done changes, where that has another name. */
const CHANGED: ReadonlyMap<string, string> = new Map([
  ["pins", "overview"],
  ["questions", "approvals"],
]);
/** One that is known and opens nothing here. */
export const CLIENT_TOKEN = "scripted-client-token";
const TOKEN = "scripted-token";

export async function createScriptedApi(script: Script, page: string): Promise<ScriptedApi> {
  const files = await loadPageFiles(page);
  const streams = new Set<ServerResponse>();
  const posted: string[] = [];
  let isDown = false;
  const emit = (topic: string) => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify({ changed: topic })}\n\n`);
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    const file = files.get(url.pathname);
    if (file !== undefined) return sendPageFile(request, response, file);
    const isClient = request.headers.authorization === `Bearer ${CLIENT_TOKEN}`;
    if (isClient) return send(response, refuse(403, "http.forbidden", "this token opens /mcp and nothing else"));
    const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
    if (!isKnown) return send(response, refuse(401, "http.token", "no such token"));
    const path = url.pathname.replace(/^\/api\//, "");
    if (isDown) return send(response, refuse(503, "http.down", "going down"));
    if (path === "events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": here\n\n");
      streams.add(response);
      response.on("close", () => streams.delete(response));
      return;
    }
    if (request.method === "POST") {
      const body = await readBody(request);
      posted.push(`POST ${path} ${body}`);
      send(response, answerPost(script, path));
      const [topic = ""] = path.split("/");
      return emit(CHANGED.get(topic) ?? topic);
    }
    return send(response, answerGet(script, path, url.searchParams));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    token: TOKEN,
    script,
    posted,
    emit,
    setDown(next) {
      isDown = next;
      if (next) for (const stream of streams) stream.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerGet(script: Script, path: string, fields: URLSearchParams): Reply {
  const [topic = "", name = ""] = path.split("/").map(decodeURIComponent);
  const tools = inScene(script.tools, fields);
  if (fields.get("agent") === "nobody") return refuse(400, "agent.unknown", "there is no agent of that name");
  switch (topic) {
    case "overview":
    case "choices":
    case "servers":
    case "calls":
    case "approvals":
    case "changes":
    case "usage":
    case "questions":
      return ok(script[topic]);
    case "runs":
      return answerRuns(script, name);
    case "toolset":
      return ok(toToolset(tools));
    case "sessions":
      return script.noStore === null ? ok([]) : refuse(503, "store.not-installed", script.noStore);
    case "what-if":
      return ok(toWhatIf(script.tools, tools));
    case "world":
      return ok({ tools: tools.map(({ name: tool }) => ({ name: tool })), options: {} });
    case "why": {
      const found = tools.find((tool) => tool.name === name);
      if (found === undefined) return refuse(404, "tool.not-found", `there is no tool "${name}"`);
      return ok({ query: name, tools: [toWhy(found)] });
    }
    case "search": {
      const query = fields.get("q") ?? "";
      const hits = tools.filter((tool) => `${tool.name} ${tool.description}`.includes(query)).slice(0, 10);
      const ranked = hits.map((tool, index) => ({ ...tool, score: 9.5 - index }));
      return ok({ query, tools: ranked, total: hits.length, more: false, text: `found ${hits.length}` });
    }
    default:
      return refuse(404, "http.not-found", "nothing is there");
  }
}

function answerRuns({ runs }: Script, id: string): Reply {
  if (id === "") return ok(runs.map(({ run }) => run));
  if (id === "new") return ok(RUN_SETUP);
  const found = runs.find(({ run }) => run.id === id);
  return found === undefined ? refuse(404, "http.not-found", "there is no such run") : ok(found);
}

const RUN_SETUP: RunSetup = {
  ...{ model: null, agent: null, mode: "default", agents: ["explore"], refusal: null, keeps: true },
  missing: {
    waiting: [],
    keys: [{ provider: "openai", variable: "OPENAI_API_KEY" }],
    reachable: [],
    looked: { variables: ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"], servers: ["ollama"] },
  },
};

function answerPost(script: Script, path: string): Reply {
  const [topic, id = "", action] = path.split("/").map(decodeURIComponent);
  if (topic === "try") {
    const decision = { decision: "allow", code: "rule.allow", text: "reads only", origin: "default" };
    const result = { type: "success", text: "it worked" };
    return ok({ decision, result, isCut: false, attachments: 0, duration: 12 });
  }
  if (action === "on" || action === "off") {
    const key = topic === "tools" ? "excludeTools" : "disabledServers";
    return ok({ isOn: action === "on", file: "toolcrib.local.yaml", line: 2, text: `${key}: ${id}` });
  }
  if (topic === "runs") return id === "" ? ok({ id: "r1" }) : { status: 204 };
  if (topic === "questions") script.questions = script.questions.filter((question) => question.id !== id);
  if (topic === "pins") script.overview = { ...script.overview, pinned: 14 };
  if (topic === "approvals") {
    const isThere = script.approvals.some((approval) => approval.id === id) && !script.answeredFirst.includes(id);
    script.approvals = script.approvals.filter((approval) => approval.id !== id);
    if (!isThere) return refuse(404, "approval.gone", "it was answered meanwhile");
    if (script.lost.includes(id)) return refuse(410, "approval.lost", "nobody can receive this answer any more");
  } else if (topic === "changes") script.changes = script.changes.filter((change) => change.id !== id);
  else if (topic === "servers") {
    script.servers = script.servers.map((server) => (server.name === id ? { ...server, state: "connected" } : server));
  }
  return { status: 204 };
}

/** Plan mode hides what writes, `exclude` what it names: enough of a scene to see a difference. */
function inScene(tools: readonly ToolView[], fields: URLSearchParams): readonly ToolView[] {
  const excluded = new Set((fields.get("exclude") ?? "").split(","));
  const isPlan = fields.get("mode") === "plan";
  return tools.map((tool) => {
    if (isPlan && ["edit", "create", "bash"].includes(tool.name)) {
      return restand(tool, "mode", "hide", "it writes, and the mode is plan");
    }
    if (excluded.has(tool.name) || excluded.has(`${tool.server}/*`)) {
      return restand(tool, "filter", "hide", "excluded by the query");
    }
    return tool;
  });
}

function toWhatIf(before: readonly ToolView[], after: readonly ToolView[]): WhatIf {
  const earlier = new Map(before.map((tool) => [tool.name, tool]));
  const changes = after.flatMap((tool): readonly ChangedStanding[] => {
    const was = earlier.get(tool.name)?.standing ?? null;
    if (was === tool.standing) return [];
    const gates = tool.trace.filter(({ verdict }) => verdict !== "pass").map(({ gate }) => gate);
    return [{ name: tool.name, before: was, after: tool.standing, gates }];
  });
  return { toolset: toToolset(after), changes };
}

function ok(body: unknown): Reply {
  return { status: 200, body };
}

function refuse(status: number, code: string, text: string): Reply {
  return { status, body: { error: { code, text } } };
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}
