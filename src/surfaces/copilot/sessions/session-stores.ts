import { statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "../../../runtime/store/store.ts";
import type { RuntimeState } from "../state/runtime-state.ts";

interface OpenedStore {
  readonly store: Store;
  /** Its file was taken away or replaced: nobody else sees what is written to it. */
  isGone(): boolean;
}

/** The store is opened with the first session. */
export function createStores(): { current(server: RuntimeState): Promise<Store>; close(): Promise<void> } {
  let opening: Promise<OpenedStore> | null = null;
  const opened: OpenedStore[] = [];
  return {
    async current(server) {
      // Somebody who empties the home of a running runtime means its sessions, not later ones.
      if (opening !== null && (await opening).isGone()) opening = null;
      opening ??= openStore(server).then((one) => {
        opened.push(one);
        return one;
      });
      return (await opening).store;
    },
    async close() {
      await opening?.catch(() => null);
      await Promise.all(opened.map(({ store }) => store.close()));
    },
  };
}

/** Sessions lie under the clients' own home; where SQLite is missing they live as long as the process. */
async function openStore(server: RuntimeState): Promise<OpenedStore> {
  const { openStoreAt } = await import("../../../runtime/store/open-store.ts");
  const { hideInStore } = await import("../../../runtime/store/hide-in-store.ts");
  const { env, cwd } = server.around;
  const open = async (url: string): Promise<Store> =>
    hideInStore(
      await openStoreAt(url, { home: server.home, env, workspace: cwd }, { outlives: "kill" }),
      server.secrets,
    );
  // Where the client stores the files, nothing of its sessions stays here.
  if (server.files !== null) return { store: await open("memory:"), isGone: () => false };
  try {
    await mkdir(server.home, { recursive: true });
    const file = join(server.home, "toolcrib-sessions.db");
    const store = await open(`sqlite:${file}`);
    const inode = inodeOf(file);
    return { store, isGone: () => inodeOf(file) !== inode };
  } catch (error) {
    server.note(`sessions are not kept: ${error instanceof Error ? error.message : String(error)}`);
    return { store: await open("memory:"), isGone: () => false };
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
