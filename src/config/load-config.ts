import { dirname, join, resolve } from "node:path";
import { SHIPPED_AGENTS } from "../core/call/shipped-agents.ts";
import type { NamedSet } from "../core/catalog/named-set.ts";
import { formatOrigin, type Origin } from "../core/codes/origin.ts";
import type { Notice } from "../core/codes/reason.ts";
import { type ConfigNode, listNode, type MapNode, mapNode, nodeAt, scalarNode, toNode } from "../core/shape/node.ts";
import { throwProblems } from "../core/shape/problems.ts";
import { checkShape } from "../core/shape/read.ts";
import { itemsAt, readText } from "../core/shape/read-node.ts";
import { checkFilters } from "./check-filters.ts";
import { checkPeople, noticePeople } from "./check-people.ts";
import type { Config } from "./config.ts";
import { withoutForbidden } from "./forbidden-servers.ts";
import { type AgentFile, noticeUnheeded, readAgentFiles } from "./foreign/agent-files.ts";
import { readForeignLayers } from "./foreign/read-foreign-layers.ts";
import { readEnvFiles } from "./layers/env-files.ts";
import { type FoundFile, findFiles, LAYER_KINDS, showPath } from "./layers/find-files.ts";
import { readKeys } from "./layers/keys-file.ts";
import { mergeLayers } from "./layers/merge-layers.ts";
import { type Flags, flagLayer, type Layer, readLayers } from "./layers/read-layers.ts";
import { fileReaders, type Readers } from "./layers/readers.ts";
import { withoutShadowingToolsets } from "./layers/toolset-shadows.ts";
import { acceptsFor, listAccepted, withTrustedAcceptance } from "./lock/accepted-warnings.ts";
import { LOCK_NAME, loadLock, noticeGone } from "./lock/lock-file.ts";
import { withLostGuards } from "./lost-guards.ts";
import { noticeStartable } from "./notice-startable.ts";
import { type FoundPlugins, readPlugins } from "./plugins/plugin-layers.ts";
import { checkRuleExamples, type LoadCommandReader } from "./rule-entries.ts";
import { agentShape } from "./shape/agent-shape.ts";
import { fileShape, type Settings } from "./shape/file-shape.ts";
import { toAbsolute } from "./shape/server-shape.ts";
import { readSettings, toLimits } from "./to-config.ts";
import { findExtensionFiles } from "./trust/found-extensions.ts";
import { type FoundProgram, type FoundPrograms, toFoundItem } from "./trust/found-program.ts";
import { findSkillPrograms } from "./trust/found-skill-programs.ts";
import { hashText } from "./trust/hash-files.ts";
import { findFileItems, toTrustedFiles } from "./trust/host-trust.ts";
import { type ChooseItem, judgeTrust, keepTrust, type Trust, takeOver, trustNotices } from "./trust/trust.ts";
import { namesake, type SplitByTrust, splitByTrust, type TrustItem, type WrittenItem } from "./trust/trust-items.ts";
import { loadTrust, type TrustedItem } from "./trust/trust-store.ts";

export interface ConfigInput {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags?: Flags;
  readonly readers?: Readers;
  /** Additional settings in the shape of a file, used when a person has no file of ours. */
  readonly standIn?: MapNode | null;
  /** Folders of a program with hook files in Copilot's format; those in the workspace count only in their own place. */
  readonly hookFolders?: readonly string[];
  /** Reads command lines, for rules that carry examples. */
  readonly loadCommandReader?: LoadCommandReader;
  /** The location of managed policy on this machine. */
  readonly systemPolicy?: string;
}

