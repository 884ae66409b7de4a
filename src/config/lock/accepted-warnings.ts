import { hash } from "node:crypto";
import type { WrittenItem } from "../trust/trust-items.ts";
import type { LockFile } from "./lock.ts";

/** Trust's name for scan findings that a lock accepts for one tool. */
const ACCEPTED_WARNING = "accepted warning";

/** What a lock releases of what a scan quarantines, tool by tool. Its author need not be the person here. */
export function listAccepted({ lock, file, lines }: LockFile): readonly WrittenItem[] {
  return [...(lock?.tools ?? [])].flatMap(([identity, { approved, signature, signals }]) => {
    if (!approved || signals.length === 0) return [];
    return {
      what: ACCEPTED_WARNING,
      name: identity,
      path: file,
      origin: { kind: "file", file, line: lines.get(`tools ${identity}`) ?? null },
      hash: hash("sha256", JSON.stringify([ACCEPTED_WARNING, identity, signature, [...signals].sort()])),
      runs: [{ path: "accepts", value: signals.join(", ") }],
    };
  });
}

/** Whether an item of trust is about what a scan found in that tool. */
export function acceptsFor(tool: string): (item: Pick<WrittenItem, "what" | "name">) => boolean {
  return ({ what, name }) => what === ACCEPTED_WARNING && name === tool;
}

/** A lock may withhold tools, but what it releases counts only where a person here agreed to it. */
export function withTrustedAcceptance(lockFile: LockFile, isTrusted: (item: WrittenItem) => boolean): LockFile {
  if (lockFile.lock === null) return lockFile;
  const refused = new Set(
    listAccepted(lockFile)
      .filter((item) => !isTrusted(item))
      .map(({ name }) => name),
  );
  if (refused.size === 0) return lockFile;
  const tools = [...lockFile.lock.tools].map(
    ([identity, tool]) => [identity, refused.has(identity) ? { ...tool, signals: [] } : tool] as const,
  );
  return { ...lockFile, lock: { ...lockFile.lock, tools: new Map(tools) } };
}
