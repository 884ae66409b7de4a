import type { SessionFiles } from "../../../sources/host.ts";
import type { Emitter } from "../../events/emitter.ts";

const MOST_FILES = 100;
/** Bytes of all of them. */
const MOST_BYTES = 1024 * 1024;

/** The files in a session's journal: resumed, copied and deleted with it. */
export function createSessionFiles(earlier: ReadonlyMap<string, string>, emit: Emitter["emit"]): SessionFiles {
  const kept = new Map(earlier);
  const sizes = (): readonly { readonly path: string; readonly size: number }[] =>
    [...kept].map(([path, text]) => ({ path, size: Buffer.byteLength(text) }));
  return {
    list: async () => sizes(),
    read: async (path) => kept.get(path) ?? null,
    async write(path, content) {
      if (content === (kept.get(path) ?? null)) return null;
      const others = sizes().filter((one) => one.path !== path);
      if (content !== null && others.length >= MOST_FILES) return `a session keeps at most ${MOST_FILES} files`;
      const bytes = others.reduce((sum, { size }) => sum + size, Buffer.byteLength(content ?? ""));
      if (content !== null && bytes > MOST_BYTES) return "the files of a session have at most 1 MB together";
      if (content === null) kept.delete(path);
      else kept.set(path, content);
      emit("session.file_changed", { path, content });
      return null;
    },
  };
}
