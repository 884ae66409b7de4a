import { resolve, sep } from "node:path";
import { createOutputBuffer } from "../../../system/process/output-buffer.ts";
import { runGit } from "../../../system/process/run-git.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import { checkpointsOf } from "../events/checkpoints.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { emit, type SessionCore } from "../state/session-core.ts";
import { filesOf } from "../state/session-files.ts";
import { readStepOrder, readSteps } from "../tools/session-sql.ts";
import { dropUndefined, type Json, textOf } from "../wire/wire-values.ts";
import type { SessionMethod } from "./method.ts";

/** The plan and the files of a session, and commands that a person has it run. */
export const WORKSPACE_METHODS: Readonly<Record<string, SessionMethod>> = {
  "plan.read": async ({ core }) => {
    const files = filesOf(core);
    const path = files.path("plan.md");
    const content = await files.read(path);
    return { exists: content !== null, content, path };
  },
  "plan.update": async ({ core }, { content }) => {
    const operation = await replace(core, filesOf(core).path("plan.md"), content);
    emit(core, "session.plan_changed", { operation });
    return {};
  },
  "plan.delete": async ({ core }) => {
    await filesOf(core).remove(filesOf(core).path("plan.md"));
    emit(core, "session.plan_changed", { operation: "delete" });
    return {};
  },
  "plan.readSqlTodos": async ({ workspace }, _params, { signal }) => ({ rows: await readSteps(workspace, signal) }),
  "plan.readSqlTodosWithDependencies": async ({ workspace }, _params, { signal }) => ({
    rows: await readSteps(workspace, signal),
    dependencies: await readStepOrder(workspace, signal),
  }),
  "workspaces.listFiles": async ({ core }) => ({ files: await filesOf(core).list(filesOf(core).path("files")) }),
  "workspaces.readFile": async ({ core }, { path }) => {
    const content = await filesOf(core).read(placeOf(core, path));
    if (content === null) throw new Error(`there is no file ${String(path)}`);
    return { content };
  },
  "workspaces.createFile": async ({ core }, { path, content }) => {
    const operation = await replace(core, placeOf(core, path), content);
    emit(core, "session.workspace_file_changed", { path, operation });
    return {};
  },
  "workspaces.getWorkspace": ({ core }) => ({ workspace: { id: core.id }, path: filesOf(core).folder }),
  "workspaces.listCheckpoints": ({ events }) => ({
    checkpoints: checkpointsOf(events).map(({ number, title, filename }) => ({ number, title, filename })),
  }),
  "workspaces.readCheckpoint": ({ events }, { number }) => ({
    content: checkpointsOf(events).find((one) => one.number === number)?.content ?? null,
  }),
  "workspaces.diff": async ({ core }, { mode }) => {
    const base = mode === "branch" ? await findBase(core) : null;
    const shown = base === null ? "unstaged" : "branch";
    return { requestedMode: mode, mode: shown, isFallback: shown !== mode, changes: await diff(core, base ?? "HEAD") };
  },
  "workspaces.saveLargePaste": async ({ core }, { content }) => {
    const filename = `paste-${Date.now()}.txt`;
    const files = filesOf(core);
    const filePath = files.path("files", filename);
    await files.write(filePath, textOf(content) ?? "");
    return { saved: { filename, filePath, sizeBytes: Buffer.byteLength(textOf(content) ?? "") } };
  },
  "shell.exec": (live, { command, cwd }) => {
    const processId = live.core.server.around.newId();
    void runShell(live, processId, textOf(command) ?? "", textOf(cwd));
    return { processId };
  },
  "shell.kill": ({ workspace }, { processId }) => ({ killed: end(workspace.commands, processId) }),
  "shell.executeUserRequested": (live, { requestId, command }) =>
    execute(live, String(requestId), textOf(command) ?? ""),
  "shell.cancelUserRequested": ({ workspace }, { requestId }) => ({ cancelled: end(workspace.commands, requestId) }),
};

