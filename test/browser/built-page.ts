import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the build puts the inspector's page; `npm test` builds first. */
export const PAGE_FOLDER = fileURLToPath(new URL("../../dist/inspector", import.meta.url));

if (!existsSync(join(PAGE_FOLDER, "index.html"))) throw new Error('the page is not built; run "npm run setup" first');