/** Reads every layer that applies to a folder and merges them into one configuration. */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  const gathered = await gather(input);
  const { found, layers, agentFiles, fileNotices, programs } = gathered;
  const { counted, written, limits, config, notices: said } = await settle(gathered, input);
  const { trust, hostFiles } = await weighFiles(gathered, config, input);
  const notices: Notice[] = [...trustNotices(trust), ...fileNotices, ...said];
  checkPeople(config);
  await checkFilters(config);
  notices.push(...noticePeople(config));
  const agent = config.agents.get(config.agent?.value ?? "");
  if (agent !== undefined)
    notices.push(...noticeUnheeded(agent.name, agentFiles, agent.origin), ...noticeStartable(agent, config));
  await checkRuleExamples(config, { workspace: trust.workspace, home: input.home }, input.loadCommandReader);
  const files = [...found.files, ...agentFiles.map(toFoundFile)];
  notices.push(...noticeGone(gathered.lock));
  // A file named on the command line is the person's own, and so is the lock beside it.
  const isOwn = input.flags?.config !== undefined;
  const lock = isOwn ? gathered.lock : withTrustedAcceptance(gathered.lock, trustedIn(gathered.trust.items));
  const guarded = withLostGuards({ ...config, toolsets: config.toolsets.map(weakOf(found.files)) }, trust);
  const { flags = {} } = input;
  const digests = (what: FoundProgram["what"]) =>
    new Map(programs.flatMap((one) => (one.what === what ? [[one.key, one.digest] as const] : [])));
  const foundFiles = { extensionFiles: digests("extension"), skillPrograms: digests("skill program"), hostFiles };
  const narrowing = flags.include === undefined ? waitingIncludes(layers, counted) : [];
  const allLimits = [...toLimits(limits, "policy"), ...toLimits(narrowing, "project")];
  const reported = withoutForbidden(notices, config);
  return { ...guarded, ...foundFiles, limits: allLimits, trust, lock, files, notices: reported, written };
}

type Gathered = Awaited<ReturnType<typeof gather>>;

/** The merged layers with only what counts of them. */
async function settle(
  { found, layers, agentFiles, plugins, bypassOff, own, trust }: Gathered,
  input: ConfigInput,
  isTrusted: IsTrusted = trustedIn(trust.items),
) {
  const counted = layers.map((layer) => (needsTrust(layer) ? keepTrusted(layer, isTrusted, own) : layer));
  const agents = agentFiles.flatMap(({ node, side }) =>
    side === "user" ? node : (splitAgent(node, isTrusted, own).kept ?? []),
  );
  const guarded = withoutShadowingToolsets(counted);
  const notices: Notice[] = [...guarded.notices];
  const { root: merged, limits } = mergeLayers([...guarded.layers, agentLayer(agents)], (path, value, policy) => {
    notices.push({
      level: "info",
      code: "config.policy-held",
      text: `managed policy sets ${path} (${formatOrigin(policy.origin)}), so ${formatOrigin(value.origin)} is ignored`,
      names: [path],
      origin: value.origin,
    });
  });
  const written = bypassOff === null ? merged : withoutBypass(merged, bypassOff, notices);
  const bases = new Map<string, string>([
    ...found.files.map(({ file, path }): [string, string] => [file, dirname(path)]),
    ...plugins.map(({ file, folder }): [string, string] => [file, folder]),
    ...agentFiles.map(({ file, side }): [string, string] => [file, side === "user" ? input.home : found.workspace]),
  ]);
  const baseOf = (origin: Origin) => (origin.kind === "file" ? bases.get(origin.file) : undefined) ?? input.cwd;
  const { envFiles, notices: envNotices } = await readEnvFiles(written, found.workspace, input.readers ?? fileReaders);
  const { keysOf, notices: keyNotices } = await readKeys(found, input, input.readers ?? fileReaders);
  notices.push(...envNotices, ...keyNotices);
  const { env, home } = input;
  const config = readSettings(written, { env, keysOf, home, baseOf, notices, envFiles });
  return { counted, written, limits, config, notices };
}

/** The trust in entries, and in the files that they run. */
async function weighFiles(gathered: Gathered, config: Settings, input: ConfigInput) {
  const { trust, found, store } = gathered;
  const { home, flags = {} } = input;
  const isOpen = trust.items.some(({ standing }) => standing !== "trusted");
  // Waiting entries are examined as well, so that they are trusted together with their files.
  const later = isOpen
    ? await settle(gathered, input, () => true).then(
        ({ config: all }) => all,
        () => null,
      )
    : null;
  const hostFiles = toTrustedFiles(store.get(trust.workspace)?.items ?? []);
  const place = { ...found, cwd: trust.cwd, home, trusted: trust.workspace };
  const items = findFileItems({ now: config, later }, place, hostFiles);
  const judged = judgeTrust(trust, { items: [...trust.items, ...items], guards: trust.guards }, store);
  return { trust: flags.config === undefined ? judged : withoutLost(judged), hostFiles };
}

