import { spawn } from "node:child_process";
import { resolve, sep } from "node:path";
import { SAFELY } from "../../../system/process/run-git.ts";
import { checkpointsOf } from "../events/checkpoints.ts";
import type { SessionMethod } from "../method.ts";
import { type Live, tell } from "../state/live.ts";
import { filesOf } from "../state/state-files.ts";
import { readStepOrder, readSteps } from "../tools/session-sql.ts";
import { type Json, textOf } from "../wire/wire-values.ts";

/** The plan and the files of a session, and commands that a person has it run. */
export const WORKSPACE_METHODS: Readonly<Record<string, SessionMethod>> = {
  "plan.read": async (live) => {
    const files = filesOf(live);
    const path = files.path("plan.md");
    const content = await files.read(path);
    return { exists: content !== null, content, path };
  },
  "plan.update": async (live, { content }) => {
    const files = filesOf(live);
    const existed = (await files.read(files.path("plan.md"))) !== null;
    await files.write(files.path("plan.md"), textOf(content) ?? "");
    tell(live, "session.plan_changed", { operation: existed ? "update" : "create" });
    return {};
  },
  "plan.delete": async (live) => {
    await filesOf(live).remove(filesOf(live).path("plan.md"));
    tell(live, "session.plan_changed", { operation: "delete" });
    return {};
  },
  "plan.readSqlTodos": async (live, _params, { signal }) => ({ rows: await readSteps(live, signal) }),
  "plan.readSqlTodosWithDependencies": async (live, _params, { signal }) => ({
    rows: await readSteps(live, signal),
    dependencies: await readStepOrder(live, signal),
  }),
  "workspaces.listFiles": async (live) => ({ files: await filesOf(live).list(filesOf(live).path("files")) }),
  "workspaces.readFile": async (live, { path }) => {
    const content = await filesOf(live).read(placeOf(live, path));
    if (content === null) throw new Error(`there is no file ${String(path)}`);
    return { content };
  },
  "workspaces.createFile": async (live, { path, content }) => {
    const place = placeOf(live, path);
    const files = filesOf(live);
    const existed = (await files.read(place)) !== null;
    await files.write(place, textOf(content) ?? "");
    tell(live, "session.workspace_file_changed", { path, operation: existed ? "update" : "create" });
    return {};
  },
  "workspaces.getWorkspace": (live) => ({ workspace: { id: live.id }, path: filesOf(live).folder }),
  "workspaces.listCheckpoints": (live) => ({
    checkpoints: checkpointsOf(live.log).map(({ number, title, filename }) => ({ number, title, filename })),
  }),
  "workspaces.readCheckpoint": (live, { number }) => ({
    content: checkpointsOf(live.log).find((one) => one.number === number)?.content ?? null,
  }),
  "workspaces.diff": async (live, { mode }) => {
    const base = mode === "branch" ? await findBase(live.cwd) : null;
    const shown = base === null ? "unstaged" : "branch";
    return { requestedMode: mode, mode: shown, isFallback: shown !== mode, changes: await diff(live, base ?? "HEAD") };
  },
  "workspaces.saveLargePaste": async (live, { content }) => {
    const filename = `paste-${Date.now()}.txt`;
    const files = filesOf(live);
    const filePath = files.path("files", filename);
    await files.write(filePath, textOf(content) ?? "");
    return { saved: { filename, filePath, sizeBytes: Buffer.byteLength(textOf(content) ?? "") } };
  },
  "shell.exec": (live, { command, cwd }) => {
    const child = spawn(textOf(command) ?? "", {
      shell: true,
      cwd: textOf(cwd) ?? live.cwd,
      stdio: "ignore",
      detached: true,
    });
    child.on("error", () => {});
    const processId = live.server.around.newId();
    runningIn(live).set(processId, () => kill(child.pid));
    child.on("exit", () => runningIn(live).delete(processId));
    return { processId };
  },
  "shell.kill": (live, { processId }) => {
    const end = runningIn(live).get(String(processId));
    end?.();
    return { killed: end !== undefined };
  },
  "shell.executeUserRequested": (live, { requestId, command }) =>
    execute(live, String(requestId), textOf(command) ?? ""),
  "shell.cancelUserRequested": (live, { requestId }) => {
    const end = runningIn(live).get(String(requestId));
    end?.();
    return { cancelled: end !== undefined };
  },
};

function placeOf(live: Live, path: unknown): string {
  const root = filesOf(live).path("files");
  const place = resolve(root, textOf(path) ?? "");
  if (place.startsWith(root + sep)) return place;
  throw new Error("the path leads out of the workspace files directory");
}

/** What runs for people in this session, by its id, and how it is ended. */
function runningIn({ facts }: Live): Map<string, () => void> {
  const running = (facts.get("shell") ?? new Map()) as Map<string, () => void>;
  facts.set("shell", running);
  return running;
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

const MOST_OUTPUT = 1024 * 1024;

/** A command that a person typed, so nobody is asked about it. */
function execute(live: Live, requestId: string, command: string): Promise<Json> {
  const toolCallId = live.server.around.newId();
  tell(live, "tool.user_requested", { toolCallId, toolName: "bash", arguments: { command } });
  return new Promise((done) => {
    const child = spawn(command, { shell: true, cwd: live.cwd, detached: true });
    let output = "";
    const add = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(0, MOST_OUTPUT);
    };
    child.stdout?.on("data", add);
    child.stderr?.on("data", add);
    runningIn(live).set(requestId, () => kill(child.pid));
    const end = (exitCode: number): void => {
      runningIn(live).delete(requestId);
      const success = exitCode === 0;
      tell(live, "tool.execution_complete", {
        toolCallId,
        success,
        isUserRequested: true,
        ...(success ? { result: { content: output } } : { error: { message: output || `exit code ${exitCode}` } }),
      });
      done({ success, exitCode, output, toolCallId });
    };
    child.on("error", () => end(127));
    child.on("close", (code) => end(code ?? 137));
  });
}

/** Where the branch left the default one; null where nobody knows which that is. */
async function findBase(cwd: string): Promise<string | null> {
  const named = (await git(cwd, ["rev-parse", "--abbrev-ref", "origin/HEAD"])).trim();
  for (const name of [named, "main", "master"]) {
    const base = name === "" ? "" : (await git(cwd, ["merge-base", "HEAD", name])).trim();
    if (base !== "") return base;
  }
  return null;
}

/** What git says has changed in the working directory since that commit. */
async function diff(live: Live, since: string): Promise<readonly Json[]> {
  const text = await git(live.cwd, ["diff", since, "--no-color", "--no-ext-diff", "--no-textconv"]);
  const changes = text
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith("diff --git"))
    .map((part): Json => {
      const path = /^\+\+\+ b\/(.*)$/m.exec(part)?.[1] ?? /^--- a\/(.*)$/m.exec(part)?.[1] ?? "";
      const changeType = /^new file/m.test(part) ? "added" : /^deleted file/m.test(part) ? "deleted" : "modified";
      return { path, changeType, diff: part };
    });
  const untracked = (await git(live.cwd, ["ls-files", "--others", "--exclude-standard"])).split("\n").filter(Boolean);
  return [...changes, ...untracked.map((path): Json => ({ path, changeType: "added", diff: "" }))];
}

function git(cwd: string, args: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const child = spawn("git", [...SAFELY, ...args], { cwd, stdio: ["ignore", "pipe", "ignore"] });
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
    });
    child.on("error", () => done(""));
    child.on("close", () => done(text));
  });
}
