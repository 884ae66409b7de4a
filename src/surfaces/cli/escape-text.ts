export { escapeLines, escapeText, toJson, toLines } from "../../system/text/escape-text.ts";