/** What trusting the workspace would enable, and whether it is trusted now. */
export async function describeTrust(input: ConfigInput): Promise<Trust> {
  return (await reviewTrust(input)).trust;
}

/** The same with what is wrong with the files: a guard in a file that cannot be read looks like one that was removed. */
export async function reviewTrust(input: ConfigInput) {
  const gathered = await gather(input);
  const { config } = await settle(gathered, input);
  const { trust } = await weighFiles(gathered, config, input);
  return { trust, notices: gathered.fileNotices };
}

/** Trusts what the workspace's files ask for now, or the chosen part; what changes later waits again. */
export async function trustWorkspace(input: ConfigInput, isChosen?: ChooseItem): Promise<Trust> {
  return trustAsShown(await describeTrust(input), input, isChosen);
}

/** A person here approved a tool of the lock, and with it what a scan found in it: a lock alone agrees to nothing. */
export async function trustFindings(input: ConfigInput, tool: string): Promise<void> {
  const trust = await describeTrust(input);
  const isMeant = acceptsFor(tool);
  if (trust.items.some((item) => isMeant(item) && item.standing !== "trusted"))
    await trustAsShown(trust, input, isMeant);
}

/** The same for what a person was shown, even if the files have changed since. */
export async function trustAsShown(trust: Trust, input: ConfigInput, isChosen?: ChooseItem): Promise<Trust> {
  await keepTrust(trust, input, isChosen);
  const store = await loadTrust(input, fileReaders);
  const hashes = new Set(store.get(trust.workspace)?.items.map(({ hash }) => hash));
  const guards = trust.guards.map((guard) => ({ ...guard, counts: guard.counts || hashes.has(guard.hash) }));
  return judgeTrust(trust, { items: trust.items, guards }, store);
}

async function gather(input: ConfigInput) {
  const { cwd, home, env, flags = {}, readers = fileReaders, systemPolicy = "/etc/toolcrib/policy.yaml" } = input;
  const found = await findFiles({ cwd, home, env, named: flags.config ?? null, systemPolicy }, readers);
  const foreign = await readForeignLayers(found, { cwd, home, env }, readers, input.hookFolders);
  const plugins = flags.config === undefined ? await readPlugins(found, { cwd, home, env }, readers) : NO_PLUGINS;
  const layers = [
    ...(await readLayers(found.files, readers)),
    ...foreign.layers,
    ...plugins.plugins.map(({ layer }) => layer),
    ...standingIn(input),
    flagLayer(flags),
  ];
  layers.sort((a, b) => LAYER_KINDS.indexOf(a.kind) - LAYER_KINDS.indexOf(b.kind));
  const { agents: agentFiles, notices: agentNotices } = await readAgentFiles(
    { cwd, home, env },
    found.folders,
    readers,
  );
  const workspace = await readers.realPath(found.workspace);
  const place = { workspace, cwd: await readers.realPath(resolve(cwd)) };
  const store = await loadTrust({ home, env }, readers);
  const isTrusted = trustedIn(store.get(workspace)?.items ?? []);
  const realFolder = async ({ source, folder }: Layer) =>
    readers.realPath(folder ?? (source === null ? found.workspace : dirname(source.path)));
  const own = ownRoot(layers, agentFiles);
  const selected = selectedAgent(layers, isTrusted);
  const splits = [
    ...(await Promise.all(
      layers.map(async (layer) => ({
        ...withSeal(
          layer,
          splitByTrust(layer.root, fileShape, needsTrust(layer) ? sealed(layer, isTrusted) : () => true, {
            here: own,
            root: own,
          }),
        ),
        isOwn: !needsTrust(layer),
        folder: needsTrust(layer) ? await realFolder(layer) : null,
      })),
    )),
    ...agentFiles.map(({ node, side }) => ({
      ...splitAgent(node, isTrusted, own),
      isOwn: side === "user",
      folder: side === "user" ? null : workspace,
    })),
  ];
  const lockFolder = flags.config === undefined ? found.workspace : dirname(resolve(cwd, flags.config));
  const lock = await loadLock(join(lockFolder, LOCK_NAME), cwd, readers);
  const programs = flags.config === undefined ? await findPrograms(found.workspace, layers, input) : NO_PROGRAMS;
  const items = [
    ...splits.flatMap(({ isOwn, items, folder }) =>
      isOwn ? [] : items.map((item) => ({ ...item, folder, ...idleUnless(selected, item) })),
    ),
    ...programs.programs.map((program) => toFoundItem(program)),
    ...(flags.config === undefined ? listAccepted(lock) : []),
  ];
  const guards = splits.flatMap(({ guards, folder }) => guards.map((guard) => ({ ...guard, folder })));
  const judged = judgeTrust(place, { items, guards }, store);
  // Naming a file on the command line sets the project's own aside, with its guards.
  const trust = flags.config === undefined ? judged : withoutLost(judged);
  if (flags.config === undefined) await takeOver(trust, store, { home, env });
  const fileNotices = [...agentNotices, ...foreign.notices, ...plugins.notices, ...programs.notices];
  const counting = programs.programs.filter((program) => isTrusted(toFoundItem(program)));
  const { bypassOff } = foreign;
  return {
    ...{ found, layers, agentFiles, fileNotices, programs: counting, trust, bypassOff, own, store, lock },
    plugins: plugins.plugins,
  };
}

