import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stateFolder } from "../../../config/layers/state-folder.ts";
import { toNotWritten } from "../../../system/files/write-whole.ts";

/**
 * The token of a workspace that has none configured: made up once and stored, so that what clients were given stays
 * valid. No other workspace has it, so that a client of one can never end up in another.
 */
export async function storedToken(places: Parameters<typeof stateFolder>[0], key: string): Promise<string> {
  const path = join(stateFolder(places), "tokens", key);
  const known = await readToken(path);
  if (known !== null) return known;
  const token = randomBytes(32).toString("base64url");
  const beside = `${path}.${randomBytes(8).toString("hex")}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(beside, `${token}\n`, { mode: 0o600, flag: "wx" });
    // Whole or not at all, and only where there is none.
    await link(beside, path);
    return token;
  } catch (error) {
    // Another one that starts at the same time may have been first.
    const theirs = await readToken(path);
    if (theirs !== null) return theirs;
    throw toNotWritten(path, error, "set gateway.token instead");
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

/** Null where there is none that anybody should rely on. */
async function readToken(path: string): Promise<string | null> {
  const text = await readFile(path, "utf8").catch(() => "");
  if (!/^[\w-]{32,}\n?$/.test(text)) return null;
  await chmod(path, 0o600).catch(() => undefined);
  return text.trim();
}
