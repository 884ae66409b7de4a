import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createSession,
  defineTool,
  openStore,
  type PermissionHandler,
  type RunOptions,
  resumeSession,
  type Session,
  type SessionEvent,
  type SessionOptions,
} from "../../../src/index.ts";
import type { App, AppTool, Observed, Place, PlainRecord, SeenEvent, Way } from "../behaviour.ts";

/** An app that uses the package itself. */
export const LIBRARY: Way = {
  name: "library",
  async run(app, place) {
    const seen = { replies: [], events: [], history: [], calls: [], questions: [] } as Seen;
    const store = await openStore(`sqlite:${join(place.home, "sessions.db")}`);
    try {
      const options = { ...toOptions(app, place, seen), store };
      let session = follow(await createSession(options), seen);
      // Runtimes of the SDK wait for servers with the first message.
      await session.settled();
      for (const act of app.acts) {
        if ("send" in act) seen.replies.push(await say(session, act, place.cwd));
        else if ("setModel" in act) await session.updateOptions({ model: modelOf(act.setModel) });
        else if ("setMode" in act) await session.updateOptions({ mode: MODES[act.setMode] });
        else {
          const { id } = session;
          await session.close();
          session = follow(await resumeSession(id, options), seen);
        }
      }
      await session.close();
      // The library has no second way to read them: what was heard is what there is.
      seen.history.push(...seen.events);
      return seen;
    } finally {
      await store.close();
    }
  },
  close: async () => {},
};

type Seen = { -readonly [Key in keyof Omit<Observed, "requests">]: Observed[Key][number][] };

const MODES = { interactive: "default", plan: "plan", autopilot: "autopilot" } as const;

const modelOf = (name: string): string => `openai/${name}`;

function toOptions(app: App, { cwd, modelUrl }: Place, seen: Seen): SessionOptions {
  const { model = "claude-sonnet-4.5", permission = "approve", tools = [], options = {} } = app;
  return {
    workspace: cwd,
    builtins: "all",
    allowNoTools: true,
    model: modelOf(model),
    providers: { openai: { baseUrl: modelUrl, key: "key-of-the-app", wire: "openai-chat" } },
    tools: tools.map((tool) => toDefined(tool, seen)),
    ...(permission === null ? {} : { onPermissionRequest: toHandler(permission, seen) }),
    ...(options as SessionOptions),
  };
}

function toDefined({ name, returns, throws, parameters = { type: "object" }, ...about }: AppTool, seen: Seen) {
  return defineTool(name, {
    description: name,
    ...about,
    parameters: parameters as object,
    handler: async (args: unknown) => {
      seen.calls.push({ name, arguments: args });
      if (throws !== undefined) throw new Error(throws);
      return returns;
    },
  });
}

function toHandler(permission: NonNullable<App["permission"]>, seen: Seen): PermissionHandler {
  return async (request) => {
    seen.questions.push(request as unknown as PlainRecord);
    if (permission === "approve" || permission === "allow-by-decision") return { decision: "allow" };
    return { decision: "deny", reason: "not today" };
  };
}

function follow(session: Session, seen: Seen): Session {
  session.on("*", (event) => seen.events.push(toSeen(event)));
  return session;
}

function toSeen(event: SessionEvent): SeenEvent {
  return {
    type: event.type,
    data: event.data as SeenEvent["data"],
    ...(event.agent ? { agentId: event.agent } : {}),
  };
}

async function say(
  session: Session,
  { send, attachments = [] }: { readonly send: string; readonly attachments?: readonly PlainRecord[] },
  cwd: string,
): Promise<Seen["replies"][number]> {
  try {
    const files = await Promise.all(attachments.map((one) => toPart(one, cwd)));
    const { text } = await session.run(send, files.length === 0 ? {} : { attachments: files });
    return text;
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The library takes what is in a file; to read it is the app's own work. */
async function toPart(
  { path, data, mimeType }: PlainRecord,
  cwd: string,
): Promise<NonNullable<RunOptions["attachments"]>[number]> {
  const bytes = path === undefined ? Buffer.from(String(data), "base64") : await readFile(join(cwd, String(path)));
  return { type: "file", data: bytes.toString("base64"), mimeType: String(mimeType ?? "image/png"), name: null };
}