const NO_PLUGINS: FoundPlugins = { plugins: [], notices: [] };
const NO_PROGRAMS: FoundPrograms = { programs: [], notices: [] };

/** What would be run although no file of ours names it: extensions of the workspace, and tools of its skills. */
async function findPrograms(workspace: string, layers: readonly Layer[], input: ConfigInput): Promise<FoundPrograms> {
  const { cwd, home, readers = fileReaders } = input;
  const directories = layers.filter(needsTrust).flatMap(({ root, source }) =>
    itemsAt(root, "skillDirectories").flatMap((item) => {
      const named = readText(item)?.value;
      return named === undefined || source === null ? [] : [toAbsolute(named, home, dirname(source.path))];
    }),
  );
  const extensions = await findExtensionFiles(workspace, readers);
  const skills = await findSkillPrograms(directories, (path) => showPath(path, { cwd, home }), readers);
  return {
    programs: [...extensions.programs, ...skills.programs],
    notices: [...extensions.notices, ...skills.notices],
  };
}

function standingIn({ standIn = null }: ConfigInput): readonly Layer[] {
  if (standIn === null) return [];
  throwProblems(checkShape(standIn, fileShape));
  return [{ kind: "user", source: null, root: standIn }];
}

/** Switching bypass mode off applies to every way to request it, including the command line. */
function withoutBypass(root: MapNode, off: Origin, notices: Notice[]): MapNode {
  const permissions = nodeAt(root, "permissions");
  const mode = nodeAt(permissions, "mode");
  if (permissions?.kind !== "map" || mode?.kind !== "scalar" || mode.value !== "bypass") return root;
  notices.push({
    level: "warning",
    code: "permission.bypass-off",
    text: `bypass mode is switched off (${formatOrigin(off)}), so the mode is default`,
    names: ["bypass"],
    origin: mode.origin,
  });
  const entries = [...permissions.entries, ["mode", scalarNode("default", off)] as const];
  return mapNode([...root.entries, ["permissions", mapNode(entries, permissions.origin)]], root.origin);
}

function needsTrust({ kind, source }: Layer): boolean {
  return isProject(kind) && source?.named !== true;
}

type IsTrusted = (item: WrittenItem) => boolean;

/** What applies without any file of the project. Of the command line only what it removes; the rest wins anyway. */
function ownRoot(layers: readonly Layer[], agentFiles: readonly AgentFile[]): MapNode {
  const own = layers.flatMap((layer): Layer[] => {
    if (needsTrust(layer)) return [];
    const excluded = nodeAt(layer.root, "excludeTools");
    if (layer.kind !== "flags") return [layer];
    return excluded === undefined ? [] : [{ ...layer, root: mapNode([["excludeTools", excluded]], layer.root.origin) }];
  });
  return mergeLayers([...own, ...userAgents(agentFiles)]).root;
}

/** Shipped agents cannot be changed either: a project's agent of that name waits as a whole. */
function userAgents(agentFiles: readonly AgentFile[]): readonly Layer[] {
  const shipped = SHIPPED_AGENTS.map((name) => toNode({ name }, { kind: "default" }));
  return [agentLayer([...agentFiles.flatMap(({ node, side }) => (side === "user" ? [node] : [])), ...shipped])];
}

