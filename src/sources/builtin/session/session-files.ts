import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { PLAN_FILE, type SessionFiles } from "../../host.ts";
import type { BuiltinHandler } from "../parts/handler.ts";
import { fail, succeed } from "../parts/results.ts";

/** Characters of one file. */
const LONGEST = 256 * 1024;
const NOT_STORED = "This session is not stored, so it keeps no plan and no files.";

/** `plan`: stores the plan that was sent last, and shows it. */
export const plan: BuiltinHandler = async ({ content }, _run, { files }) => {
  if (files === null) return fail(NOT_STORED);
  if (typeof content !== "string") {
    const kept = await files.read(PLAN_FILE);
    return succeed(kept ?? "There is no plan yet.");
  }
  if (content.trim() === "") return change(files, PLAN_FILE, null, "The plan is gone.");
  return change(files, PLAN_FILE, content, "The plan is kept.");
};

/** `session_files`: files that belong to the session, separate from the workspace. */
export const sessionFiles: BuiltinHandler = async ({ action, path, content }, _run, { files }) => {
  if (files === null) return fail(NOT_STORED);
  if (action === "list") return succeed(await describeAll(files));
  const place = readPath(path);
  if (place === null)
    return fail('"path" must be a short relative path with plain names, such as notes/findings.md, without "..".');
  switch (action) {
    case "read": {
      const text = await files.read(place.full);
      return text === null ? fail(await missing(files, place.own)) : succeed(text === "" ? "The file is empty." : text);
    }
    case "write":
      if (typeof content !== "string") return fail('"content" must be the whole text of the file.');
      return change(files, place.full, content, `${place.own} is kept.`);
    case "delete":
      if ((await files.read(place.full)) === null) return fail(await missing(files, place.own));
      return change(files, place.full, null, `${place.own} is gone.`);
    default:
      return fail('"action" must be list, read, write or delete.');
  }
};

async function change(files: SessionFiles, path: string, text: string | null, done: string) {
  if (text !== null && text.length > LONGEST) return fail(`A file has at most ${LONGEST} characters; split it.`);
  const refused = await files.write(path, text);
  return refused === null ? succeed(done) : fail(`Nothing was changed: ${refused}. Delete what is no longer needed.`);
}

const BELOW = "files/";

async function ownFiles(files: SessionFiles) {
  const all = await files.list();
  return all
    .filter(({ path }) => path.startsWith(BELOW))
    .map(({ path, size }) => ({ path: path.slice(BELOW.length), size }));
}

async function describeAll(files: SessionFiles): Promise<string> {
  const own = await ownFiles(files);
  if (own.length === 0) return "There are no files yet.";
  const lines = own.map(({ path, size }) => (size === null ? path : `${path} (${size} bytes)`));
  return lines.sort().join("\n");
}

async function missing(files: SessionFiles, path: string): Promise<string> {
  const near = nearestNames(
    path,
    (await ownFiles(files)).map((one) => one.path),
  );
  return `There is no file ${path}.${near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : ""}`;
}

/** Names that mean the same on every machine, because they may be files on a disk. */
const NAME = /^(?!\.{1,2}$)[\p{L}\p{N}_ .+@()-]{1,100}$/u;

function readPath(path: unknown): { readonly own: string; readonly full: string } | null {
  if (typeof path !== "string" || path.length > 200) return null;
  const own = path.replace(/^\.\//, "");
  const names = own.split("/");
  if (names.length > 5 || !names.every((name) => NAME.test(name) && name.trim() === name)) return null;
  return { own, full: `${BELOW}${own}` };
}
