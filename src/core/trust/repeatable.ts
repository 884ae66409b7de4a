import { dropInvisible } from "../tool/hidden-text.ts";
import { scanDefinition } from "./scan-definition.ts";
import { strictness, toScan } from "./signal.ts";

/** No honest name or rule is longer. */
const MAX_LENGTH = 200;

/** Whether text of an untrusted file can be repeated to a model: short, visible, and no orders. */
export function isRepeatable(text: string): boolean {
  if (text.length > MAX_LENGTH || dropInvisible(text) !== text) return false;
  const signals = scanDefinition({
    name: "words",
    title: null,
    // A name is words separated by other characters.
    description: text.replace(/[_\-./:*]+/g, " "),
    inputSchema: null,
    outputSchema: null,
    claims: { readOnly: false, harmless: false, closedWorld: false },
  });
  return strictness(toScan(signals).action) < strictness("re-approve");
}