function splitAgent(node: ConfigNode, isTrusted: IsTrusted, own: MapNode): SplitByTrust {
  const here = namesake(node, nodeAt(own, "agents"));
  return splitByTrust(node, agentShape, isTrusted, { path: "agents[]", here, root: own });
}

/** The selected agent: that of the highest layer that counts. */
function selectedAgent(layers: readonly Layer[], isTrusted: IsTrusted): string | null {
  const written = layers.flatMap((layer) => {
    const agent = nodeAt(layer.root, "agent");
    if (agent === undefined || !needsTrust(layer)) return agent ?? [];
    const alone = { ...layer, root: mapNode([["agent", agent]], layer.root.origin) };
    return nodeAt(keepTrusted(alone, isTrusted).root, "agent") ?? [];
  });
  return readText(written[0])?.value ?? null;
}

/** An agent that is not selected changes nothing, so nobody has to decide about it now. */
function idleUnless(selected: string | null, { path, name }: WrittenItem): Pick<TrustItem, "idle"> {
  return path === "agents[]" && name !== selected ? { idle: true } : {};
}

/** Include lists that wait for trust: they remove at once, and bring nothing back. */
function waitingIncludes(layers: readonly Layer[], counted: readonly Layer[]): readonly ConfigNode[] {
  return layers.flatMap(({ root }, at) => {
    const [written, counting] = [root, counted[at]?.root].map((side) => nodeAt(side, "includeTools"));
    return written?.kind === "list" && counting === undefined ? [written] : [];
  });
}

function keepTrusted(layer: Layer, isTrusted: IsTrusted, own?: MapNode): Layer {
  const root = splitByTrust(layer.root, fileShape, sealed(layer, isTrusted), { here: own, root: own }).kept;
  return root?.kind === "map" ? { ...layer, root } : layer;
}

/** A sealed layer's content is trusted together with everything it belongs to, so that nothing changes unnoticed. */
function sealed({ seal }: Layer, isTrusted: IsTrusted): IsTrusted {
  return (item) => isTrusted(sealItem(item, seal));
}

function withSeal({ seal }: Layer, split: SplitByTrust): SplitByTrust {
  return {
    ...split,
    items: split.items.map((item) => sealItem(item, seal)),
    guards: split.guards.map((guard) => sealItem(guard, seal)),
  };
}

function sealItem<T extends WrittenItem>(item: T, seal: string | undefined): T {
  return seal === undefined ? item : { ...item, hash: hashText(JSON.stringify([item.hash, seal])) };
}

function trustedIn(
  items: readonly (Pick<TrustedItem, "hash"> & Partial<Pick<TrustItem, "standing">>)[],
): (item: WrittenItem) => boolean {
  const trusted = items.filter(({ standing = "trusted" }) => standing === "trusted");
  const hashes = new Set(trusted.map(({ hash }) => hash));
  return ({ hash }) => hashes.has(hash);
}

/** A project's set comes after everything else that its name may mean. */
function weakOf(files: readonly FoundFile[]): (set: NamedSet) => NamedSet {
  const projects = new Set(files.flatMap(({ layer, named, file }) => (isProject(layer) && !named ? [file] : [])));
  const isWeak = ({ members: { origin } }: NamedSet) => origin.kind === "file" && projects.has(origin.file);
  return (set) => (isWeak(set) ? { ...set, weak: true } : set);
}

function isProject(kind: Layer["kind"]): boolean {
  return kind === "local" || kind === "project";
}

function withoutLost(trust: Trust): Trust {
  if (trust.lost.length === 0) return trust;
  const isOpen = trust.items.some(({ standing }) => standing !== "trusted");
  const state = trust.items.length === 0 ? "nothing" : isOpen ? trust.state : "trusted";
  return { ...trust, state, lost: [], gone: [] };
}

/** Agent files rank below every configured agent, in their own order of precedence. */
function agentLayer(agents: readonly ConfigNode[]): Layer {
  const origin: Origin = { kind: "default" };
  return { kind: "user", source: null, root: mapNode([["agents", listNode(agents, origin)]], origin) };
}

function toFoundFile({ file, path, side }: AgentFile): FoundFile {
  return { layer: side, path, file, named: false };
}
