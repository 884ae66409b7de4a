import { buildCatalog } from "../../../core/catalog/catalog.ts";
import { toTool } from "../../../core/tool/tool.ts";
import { buildToolset } from "../../../core/toolset/build-toolset.ts";
import type { AskedCall } from "../../../sources/acp/asked-call.ts";
import { CONNECTED, type Source } from "../../../sources/source.ts";
import { createRequest, type Request } from "../../requests/request.ts";
import type { OpenSession } from "../tools/session.ts";

/** One of our tools that does what an agent of another program asks about, and its arguments. */
interface Likeness {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/**
 * Whether an agent of another program may do what it asks about: judged as a call of our own tool that does the same, by
 * the same gates, hooks, rules and people. What runs is the agent's own; nothing runs here.
 */
export async function judgeAsked(session: OpenSession, asked: AskedCall, signal: AbortSignal): Promise<boolean> {
  const calls = await session.calls();
  const alike = toLikeness(asked);
  const request = alike.length > 0 ? pretend(session) : pretendOther(session);
  const judged =
    alike.length > 0 ? alike : [{ toolName: OTHER.name, arguments: { ...asked.input, title: asked.title } }];
  for (const [at, call] of judged.entries()) {
    const { result } = await calls.run(request, { id: `${asked.id}.${at}`, ...call }, { signal });
    if (result.resultType !== "success") return false;
  }
  return true;
}

function toLikeness({ kind, title, input: { command, url }, files }: AskedCall): readonly Likeness[] {
  if (typeof command === "string") return [{ toolName: "bash", arguments: { command, description: title } }];
  if (typeof url === "string" && kind === "fetch") return [{ toolName: "web_fetch", arguments: { url } }];
  if (CHANGES.has(kind) || files.some(({ text }) => text !== null))
    return files.map(({ path, text }) => ({
      toolName: "create",
      arguments: { path, content: text ?? `(${title})`, overwrite: true },
    }));
  return kind === "read" || kind === "search"
    ? files.map(({ path }) => ({ toolName: "view", arguments: { path } }))
    : [];
}

const CHANGES: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

/** What has no likeness is a tool of its own, which no rule allows. */
const OTHER = toTool({
  name: "other_program",
  description: "Lets an agent of another program do what it asks about.",
  inputSchema: { type: "object" },
  source: "agent",
});

/** Answers that a call ran, once everything in front of it has let it through. */
const NOTHING_RUNS: Source = {
  kind: "agent",
  name: "acp",
  status: CONNECTED,
  list: async () => [],
  run: async () => ({ textResultForLlm: "It may.", resultType: "success" }),
  changes: () => () => {},
  close: async () => {},
};

function pretend({ toolset }: OpenSession): Request {
  return createRequest(
    toolset,
    () => toolset,
    () => NOTHING_RUNS,
  );
}

function pretendOther({ toolset: { scene } }: OpenSession): Request {
  const toolset = buildToolset(buildCatalog([OTHER]), scene);
  return createRequest(
    toolset,
    () => toolset,
    () => NOTHING_RUNS,
  );
}
