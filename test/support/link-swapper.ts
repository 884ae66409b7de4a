import { spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, symlinkSync } from "node:fs";
import { createInterface } from "node:readline";

/** A link and the two things that it leads to by turns. */
export interface SwappedLink {
  readonly link: string;
  readonly targets: readonly [string, string];
}

/** Stops by itself when nobody reads it any more, and after a minute. */
const PROGRAM = `
  const { renameSync, symlinkSync } = require("node:fs");
  const { links, seed } = JSON.parse(process.argv[1]);
  let state = seed;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
  const until = Date.now() + 60_000;
  let swaps = 0;
  let over = false;
  process.stdin.resume().on("end", () => (over = true));
  process.stdout.on("error", () => (over = true));
  function round() {
    for (let at = 0; at < 40; at += 1) {
      const { link, targets } = links[at % links.length];
      symlinkSync(targets[random() < 0.5 ? 0 : 1], link + ".next");
      renameSync(link + ".next", link);
      swaps += 1;
    }
    process.stdout.write(String(swaps) + "\\n");
    if (over || Date.now() > until) return;
    // A rest now and then, or nothing of several steps would ever get through.
    setTimeout(round, random() < 0.7 ? 0 : random() * 6);
  }
  round();
`;

/** Lets a link lead elsewhere. Some versions of Node remove no link to a folder, so it is put over the old one. */
export function leadLink(link: string, target: string): void {
  symlinkSync(target, `${link}.next`);
  renameSync(`${link}.next`, link);
}

export interface Swapping {
  /** How often a link was swapped by now. */
  readonly swaps: () => number;
  readonly stop: () => Promise<unknown>;
}

/** Lets a second process swap links as fast as it can. */
export function swapLinks(links: readonly SwappedLink[], seed: number): Swapping {
  const child = spawn(process.execPath, ["-e", PROGRAM, JSON.stringify({ links, seed })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let swaps = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    swaps = Number(line);
  });
  const ended = once(child, "close");
  const stop = () => {
    child.stdin.end();
    return ended;
  };
  return { swaps: () => swaps, stop };
}
