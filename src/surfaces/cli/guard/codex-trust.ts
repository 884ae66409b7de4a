import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import { readVersion } from "../../../system/version.ts";
import { isInstalledLine } from "../../guard/installed-line.ts";

/** A hook that Codex knows of. It runs one of a person only if they have looked at it, and says nothing where it does not. */
export interface CodexHook {
  readonly key: string;
  readonly hash: string;
  readonly isTrusted: boolean;
  /** The file it stands in. */
  readonly file: string;
}

interface CodexPlace {
  /** The file of its program. */
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Our hooks as Codex sees them. Throws what Codex says where it cannot answer. */
export function listCodexHooks(place: CodexPlace): Promise<readonly CodexHook[]> {
  return withCodex(place, (call) => listHooks(call, place.cwd));
}

/** Makes Codex trust our hooks of a file as they are now; what it says of them then. */
export function trustCodexHooks(place: CodexPlace, file: string): Promise<readonly CodexHook[]> {
  return withCodex(place, async (call) => {
    const own = (await listHooks(call, place.cwd)).filter((hook) => hook.file === file);
    const open = own.filter(({ isTrusted }) => !isTrusted);
    if (open.length === 0) return own;
    const value = Object.fromEntries(open.map(({ key, hash }) => [key, { trusted_hash: hash }]));
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    await call("config/batchWrite", { edits, reloadUserConfig: true });
    return (await listHooks(call, place.cwd)).filter((hook) => hook.file === file);
  });
}

type Call = (method: string, params: object) => Promise<unknown>;

async function listHooks(call: Call, cwd: string): Promise<readonly CodexHook[]> {
  const answer = await call("hooks/list", { cwds: [cwd] });
  const folders = isRecord(answer) && Array.isArray(answer.data) ? answer.data : [];
  return folders.flatMap((folder): readonly CodexHook[] => {
    const hooks: readonly unknown[] = isRecord(folder) && Array.isArray(folder.hooks) ? folder.hooks : [];
    return hooks.flatMap((hook) => {
      if (!isRecord(hook)) return [];
      const { key, currentHash, trustStatus, sourcePath, command, isManaged, handlerType, tool } = hook;
      const isLine = typeof command === "string" && isInstalledLine(command, "codex");
      if (!isLine && !(handlerType === "mcpTool" && tool === "judge")) return [];
      const isTrusted = trustStatus === "trusted" || isManaged === true;
      return [{ key: String(key), hash: String(currentHash), isTrusted, file: String(sourcePath) }];
    });
  });
}

const PATIENCE = 20_000;

/** Speaks with `codex app-server`, one message a line. */
async function withCodex<T>({ program, cwd, env }: CodexPlace, work: (call: Call) => Promise<T>): Promise<T> {
  const waiting = new Map<unknown, (message: Readonly<Record<string, unknown>>) => void>();
  let rest = "";
  let next = 0;
  const child = await spawnProcess({
    argv: [program, "app-server"],
    cwd,
    env: Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    stdin: "pipe",
    onStdout: (chunk) => {
      const lines = (rest + chunk.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      for (const message of lines.map((line) => parseJson(line)))
        if (isRecord(message)) waiting.get(message.id)?.(message);
    },
    onStderr: () => {},
    signal: AbortSignal.timeout(PATIENCE),
  });
  const send = (message: object) => child.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`, true);
  const call: Call = async (method, params) => {
    const id = next++;
    const answered = new Promise<Readonly<Record<string, unknown>>>((resolve) => waiting.set(id, resolve));
    await send({ id, method, params });
    const over = child.exited.then(() => ({ error: { message: "it ended, or took too long" } }));
    const message: Readonly<Record<string, unknown>> = await Promise.race([answered, over]);
    if (!isRecord(message.error)) return message.result;
    throw new Error(`codex app-server does not answer ${method}: ${String(message.error.message)}`);
  };
  try {
    await call("initialize", {
      clientInfo: { name: "toolcrib", version: readVersion() },
      capabilities: { experimentalApi: true },
    });
    await send({ method: "initialized" });
    return await work(call);
  } finally {
    await child.kill();
  }
}
