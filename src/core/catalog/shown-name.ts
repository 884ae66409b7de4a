import { joinName, WIRE_STYLES } from "./wire-name.ts";

/** A wire name as people write it, `server/tool`; unchanged if it does not begin with that server. */
export function toShownName(wireName: string, server: string): string {
  for (const style of WIRE_STYLES) {
    const front = joinName(server, "", style);
    if (wireName.startsWith(front) && wireName.length > front.length)
      return `${server}/${wireName.slice(front.length)}`;
  }
  return wireName;
}

/** The same when the server is not known, as in a log: assumes `__` between server and tool. */
export function guessShownName(wireName: string): string {
  const [, server, tool] = /^(?:mcp__)?(.+?)__(.+)$/s.exec(wireName) ?? [];
  return server === undefined || tool === undefined ? wireName : `${server}/${tool}`;
}
