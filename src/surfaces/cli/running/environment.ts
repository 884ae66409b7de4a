import { userInfo } from "node:os";
import { delimiter } from "node:path";
import type { Environment } from "./local-call.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export function readEnvironment(env: Variables): Environment {
  return {
    user: userName(env),
    node: `${process.version} (${process.execPath})`,
    path: env.PATH ?? "",
    policy: env.TOOLCRIB_POLICY ?? "",
  };
}

/** What is different here from where a Toolcrib was started, a sentence each. */
export function describeDifferences(theirs: Environment, own: Environment): readonly string[] {
  const [a, b] = [theirs.path.split(delimiter), own.path.split(delimiter)].map((list) => new Set(list));
  const missing = [...(b ?? [])].filter((folder) => folder !== "" && a?.has(folder) === false);
  const more = [...(a ?? [])].filter((folder) => folder !== "" && b?.has(folder) === false);
  const path = [
    ...(missing.length === 0 ? [] : [`lacks ${shorten(missing)}`]),
    ...(more.length === 0 ? [] : [`has ${shorten(more)} besides`]),
  ];
  const isReordered = path.length === 0 && theirs.path !== own.path;
  return [
    ...(theirs.user === own.user ? [] : [`it runs as ${theirs.user}, and this is ${own.user}`]),
    ...(theirs.node === own.node ? [] : [`it runs on Node ${theirs.node}, and this is ${own.node}`]),
    ...(path.length === 0 ? [] : [`its PATH ${path.join(" and ")}`]),
    ...(isReordered ? ["its PATH has another order"] : []),
  ];
}

const MOST_SHOWN = 5;

function shorten(folders: readonly string[]): string {
  const rest = folders.length - MOST_SHOWN;
  return `${folders.slice(0, MOST_SHOWN).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function userName(env: Variables): string {
  try {
    return userInfo().username;
  } catch {
    return env.USER ?? String(process.getuid?.() ?? "unknown");
  }
}
