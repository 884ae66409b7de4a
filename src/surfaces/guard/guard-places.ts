import { join } from "node:path";
import { productFolder } from "../../config/layers/find-files.ts";
import type { HookClientName } from "./hook-clients.ts";

/** Whose files: the person's, a repository's, or those of the machine, which nobody but its owner changes. */
export type GuardSide = "user" | "project" | "managed";

export interface GuardPlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly workspace: string;
  /** What stands for `/` in the machine's files. */
  readonly root: string;
}

type Base = "home" | "claude" | "codex" | "copilot" | "config" | "workspace" | "machine";
type Place = readonly [base: Base, name: string];

interface ClientPlaces {
  /** How its program is called on the path. */
  readonly program: string;
  /** Folders that it makes for a person; one of them shows that it is installed. */
  readonly folders: readonly Place[];
  readonly user: Place;
  readonly project: Place;
  /** The second name is that on macOS, where it is another one. */
  readonly managed: MachineFile | null;
  /** A further file of the machine: it names the plugin, or holds the rules, where the first takes none. */
  readonly second?: { readonly file: MachineFile; readonly names: "plugin" | "rules" };
}

type MachineFile = readonly [linux: string, mac?: string];

const MAC = "/Library/Application Support";

/** Where each client looks for hooks: one row for each. */
export const CLIENT_PLACES: Readonly<Record<HookClientName, ClientPlaces>> = {
  "claude-code": {
    program: "claude",
    folders: [["claude", ""]],
    user: ["claude", "settings.json"],
    project: ["workspace", ".claude/settings.json"],
    managed: [
      "/etc/claude-code/managed-settings.d/toolcrib.json",
      `${MAC}/ClaudeCode/managed-settings.d/toolcrib.json`,
    ],
  },
  codex: {
    program: "codex",
    folders: [["codex", ""]],
    user: ["codex", "hooks.json"],
    project: ["workspace", ".codex/hooks.json"],
    managed: ["/etc/codex/requirements.toml"],
  },
  "gemini-cli": {
    program: "gemini",
    folders: [["home", ".gemini"]],
    user: ["home", ".gemini/settings.json"],
    project: ["workspace", ".gemini/settings.json"],
    managed: ["/etc/gemini-cli/settings.json", `${MAC}/GeminiCli/settings.json`],
    second: {
      file: ["/etc/gemini-cli/policies/toolcrib.toml", `${MAC}/GeminiCli/policies/toolcrib.toml`],
      names: "rules",
    },
  },
  "copilot-cli": {
    program: "copilot",
    folders: [["copilot", ""]],
    user: ["copilot", "hooks/toolcrib.json"],
    project: ["workspace", ".github/hooks/toolcrib.json"],
    managed: ["/etc/github-copilot/policy.d/toolcrib.json"],
  },
  "qwen-code": {
    program: "qwen",
    folders: [["home", ".qwen"]],
    user: ["home", ".qwen/settings.json"],
    project: ["workspace", ".qwen/settings.json"],
    managed: ["/etc/qwen-code/settings.json", `${MAC}/QwenCode/settings.json`],
  },
  opencode: {
    program: "opencode",
    folders: [["config", "opencode"]],
    user: ["config", "opencode/plugins/toolcrib.js"],
    project: ["workspace", ".opencode/plugins/toolcrib.js"],
    managed: ["/etc/opencode/toolcrib.js", `${MAC}/opencode/toolcrib.js`],
    second: { file: ["/etc/opencode/opencode.json", `${MAC}/opencode/opencode.json`], names: "plugin" },
  },
  cursor: {
    program: "cursor",
    folders: [["home", ".cursor"]],
    user: ["home", ".cursor/hooks.json"],
    project: ["workspace", ".cursor/hooks.json"],
    managed: ["/etc/cursor/hooks.json", `${MAC}/Cursor/hooks.json`],
  },
  windsurf: {
    program: "windsurf",
    folders: [["home", ".codeium/windsurf"]],
    user: ["home", ".codeium/windsurf/hooks.json"],
    project: ["workspace", ".windsurf/hooks.json"],
    managed: ["/etc/windsurf/hooks.json", `${MAC}/Windsurf/hooks.json`],
  },
  cline: {
    program: "cline",
    folders: [["home", "Documents/Cline"]],
    user: ["home", "Documents/Cline/Hooks/PreToolUse"],
    project: ["workspace", ".clinerules/hooks/PreToolUse"],
    managed: null,
  },
};

/** The file of a client on a side; null where it has none there. */
export function clientHookFile(client: HookClientName, side: GuardSide, places: GuardPlaces): string | null {
  const row = CLIENT_PLACES[client];
  if (side !== "managed") return placePath(row[side], places);
  return row.managed === null ? null : machineFile(row.managed, places);
}

/** The further file of a client on the side of the machine. */
export function secondFile(client: HookClientName, places: GuardPlaces) {
  const { second } = CLIENT_PLACES[client];
  return second === undefined ? null : { path: machineFile(second.file, places), names: second.names };
}

function machineFile([linux, mac = linux]: MachineFile, places: GuardPlaces): string {
  return placePath(["machine", places.platform === "darwin" ? mac : linux], places);
}

/** Folders by which a client is found. */
export function clientFolders(client: HookClientName, places: GuardPlaces): readonly string[] {
  return CLIENT_PLACES[client].folders.map((place) => placePath(place, places));
}

function placePath([base, name]: Place, places: GuardPlaces): string {
  const { home, env, workspace, root } = places;
  const folders: Readonly<Record<Base, string>> = {
    home,
    workspace,
    claude: productFolder(".claude", places),
    codex: productFolder(".codex", places),
    copilot: productFolder(".copilot", places),
    config: env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : join(home, ".config"),
    machine: root,
  };
  return name === "" ? folders[base] : join(folders[base], name);
}
