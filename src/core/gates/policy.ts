import { toGlob } from "../catalog/glob.ts";
import { formatOrigin } from "../codes/origin.ts";
import type { Reason } from "../codes/reason.ts";
import { toAsciiHost } from "../rules/url-pattern.ts";
import type { Scene, ServerMatch } from "../scene/scene.ts";
import { isServed } from "../tool/tool.ts";
import { type AnyGate, hideFor } from "./gate.ts";

/** Organisation policy denies servers and tools, or allows only listed servers (G7). */
export const policyGate = {
  name: "policy",
  judge(entry, scene) {
    const { lists } = scene;
    const reasons: Reason[] = isServed(entry.tool) ? [...judgeServer(entry.tool.server ?? "", scene)] : [];
    for (const { by } of lists.deniedTools.mentions.each(entry)) {
      reasons.push({
        code: "policy.tool-denied",
        text: `policy denies "${by.value}"`,
        origin: by.origin,
        fix: askFor(`stop denying "${by.value}"`, formatOrigin(by.origin)),
      });
    }
    return hideFor(reasons);
  },
} as const satisfies AnyGate;

type Scenery = Pick<Scene, "policy" | "servers">;

/** A server is judged once, however many tools it has. */
const known = new WeakMap<
  Scene["policy"],
  { readonly servers: Scene["servers"]; readonly reasons: Map<string, readonly Reason[]> }
>();

/**
 * Why policy forbids a server; nothing of such a server is shown, and it is not even started. `url` overrides its
 * address, for one that only its own listing revealed.
 */
export function judgeServer(server: string, scene: Scenery, url?: string): readonly Reason[] {
  const known = scene.servers.get(server);
  if (url !== undefined && known !== undefined)
    return findObjections(server, { policy: scene.policy, servers: new Map([[server, { ...known, url }]]) });
  return judgeOnce(server, scene);
}

function judgeOnce(server: string, scene: Scenery): readonly Reason[] {
  let judged = known.get(scene.policy);
  if (judged?.servers !== scene.servers) {
    judged = { servers: scene.servers, reasons: new Map() };
    known.set(scene.policy, judged);
  }
  const reasons = judged.reasons.get(server) ?? findObjections(server, scene);
  judged.reasons.set(server, reasons);
  return reasons;
}

function findObjections(server: string, scene: Scenery): readonly Reason[] {
  const { deniedServers, allowedServers: allowed } = scene.policy;
  const reasons: Reason[] = [];
  for (const denied of deniedServers.filter(({ value }) => isMatch(value, server, scene))) {
    reasons.push({
      code: "policy.server-denied",
      text: `policy denies server "${server}"`,
      origin: denied.origin,
      fix: askFor(`stop denying ${describe(denied.value)}`, formatOrigin(denied.origin)),
    });
  }
  if (allowed !== null && !allowed.value.some(({ value }) => isMatch(value, server, scene))) {
    reasons.push({
      code: "policy.server-not-allowed",
      text: `server "${server}" is not among the allowed servers of the policy`,
      origin: allowed.origin,
      fix: askFor(`allow server "${server}"`, formatOrigin(allowed.origin)),
    });
  }
  return reasons;
}

function askFor(what: string, where: string): string {
  return `ask the policy's owner to ${what} (${where})`;
}

function isMatch(match: ServerMatch, name: string, { servers }: Pick<Scene, "servers">): boolean {
  const server = servers.get(name);
  switch (match.by) {
    case "name":
      return match.name === name;
    case "url":
      return typeof server?.url === "string" && isUrlMatch(match.url, server.url);
    case "command":
      return server?.argv?.length === match.argv.length && match.argv.every((word, at) => server.argv?.[at] === word);
  }
}

/**
 * Host and path are compared separately, so that a `*` in one never matches into the other: `https://*.corp.com/*` does
 * not permit `https://evil.com/.corp.com/x`.
 */
function isUrlMatch(pattern: string, address: string): boolean {
  if (pattern === "*") return true;
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  const scheme = pattern.indexOf("://");
  const [wantedScheme, rest] = scheme === -1 ? ["*", pattern] : [pattern.slice(0, scheme), pattern.slice(scheme + 3)];
  const slash = rest.indexOf("/");
  const [wantedHost, wantedPath] = slash === -1 ? [rest, "/"] : [rest.slice(0, slash), rest.slice(slash)];
  return (
    toGlob(wantedScheme.toLowerCase())(url.protocol.slice(0, -1)) &&
    toGlob(withoutRootDot(toAsciiHost(wantedHost)))(withoutRootDot(url.host)) &&
    toGlob(wantedPath)(url.pathname + url.search)
  );
}

/** `corp.com.` equals `corp.com`. */
function withoutRootDot(host: string): string {
  return host.replace(/\.(?=$|:\d+$)/, "");
}

function describe(match: ServerMatch): string {
  switch (match.by) {
    case "name":
      return `"${match.name}"`;
    case "url":
      return match.url;
    case "command":
      return match.argv.join(" ");
  }
}
