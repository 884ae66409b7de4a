/** What the fragment of the address says: which panel, which scene, which tool. The token is never part of it. */
export interface PageAddress {
  readonly panel: Panel;
  readonly scene: SceneChoice;
  /** The tool whose details are open. */
  readonly tool: string | null;
  /** The run that is looked at. */
  readonly run: string | null;
  /** What the search panel asks. */
  readonly query: string;
}

const PANELS = [
  "overview",
  "tools",
  "search",
  "servers",
  "runs",
  "calls",
  "approvals",
  "changes",
  "sessions",
  "connect",
] as const;
export type Panel = (typeof PANELS)[number];

const SCENE_KEYS = ["agent", "model", "mode", "include", "exclude", "client", "person"] as const;
/** An empty text means the current value. */
export type SceneChoice = Readonly<Record<(typeof SCENE_KEYS)[number], string>>;

export const CURRENT_SCENE: SceneChoice = {
  agent: "",
  model: "",
  mode: "",
  include: "",
  exclude: "",
  client: "",
  person: "",
};

/** Reads a fragment such as `#/tools?mode=plan&tool=bash`; unknown parts are ignored. */
export function readAddress(fragment: string): PageAddress {
  const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
  const fields = new URLSearchParams(query);
  const scene = Object.fromEntries(SCENE_KEYS.map((key) => [key, fields.get(key) ?? ""]));
  return {
    panel: PANELS.find((panel) => panel === path) ?? "overview",
    scene: { ...CURRENT_SCENE, ...scene },
    tool: fields.get("tool") || null,
    run: fields.get("run") || null,
    query: fields.get("q") ?? "",
  };
}

/** The fragment that leads back to this address. */
export function toFragment({ panel, scene, tool, run, query }: PageAddress): string {
  const fields = toSceneFields(scene);
  if (tool !== null) fields.set("tool", tool);
  if (run !== null) fields.set("run", run);
  if (query !== "") fields.set("q", query);
  const text = fields.toString();
  return `#/${panel}${text === "" ? "" : `?${text}`}`;
}

/** The scene as parameters of the API. */
export function toSceneFields(scene: SceneChoice): URLSearchParams {
  return new URLSearchParams(SCENE_KEYS.filter((key) => scene[key] !== "").map((key) => [key, scene[key]]));
}

/** Whether something differs from the current scene. Choosing a client is no what-if: it shows what is. */
export function isWhatIf(scene: SceneChoice): boolean {
  return SCENE_KEYS.some((key) => key !== "client" && scene[key] !== "");
}

/** The token in `#token=…`, and the fragment without it; null if there is none. */
export function takeToken(fragment: string): { readonly token: string; readonly rest: string } | null {
  const direct = /^#token=([^&]*)/.exec(fragment);
  if (direct !== null) {
    const token = new URLSearchParams(fragment.slice(1)).get("token") ?? "";
    return token === "" ? null : { token, rest: "" };
  }
  const [path = "", query = ""] = fragment.split("?", 2);
  const fields = new URLSearchParams(query);
  const token = fields.get("token");
  if (!token) return null;
  fields.delete("token");
  const text = fields.toString();
  return { token, rest: text === "" ? path : `${path}?${text}` };
}
