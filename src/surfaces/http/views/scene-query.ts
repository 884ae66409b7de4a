import type { Config } from "../../../config/config.ts";
import type { Flags } from "../../../config/layers/read-layers.ts";
import { type Caller, describePerson } from "../../../core/people/person.ts";
import { MODES } from "../../../core/scene/scene.ts";
import { buildToolset } from "../../../core/toolset/build-toolset.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { toAskedScene } from "../../../runtime/crib/asked-scene.ts";
import { personProfile, toViewConfig } from "../../../runtime/crib/profile.ts";
import { noteElsewhere } from "../../../runtime/report/named-elsewhere.ts";
import { reportSources, type SourceReport, sourceNotices } from "../../../runtime/report/source-report.ts";
import { type AnsweredQuestion, uniqueNotices } from "../../../runtime/report/toolset-rows.ts";
import { withoutWaiting } from "../../../runtime/report/waiting-servers.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import { HttpRefusal } from "../api/answers.ts";
import { type InspectorPorts, ownOf } from "../api/ports.ts";

/** Whose toolset is asked about, and what would differ. */
export interface SceneQuery {
  readonly client: string | null;
  /** Somebody who has come in, as SUBJECT@ISSUER. */
  readonly person: string | null;
  /** Null: the current toolset. */
  readonly flags: Flags | null;
}

/** A toolset with its origin. */
export interface AnsweredScene extends AnsweredQuestion {
  readonly sources: readonly SourceReport[];
  readonly config: Config;
  /** The session's current toolset. */
  readonly now: Toolset;
}

/** `agent`, `model`, `mode`, `include`, `exclude`, `client` and `person`; empty values are ignored. */
export function readSceneQuery(params: URLSearchParams): SceneQuery {
  const text = (key: string): string | undefined => params.get(key)?.trim() || undefined;
  const names = (key: string): readonly string[] | undefined => {
    const list = (params.get(key) ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    return list.length === 0 ? undefined : list;
  };
  const mode = text("mode");
  if (mode !== undefined && !MODES.some((known) => known === mode))
    throw new HttpRefusal(400, "http.invalid-request", `mode is one of ${MODES.join(", ")}`);
  const flags = {
    agent: text("agent"),
    model: text("model"),
    mode,
    include: names("include"),
    exclude: names("exclude"),
  };
  const isAsked = Object.values(flags).some((value) => value !== undefined);
  const person = text("person") ?? null;
  return { client: text("client") ?? null, person, flags: isAsked || person !== null ? flags : null };
}

/** Computes a scene with the current tools. No session changes. */
export async function answerScene(
  ports: InspectorPorts,
  { client, person, flags }: SceneQuery,
): Promise<AnsweredScene> {
  const session = findSession(ports, client);
  const sources = reportSources(session);
  const now = session.toolset;
  const loaded = flags === null ? session.config : await loadConfig(ports, session, flags);
  const profile = person === null ? null : personProfile(loaded, await findPerson(ports, person));
  const config = profile === null ? loaded : toViewConfig(loaded, profile);
  const toolset = flags === null ? now : buildToolset(now.catalog, toAskedScene(config, now.scene, profile?.limits));
  const told = flags === null ? [] : config.notices;
  const all = uniqueNotices([...told, ...toolset.notices, ...sourceNotices(sources)]);
  const notices = noteElsewhere(withoutWaiting(all, config), config);
  return { toolset, notices, sources, config, now };
}

function findSession({ crib }: InspectorPorts, client: string | null): OpenSession {
  if (client === null) return crib.main;
  const view = crib.views.find(({ session }) => session.id === client);
  if (view === undefined) throw new HttpRefusal(404, "http.not-found", "that client has gone");
  return view.session;
}

async function findPerson(ports: InspectorPorts, name: string): Promise<Caller> {
  const people = (await ownOf(ports).people?.()) ?? [];
  const found = people.find(({ caller }) => describePerson(caller) === name);
  if (found === undefined) throw new HttpRefusal(404, "http.not-found", "nobody of that name has come in");
  return { ...found.caller, client: null };
}

/** A client with an agent keeps it, unless the question names another. */
async function loadConfig(ports: InspectorPorts, session: OpenSession, flags: Flags): Promise<Config> {
  const config = await ownOf(ports).configWith(flags);
  return session === ports.crib.main || flags.agent !== undefined ? config : { ...config, agent: session.config.agent };
}
