import { isRecord } from "../../core/shape/is-record.ts";

/** Something that an agent asks permission for, as the agent describes it. */
export interface AskedCall {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Files that it names, with the text that it would write, if it gives one. */
  readonly files: readonly { readonly path: string; readonly text: string | null }[];
}

export function readAskedCall(given: unknown): AskedCall {
  const { toolCallId, title, kind, rawInput, locations, content } = isRecord(given) ? given : {};
  const written = recordsIn(content).flatMap(({ type, path, newText }) =>
    type === "diff" && typeof path === "string" ? [{ path, text: typeof newText === "string" ? newText : "" }] : [],
  );
  const named = recordsIn(locations).flatMap(({ path }) => (typeof path === "string" ? [{ path, text: null }] : []));
  const others = named.filter(({ path }) => !written.some((file) => file.path === path));
  return {
    id: String(toolCallId ?? ""),
    title: typeof title === "string" ? title : "something",
    kind: typeof kind === "string" ? kind : "other",
    input: isRecord(rawInput) ? rawInput : {},
    files: [...written, ...others],
  };
}

/** The option that allows or rejects this one call. An option that would allow more is not chosen. */
export function choosePermission(options: unknown, isAllowed: boolean): object {
  const wanted = isAllowed ? ["allow_once"] : ["reject_once", "reject_always"];
  const found = recordsIn(options).find(({ kind }) => wanted.includes(String(kind)));
  return {
    outcome: found === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId: found.optionId },
  };
}

function recordsIn(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}
