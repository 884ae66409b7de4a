import { type Disk, NODE_DISK } from "../../src/system/paths/disk.ts";

/** A disk whose n-th step fails once, as a full disk or a passing error would, and how many steps it was asked for. */
export function failingDisk(fatal: number): { readonly disk: Disk; readonly steps: () => number } {
  let steps = 0;
  const disk = new Proxy(NODE_DISK, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        steps += 1;
        if (steps === fatal) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        return Reflect.apply(member, target, args);
      };
    },
  });
  return { disk, steps: () => steps };
}
