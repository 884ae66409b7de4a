import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type ConfigInput, loadConfig, trustWorkspace } from "../../src/config/load-config.ts";
import { loadCommandReader } from "../../src/runtime/permissions/command-reader.ts";
import type { PermissionAnswer, PermissionRequest } from "../../src/runtime/permissions/permission-request.ts";
import { openSession } from "../../src/runtime/session/tools/session.ts";
import { toSetting } from "../../src/runtime/session/tools/setting.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

export interface SettingsOptions {
  /** What a person answers; without it nobody is there. */
  readonly answer?: (request: PermissionRequest) => PermissionAnswer;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the repository to work in; the files lie at its root all the same. */
  readonly below?: string;
}

/** A session on a machine of its own, in a workspace that is trusted with exactly these files. */
export async function openWith(files: Readonly<Record<string, string | object>>, options: SettingsOptions = {}) {
  const home = makeTempFolder();
  const root = join(home, "work");
  const cwd = join(root, options.below ?? ".");
  mkdirSync(join(root, ".git"), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  for (const [name, content] of Object.entries({ "a.txt": "hello\n", ...files })) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
  const env = { HOME: home, PATH: process.env.PATH ?? "", ...options.env };
  const input: ConfigInput = { cwd, home, env, systemPolicy: join(home, "no-policy.yaml"), loadCommandReader };
  await trustWorkspace(input);
  const config = await loadConfig(input);
  const asked: PermissionRequest[] = [];
  const { answer } = options;
  const onPermissionRequest =
    answer === undefined
      ? () => null
      : () => (request: PermissionRequest) => {
          asked.push(request);
          return answer(request);
        };
  const session = await openSession(
    config,
    toSetting({ version: "0.0.0", cwd, home, env, workspace: cwd, onPermissionRequest }),
  );
  onTestFinished(() => session.close());
  const events: { readonly name: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  for (const name of ["hook.start", "hook.end", "session.info", "session.warning", "permission.completed"] as const)
    session.on(name, (data) => void events.push({ name, data: { ...data } }));
  return {
    session,
    config,
    cwd,
    home,
    asked,
    events,
    of: (name: string) => events.filter((event) => event.name === name).map(({ data }) => data),
    read: (name: string) => readFileSync(join(cwd, name), "utf8"),
  };
}

/** A hook that drops its input and says this. */
export function says(output: object): string {
  return `cat >/dev/null; printf '%s' '${JSON.stringify(output).replaceAll("'", "'\\''")}'`;
}