/** Writes a file; says whether it is new. */
async function replace(core: SessionCore, path: string, content: unknown): Promise<"create" | "update"> {
  const files = filesOf(core);
  const isNew = (await files.read(path)) === null;
  await files.write(path, textOf(content) ?? "");
  return isNew ? "create" : "update";
}

function placeOf(core: SessionCore, path: unknown): string {
  const root = filesOf(core).path("files");
  const place = resolve(root, textOf(path) ?? "");
  if (place.startsWith(root + sep)) return place;
  throw new Error("the path leads out of the workspace files directory");
}

/** Ends a command that runs for somebody; false where there is none of that id. */
function end(commands: ReadonlyMap<string, () => void>, id: unknown): boolean {
  const stop = commands.get(String(id));
  stop?.();
  return stop !== undefined;
}

const MOST_OUTPUT = 1024 * 1024;

/** A command that a person typed, so nobody is asked about it; by that id it can be ended. */
async function runShell({ core, workspace: { commands } }: ClientSession, id: string, command: string, cwd = core.cwd) {
  const stop = new AbortController();
  const output = createOutputBuffer({ head: MOST_OUTPUT, tail: 0 });
  commands.set(id, () => stop.abort());
  const ports = { onStdout: output.push, onStderr: output.push, signal: stop.signal, grace: 0 };
  const env = dropUndefined({ ...core.server.around.env });
  const ended = spawnProcess({ argv: ["/bin/sh", "-c", command], cwd, env, ...ports }).then(({ exited }) => exited);
  const { code } = await ended.catch(() => ({ code: 127 }));
  commands.delete(id);
  return { exitCode: code ?? 137, output: output.take(true).text };
}

async function execute(live: ClientSession, requestId: string, command: string): Promise<Json> {
  const { core } = live;
  const toolCallId = core.server.around.newId();
  emit(core, "tool.user_requested", { toolCallId, toolName: "bash", arguments: { command } });
  const { exitCode, output } = await runShell(live, requestId, command);
  const success = exitCode === 0;
  const outcome = success ? { result: { content: output } } : { error: { message: output || `exit code ${exitCode}` } };
  emit(core, "tool.execution_complete", { toolCallId, success, isUserRequested: true, ...outcome });
  return { success, exitCode, output, toolCallId };
}

/** Where the branch left the default one; null where nobody knows which that is. */
async function findBase(core: SessionCore): Promise<string | null> {
  const named = (await git(core, ["rev-parse", "--abbrev-ref", "origin/HEAD"])).trim();
  for (const name of [named, "main", "master"]) {
    const base = name === "" ? "" : (await git(core, ["merge-base", "HEAD", name])).trim();
    if (base !== "") return base;
  }
  return null;
}

/** What git says has changed in the working directory since that commit. */
async function diff(core: SessionCore, since: string): Promise<readonly Json[]> {
  const text = await git(core, ["diff", since, "--no-color", "--no-ext-diff", "--no-textconv"]);
  const changes = text
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git"))
    .map((part): Json => {
      const path = /^\+\+\+ b\/(.*)$/m.exec(part)?.[1] ?? /^--- a\/(.*)$/m.exec(part)?.[1] ?? "";
      const changeType = /^new file/m.test(part) ? "added" : /^deleted file/m.test(part) ? "deleted" : "modified";
      return { path, changeType, diff: part };
    });
  const untracked = (await git(core, ["ls-files", "--others", "--exclude-standard"])).split("\n").filter(Boolean);
  return [...changes, ...untracked.map((path): Json => ({ path, changeType: "added", diff: "" }))];
}

const LONGEST_DIFF = 16 * 1024 * 1024;

/** Nothing where git cannot say it. */
function git({ cwd, server }: SessionCore, argv: readonly string[]): Promise<string> {
  return runGit(argv, { cwd, env: server.around.env, longest: LONGEST_DIFF }).catch(() => "");
}
