import { defaultOrigin, nameList, sourced } from "../codes/origin.ts";
import { DEFAULT_TOOL_SEARCH, NO_PROMOTIONS, type Scene } from "./scene.ts";

/** The scene in which nobody has said anything. */
export const DEFAULT_SCENE: Scene = {
  filter: { include: null, exclude: nameList([]), precedence: sourced("exclude"), allowNoTools: sourced(false) },
  builtins: { which: "all", setting: "builtins", origin: defaultOrigin },
  limits: [],
  agent: null,
  defaultExcluded: nameList([]),
  toolGroups: null,
  mode: sourced("default"),
  model: null,
  client: null,
  features: new Map(),
  host: {
    userInput: sourced(false),
    elicitation: sourced(false),
    workspace: sourced(true),
    memory: sourced(false),
    skills: sourced(false),
    schedule: sourced(false),
  },
  sandbox: { active: sourced(false), allowHostShell: sourced(false) },
  policy: { allowedServers: null, deniedServers: [], deniedTools: nameList([]) },
  servers: new Map(),
  deny: [],
  skills: [],
  skillToolPolicy: sourced("restrict", defaultOrigin),
  pins: null,
  toolSearch: sourced(DEFAULT_TOOL_SEARCH),
  promoted: NO_PROMOTIONS,
  sets: [],
};
