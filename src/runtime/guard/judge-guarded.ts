import { resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { toOverrides } from "../../config/to-overrides.ts";
import { toScene } from "../../config/to-scene.ts";
import type { Decision } from "../../core/call/decision.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { buildOverriddenCatalog } from "../../core/catalog/override-tools.ts";
import { createResolver } from "../../core/catalog/resolver.ts";
import type { ReasonCode } from "../../core/codes/codes.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { CommandLine } from "../../core/rules/shell/command-line.ts";
import { opensPrompt } from "../../core/rules/shell/script-input.ts";
import { isUntrusted, type Tool, toTool } from "../../core/tool/tool.ts";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "../../sources/builtin/definitions.ts";
import { loadCommandReader } from "../permissions/command-reader.ts";
import type { GrantStore } from "../permissions/grant-store.ts";
import { foretell } from "../permissions/permissions.ts";
import { createRuleBook } from "../permissions/rule-book.ts";
import type { RuleSetting } from "../permissions/ruling.ts";
import { createRuleSettings, type NamedTools } from "../session/calls/call-rules.ts";
import { isTrustedServer } from "../session/sources/trusted-server.ts";
import { type GuardAnswer, type GuardCall, type GuardTool, PASS } from "./guard-call.ts";

export interface GuardPorts {
  readonly config: Config;
  /** The folder that the client works in, and the workspace that it lies in. */
  readonly cwd: string;
  readonly workspace: string;
  readonly home: string;
  /** The variable PATH; empty if absent. */
  readonly path: string;
  readonly grants: GrantStore;
  readonly now: () => number;
  /** What is typed into a program that has been started reaches no hook of the client. */
  readonly typesUnseen: boolean;
}

/** Rules, mode, policy and stored approvals about one call, as a session without a sandbox would apply them. */
export async function judgeGuarded(call: GuardCall, ports: GuardPorts): Promise<GuardAnswer> {
  const { config, workspace, home, path, grants, now } = ports;
  const { toolset, entry } = place(call.tool, config);
  const rules = createRuleSettings({ config: () => config, toolset: () => toolset, workspace, home, path });
  const isTrusted = (tool: Tool): boolean => !isUntrusted(tool) || isTrustedServer(tool, config);
  const book = createRuleBook({ rules, isTrusted, grants: () => grants, today: now });
  const args = call.tool.kind === "builtin" ? placeArguments(call.args, ports.cwd) : call.args;
  const prepared = {
    call: { id: "guarded", toolName: entry.wireName, arguments: args },
    entry,
    tool: entry.tool,
    args,
  };
  const decision = foretell(await book.rule(prepared), prepared);
  const answer = toAnswer(decision, rules().lists);
  if (answer.answer === "deny" || !ports.typesUnseen || !(await waitsForLines(call))) return answer;
  return { answer: "deny", code: "permission.unreadable", text: UNSEEN, origin: "" };
}

/** Files are named from the folder that the client works in, which may lie deep in the workspace. */
function placeArguments(args: GuardCall["args"], cwd: string): GuardCall["args"] {
  if (typeof args.command === "string")
    return { ...args, cwd: typeof args.cwd === "string" ? resolve(cwd, args.cwd) : cwd };
  if (args.path === undefined) return { ...args, path: cwd };
  return typeof args.path === "string" && !args.path.startsWith("~")
    ? { ...args, path: resolve(cwd, args.path) }
    : args;
}

const UNSEEN =
  "it starts a shell or an interpreter without a script, and what is typed into it could not be judged; pass the script as an argument or a file";

/** Of one configuration, by the tool of somebody else that is in it; a process that answers many hooks asks again and again. */
const placed = new WeakMap<Config, Map<string, Placed>>();

/** The catalog of our own tools and this one, in which names of rules mean what they mean everywhere. */
function place(tool: GuardTool, config: Config): Placed {
  const known = placed.get(config) ?? new Map<string, Placed>();
  placed.set(config, known);
  const key = JSON.stringify(tool);
  const found = known.get(key) ?? build(tool, config);
  if (known.size < MOST_PLACED) known.set(key, found);
  return found;
}

const MOST_PLACED = 200;

interface Placed {
  /** No toolset: rules are about calls, not about what a list shows. */
  readonly toolset: NamedTools;
  readonly entry: Entry;
}

function build(tool: GuardTool, config: Config): Placed {
  const further = tool.kind === "builtin" ? [] : [toFurther(tool)];
  const scene = toScene(config, { sets: BUILTIN_SETS, sandboxActive: false });
  const overrides = { style: config.wireNames.value, sets: scene.sets, servers: scene.servers.keys() };
  const { catalog } = buildOverriddenCatalog([...BUILTIN_TOOLS, ...further], toOverrides(config), overrides);
  const [wanted] = further;
  const entry = catalog.entries.find(({ tool: placed }) =>
    wanted === undefined
      ? placed.source === "builtin" && placed.name === tool.name
      : placed.source === wanted.source && placed.name === wanted.name && placed.server === wanted.server,
  );
  if (entry === undefined) throw new Error(`there is no place for the tool ${tool.name}`);
  const resolver = createResolver({ catalog, sets: scene.sets, servers: scene.servers.keys() });
  return { toolset: { scene: { ...scene, resolver } }, entry };
}

function toFurther(tool: Exclude<GuardTool, { kind: "builtin" }>): Tool {
  if (tool.kind === "served") return toTool({ name: tool.name, source: "mcp", server: tool.server });
  return toTool({ name: tool.name, source: "external", owner: { kind: "connection", name: "client" } });
}

/** What nothing of ours is about is not our business: the client's own rules and questions stand. */
function toAnswer({ decision, code, text, origin }: Decision, { deny, ask, allow }: RuleSetting["lists"]): GuardAnswer {
  const said = { code, text, origin: formatOrigin(origin) };
  const restricting = [...deny, ...ask];
  const hasRules = restricting.length + allow.length > 0;
  // What a command writes is nobody's business where no rule is about files, and none allows a part of the command.
  if (code === "permission.file-not-covered" && allow.length === 0 && !restricting.some(isAboutFiles)) return PASS;
  if (decision === "deny") return { answer: "deny", ...said };
  if (decision === "allow") return RULED_ALLOW.has(code) ? { answer: "allow", ...said } : PASS;
  return ALWAYS_ASKED.has(code) || (hasRules && code !== "permission.no-rule") ? { answer: "ask", ...said } : PASS;
}

function isAboutFiles({ value: { tool } }: RuleSetting["lists"]["deny"][number]): boolean {
  return tool !== "Bash" && tool !== "WebFetch" && !/\/|^mcp__/.test(tool);
}

/** A mode or a harmless command needs no word of ours: the client has its own. */
const RULED_ALLOW: ReadonlySet<ReasonCode> = new Set(["permission.allowed", "permission.granted"]);
const ALWAYS_ASKED: ReadonlySet<ReasonCode> = new Set(["permission.asked", "permission.protected-path"]);

/** A program that would run what is typed into it. */
async function waitsForLines({ tool, args }: GuardCall): Promise<boolean> {
  if (tool.kind !== "builtin" || tool.name !== "bash" || typeof args.command !== "string") return false;
  const read = await loadCommandReader();
  return allCommands(read(args.command).commands).some(opensPrompt);
}

function allCommands(commands: CommandLine["commands"]): CommandLine["commands"] {
  return commands.flatMap((command) => [command, ...command.inner.flatMap((inner) => allCommands(inner.commands))]);
}
