import { join } from "node:path";
import { DEFAULT_MODEL } from "../models/model-state.ts";
import { listModels, readAccount, readQuota } from "../models/service.ts";
import { findInstructions } from "../models/system-text.ts";
import { createLive, deleteLiveSession, detach, resumeLive } from "../sessions/sessions.ts";
import type { CarriedRequest } from "../state/runtime-state.ts";
import { listNotes, notesIn } from "../state/session-notes.ts";
import { findAgents, findServers } from "../tools/discover.ts";
import { readSkills } from "../tools/skills.ts";
import { dropUndefined, type Json, numberOf, recordOf, textOf, textsOf } from "../wire/wire-values.ts";
import { tokenFor, withLogin } from "./logins.ts";
import { type Asked, findSession, type Method } from "./method.ts";
import { withUserSettings } from "./user-settings.ts";

/** Methods that are about no one session, and those that open one. */
export const SERVER_METHODS: Readonly<Record<string, Method>> = {
  "session.create": async ({ server, connection, params }) =>
    createLive(server, connection, await withUserSettings(server, withLogin(connection, params))),
  // A session that lives keeps the token that it has, unless a client names another.
  "session.resume": ({ server, connection, params }) =>
    resumeLive(server, connection, server.live.has(String(params.sessionId)) ? params : withLogin(connection, params)),
  "session.detach": leave,
  "session.destroy": leave,
  "session.delete": ({ server, params }) => deleteLiveSession(server, String(params.sessionId)),
  "session.list": async ({ server, params }) => ({
    sessions: (await listNotes(await server.store(), recordOf(params.filter))).map(toListed),
  }),
  "session.getMetadata": async ({ server, params }) => {
    const note = recordOf(await notesIn(await server.store()).get(String(params.sessionId)));
    return note.sessionId === undefined ? {} : { session: toListed(note) };
  },
  "session.getLastId": async ({ server }) => {
    const [last] = await listNotes(await server.store());
    return last === undefined ? {} : { sessionId: last.sessionId };
  },
  "session.getForeground": () => ({}),
  "session.setForeground": () => ({ success: false, error: "Not running in TUI+server mode" }),
  "auth.getStatus": (asked) => readAccount(asked.server, tokenFor(asked)),
  "models.list": async (asked) => ({
    models: await listModels(asked.server, textOf(asked.params.gitHubToken) ?? tokenFor(asked) ?? undefined),
  }),
  "tools.list": async ({ params }) => {
    const { listBuiltins } = await import("./builtin-tools.ts");
    return { tools: listBuiltins(textOf(params.model) ?? DEFAULT_MODEL) };
  },
  "secrets.addFilterValues": ({ server, params }) => {
    const short = server.secrets.add(textsOf(params.values));
    if (short > 0) server.note(`values to filter that are too short to be told from ordinary text: ${short}`);
    return { ok: true };
  },
  "account.getQuota": (asked) => readQuota(asked.server, textOf(asked.params.gitHubToken) ?? tokenFor(asked)),
  "mcp.discover": async ({ server, params }) => ({ servers: await findServers(server.around, params) }),
  "skills.discover": async ({ server, params }) => ({
    skills: (await readSkills(textsOf(params.skillDirectories), server.around)).map((skill) => ({
      ...skill,
      source: "custom",
      enabled: !server.disabledSkills.has(String(skill.name)),
    })),
  }),
  "skills.getDiscoveryPaths": ({ params }) => ({ paths: toPaths(params, "skills") }),
  "agents.discover": async ({ server, params }) => ({ agents: await findAgents(server.around, params) }),
  "agents.getDiscoveryPaths": ({ params }) => ({ paths: toPaths(params, "agents") }),
  "instructions.discover": async ({ params }) => ({
    sources: await findInstructions(textsOf(params.projectPaths)),
  }),
  "instructions.getDiscoveryPaths": ({ params }) => ({ paths: toPaths(params, "instructions") }),
  "agentRegistry.spawn": () => {
    throw new Error("agentRegistry.spawn is not enabled");
  },
  "sessions.getRemoteControlStatus": () => OFF,
  "sessions.startRemoteControl": (asked) => {
    findSession(asked);
    return OFF;
  },
  "sessions.stopRemoteControl": () => ({ ...OFF, stopped: false }),
  "sessions.setRemoteControlSteering": () => OFF,
  "sessions.transferRemoteControl": () => ({ ...OFF, transferred: false }),
  "skills.config.setDisabledSkills": ({ server, params }) => {
    server.disabledSkills = new Set(textsOf(params.disabledSkills));
    return null;
  },
  "plugins.builtin.set": () => ({}),
  "sessionFs.setProvider": ({ server, connection, params }) => {
    if (server.files !== null && server.files.connection !== connection)
      throw new Error("another client keeps the files of sessions already");
    if (server.live.size > 0) throw new Error("sessionFs.setProvider has to come before the first session");
    server.files = { connection, setting: params };
    return { success: true };
  },
  // A client that carries requests to models answers them in pieces.
  "llmInference.setProvider": ({ server, connection }) => {
    if (server.inference !== null && server.inference !== connection)
      throw new Error("another client carries requests to models already");
    server.inference = connection;
    return { success: true };
  },
  "llmInference.httpResponseStart": (asked) => {
    const exchange = findExchange(asked);
    exchange?.start(numberOf(asked.params.status) ?? 500, toHeaders(recordOf(asked.params.headers)));
    return { accepted: exchange !== undefined };
  },
  "llmInference.httpResponseChunk": (asked) => {
    const { data, binary, end, error } = asked.params;
    const exchange = findExchange(asked);
    const text = textOf(data) ?? "";
    if (text !== "") exchange?.chunk(Buffer.from(text, binary === true ? "base64" : "utf8"));
    if (error !== undefined) exchange?.end(textOf(recordOf(error).message) ?? "the client could not carry the request");
    else if (end === true) exchange?.end(null);
    return { accepted: exchange !== undefined };
  },
};

function findExchange({ server, connection, params }: Asked): CarriedRequest | undefined {
  const exchange = server.exchanges.get(String(params.requestId));
  return exchange?.carrier === connection ? exchange : undefined;
}

function toHeaders(given: Json): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? textsOf(value) : [String(value)]) headers.append(name, one);
  return headers;
}

/** A session that is gone already has been left too. */
async function leave({ server, connection, params }: Asked): Promise<Json> {
  const live = server.live.get(String(params.sessionId));
  if (live !== undefined) await detach(server, live, connection);
  return { success: true };
}

/** Where in a project to look for something. */
function toPaths({ projectPaths }: Json, kind: string): readonly Json[] {
  return textsOf(projectPaths).map((projectPath) => ({
    ...{ path: join(projectPath, ".github", kind), projectPath, source: "project", scope: "project" },
    ...{ kind: "directory", location: "repository", preferredForCreation: true },
  }));
}

const OFF = { status: { state: "off" } } as const;

function toListed({ sessionId, startTime, modifiedTime, isRemote, summary, name, context }: Json): Json {
  return dropUndefined({ sessionId, startTime, modifiedTime, isRemote, context, summary, name });
}
