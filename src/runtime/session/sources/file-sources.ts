import { relative } from "node:path";
import type { Config } from "../../../config/config.ts";
import { createHostGate, type HostGate } from "../../../config/host-gate.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { hashContent } from "../../../config/trust/found-extensions.ts";
import { loadSkillPrograms } from "../../../config/trust/found-skill-programs.ts";
import { extensionProgram, moduleProgram } from "../../../config/trust/host-programs.ts";
import type { Sourced } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import type { InvokedSkill } from "../../../core/events/event-types.ts";
import type { ExtensionSpec } from "../../../sources/extension/extension-spec.ts";
import type { ModuleSource } from "../../../sources/module/module-source.ts";
import type { SkillSource, SkillSourceOptions } from "../../../sources/skill/skill-source.ts";
import type { HostProgram } from "../../../system/host-programs/host-program.ts";
import type { WantedSource } from "./configured-sources.ts";
import type { SessionPlace } from "./session-place.ts";

/** The tools that the configuration takes from modules, as one source; none when it takes none. */
export function wantedModules(
  config: Config,
  place: Pick<SessionPlace, "cwd" | "env">,
  onOpened: (source: ModuleSource) => void,
): readonly WantedSource[] {
  const { tools } = config;
  if (tools.length === 0) return [];
  const gate = createHostGate(config, { workspace: place.cwd, home: homeFolder(place.env) });
  const open = async (): Promise<ModuleSource> => {
    const { createModuleSource } = await import("../../../sources/module/module-source.ts");
    const source = createModuleSource({ tools, refuses: (tool) => gate.refuses(moduleProgram(tool)) });
    onOpened(source);
    return source;
  };
  const standing = tools.map((tool) => gate.standing(moduleProgram(tool)));
  return [{ key: JSON.stringify(["module", tools.map(withoutOrigin), standing]), open }];
}

interface SkillPlace extends Pick<SkillSourceOptions, "host" | "callMcp"> {
  readonly cwd: string;
  readonly home: string;
  readonly onInvoked: (skill: InvokedSkill) => void;
}

/** The skills of all configured folders; those that the selected agent preloads are active from the start. */
export function wantedSkills(
  config: Config,
  place: SkillPlace,
  onOpened: (source: SkillSource) => void,
): readonly WantedSource[] {
  const { skillDirectories: directories, disabledSkills, agent, agents } = config;
  const preloaded = (agent === null ? undefined : agents.get(agent.value))?.skills.value ?? [];
  // A skill that an agent wants and nobody has still restricts, so it has to be looked for.
  if (directories.length === 0 && preloaded.length === 0) return [];
  const open = async (): Promise<SkillSource> => {
    const { createSkillSource } = await import("../../../sources/skill/skill-source.ts");
    const source = createSkillSource({
      directories,
      disabled: disabledSkills.value,
      base: place.cwd,
      home: place.home,
      host: place.host,
      callMcp: place.callMcp,
      preloaded,
      refuses: toRefusal(config),
      onInvoked: (skill) => place.onInvoked({ name: skill.name, path: skill.file, content: skill.prompt ?? "" }),
    });
    onOpened(source);
    return source;
  };
  const names = [directories, disabledSkills.value, preloaded].map((list) => list.map(({ value }) => value));
  return [{ key: JSON.stringify(["skill", ...names, [...config.skillPrograms]]), open }];
}

/** Tools of skills that a project names run only as they were trusted; those of a person's own folders always do. */
function toRefusal({ files, skillPrograms }: Config): NonNullable<SkillSourceOptions["refuses"]> {
  const isOfProject = ({ origin }: Sourced<string>) =>
    files.some(
      ({ layer, file, named }) =>
        !named && (layer === "local" || layer === "project") && origin.kind === "file" && file === origin.file,
    );
  // All tools of a skill are asked about at once when it is read, and its folder need not be hashed for each.
  const hashing = new Map<string, ReturnType<typeof loadSkillPrograms>>();
  const hashOnce = (folder: string) => {
    const programs = hashing.get(folder) ?? loadSkillPrograms(folder).finally(() => hashing.delete(folder));
    hashing.set(folder, programs);
    return programs;
  };
  return async ({ file }, { folder }, directory) => {
    if (!isOfProject(directory)) return null;
    const trusted = skillPrograms.get(file);
    if (trusted === undefined) return 'is not run before it is trusted: "toolcrib trust" shows it, and asks';
    const now = (await hashOnce(folder)).get(relative(folder, file));
    if (now?.digest === trusted) return null;
    return 'is not run, because its files changed since they were trusted: "toolcrib trust" shows it, and asks';
  };
}

/** Configured extensions with all variables set, and those found in a trusted workspace; each a process of its own. */
export async function wantedExtensions(
  config: Config,
  place: SessionPlace,
): Promise<{ readonly wanted: readonly WantedSource[]; readonly notices: readonly Notice[] }> {
  const { findExtensions } = await import("../../../sources/extension/find-extensions.ts");
  const configured = config.extensions.filter(({ unset }) => unset.length === 0).map(toSpec);
  const trusted = config.extensionFiles;
  const { extensions, notices } = await findExtensions({ workspace: place.workspace, configured, trusted });
  const gate = createHostGate(config, { workspace: place.cwd, home: homeFolder(place.env) });
  const programs = new Map(
    config.extensions.map((extension) => [extension.name, extensionProgram(extension, { workspace: place.cwd })]),
  );
  const wanted = extensions.map((extension) => toWanted(extension, programs.get(extension.name), gate, place));
  return { wanted, notices };
}

function toWanted(
  extension: ExtensionSpec,
  program: HostProgram | undefined,
  gate: HostGate,
  place: SessionPlace,
): WantedSource {
  const { cwd, env, version, id: sessionId, logger, workspace } = place;
  const { file } = extension;
  // Time passes between trusting a file and starting it, and between one start and the next.
  const refuses = async (): Promise<string | null> => {
    if (file === undefined) return program === undefined ? null : gate.refuses(program);
    if (workspace === null) return null;
    const content = await hashContent(workspace, file.name);
    return content === file.content ? null : "its files changed since they were trusted";
  };
  return {
    key: JSON.stringify(["extension", withoutOrigin(extension), program === undefined ? [] : gate.standing(program)]),
    sharable: true,
    open: async () => {
      const { createExtensionSource } = await import("../../../sources/extension/extension-source.ts");
      return createExtensionSource({
        ...{ extension, sessionId, cwd, env, version, refuses, wire: logger.wire },
        onLog: ({ level, message }) => logger.debug(`extension ${extension.name} (${level}): ${message}`),
      });
    },
  };
}

function toSpec({ name, command, args, env, cwd, origin }: Config["extensions"][number]): ExtensionSpec {
  return { name, argv: [command, ...args], cwd, env: Object.fromEntries(env), origin };
}

/** Moving a value to another file is no reason to restart anything. */
function withoutOrigin<T extends { readonly origin?: unknown }>({ origin: _, ...rest }: T): Omit<T, "origin"> {
  return rest;
}
