import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { contains } from "./paths/roots.ts";

/** Whether a file belongs to the installed package that runs here: its code is running already. Never in a checkout. */
export function isOfOwnPackage(path: string): boolean {
  own ??= findOwnPackage();
  return own !== "" && contains(own, path);
}

let own: string | null = null;
const INSTALLED = "/node_modules/toolcrib/";

/** Works at any depth in the package, bundled or not; empty if it is not installed. */
function findOwnPackage(): string {
  const here = realpathSync(fileURLToPath(import.meta.url));
  const at = here.lastIndexOf(INSTALLED);
  return at === -1 ? "" : here.slice(0, at + INSTALLED.length - 1);
}
