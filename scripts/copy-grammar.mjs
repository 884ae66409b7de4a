import { fileURLToPath } from "node:url";
import { copyGrammar } from "./setup.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
copyGrammar(root, `${root}/dist`);
